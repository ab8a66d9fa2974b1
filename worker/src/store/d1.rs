//! The platform's database as our statements use it: a batch of them in, texts and costs out.
//!
//! On the platform's own types, since the `worker` crate's typed rows bring a second reader of values into the module.

use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Array, Error, JsString, Object, Reflect};
use worker::wasm_bindgen_futures::JsFuture;
use worker::worker_sys::types::{D1Database, D1Result};
use worker::{D1Database as Binding, Env};

use super::StoreFault;

/// The column in which every statement answers, if it does: a text.
const ANSWER: &str = "answer";

/// A statement with its one parameter, a JSON text.
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) parameter: Option<String>,
}

/// What a batch gave.
pub(super) struct Outcome {
    /// For each statement the texts of its rows.
    pub(super) answers: Vec<Vec<String>>,
    /// Rows read and written, which the platform bills.
    pub(super) rows_read: u64,
    pub(super) rows_written: u64,
}

/// The database that is bound as `binding`.
pub(super) fn open(env: &Env, binding: &str) -> Result<D1Database, StoreFault> {
    let database: Binding =
        env.d1(binding).map_err(|_| StoreFault::Database(format!("there is no binding {binding}")))?;
    Ok(JsValue::from(database).unchecked_into())
}

/// Runs statements in one transaction: all or none.
pub(super) async fn batch(database: &D1Database, statements: &[Statement]) -> Result<Outcome, StoreFault> {
    let prepared = Array::new();
    for Statement { sql, parameter } in statements {
        let mut statement = database.prepare(sql).map_err(fault)?;
        if let Some(parameter) = parameter {
            statement = statement.bind(Array::of1(&parameter.into())).map_err(fault)?;
        }
        prepared.push(&statement);
    }
    let promise = database.batch(prepared).map_err(fault)?;
    let results = JsFuture::from(promise).await.map_err(fault)?;
    let mut outcome = Outcome { answers: Vec::new(), rows_read: 0, rows_written: 0 };
    for result in Array::from(&results) {
        let result: D1Result = result.unchecked_into();
        let meta = result.meta().map_err(fault)?;
        outcome.rows_read += count(&meta, "rows_read");
        outcome.rows_written += count(&meta, "rows_written");
        let rows = result.results().map_err(fault)?.unwrap_or_default();
        outcome.answers.push(rows.iter().map(|row| answer(&row)).collect::<Result<_, _>>()?);
    }
    Ok(outcome)
}

fn count(meta: &Object, name: &str) -> u64 {
    Reflect::get(meta, &name.into()).ok().and_then(|count| count.as_f64()).unwrap_or_default() as u64
}

fn answer(row: &JsValue) -> Result<String, StoreFault> {
    let cell = Reflect::get(row, &ANSWER.into()).map_err(fault)?;
    cell.as_string().ok_or_else(|| StoreFault::Answer("no text where one should be".to_owned()))
}

/// What the platform threw.
#[expect(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn fault(thrown: JsValue) -> StoreFault {
    let text = match thrown.dyn_ref::<Error>() {
        Some(error) => error.message(),
        None => thrown.dyn_ref::<JsString>().cloned().unwrap_or_default(),
    };
    StoreFault::of_database(String::from(text))
}
