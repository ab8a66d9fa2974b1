//! All SQL. Rows come in and go out as types of `shared` and of the planners.
//!
//! Every statement takes one parameter, a JSON text, for two reasons: D1 binds numbers as floats, while numbers in JSON
//! stay integers; and one statement carries a whole batch. Every list comes back as one JSON text that SQLite wrote,
//! which crosses from JavaScript to wasm once; as a few of them where servers decide how long the items are, since D1
//! takes texts of up to 2,000,000 bytes.

mod documents;
mod lease;
mod listing;
mod retention;
mod row;
mod votes;

pub use documents::{Contents, ListingRow, NetworkRow, Wanted};
pub use lease::Brief;
pub use listing::{AdminListing, Edit, NewListing};

use serde::Serialize;

use row::Row;
use shared::reading::Fault;
use worker::{D1Database, D1PreparedStatement, D1Result, Env};

/// The database.
pub struct Store {
    database: D1Database,
}

/// Why the database did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// Rows have changed since they were read: read again and try again.
    #[error("rows changed since they were read")]
    Conflict,
    #[error("the database: {0}")]
    Database(String),
    /// What it answered is not as our statements write it.
    #[error("an answer of the database does not parse: {0}")]
    Answer(String),
}

impl From<worker::Error> for StoreFault {
    fn from(error: worker::Error) -> Self {
        let text = error.to_string();
        // How our guarded writes fail: they set a column to null that refuses it, or meet a key that has come between.
        let conflict =
            ["NOT NULL constraint failed", "UNIQUE constraint failed"].iter().any(|part| text.contains(part));
        if conflict { Self::Conflict } else { Self::Database(text) }
    }
}

impl From<Fault> for StoreFault {
    fn from(fault: Fault) -> Self {
        Self::Answer(fault.to_string())
    }
}

impl From<serde_json::Error> for StoreFault {
    fn from(error: serde_json::Error) -> Self {
        Self::Answer(error.to_string())
    }
}

impl Store {
    /// # Errors
    /// The binding `DB` is missing.
    pub fn open(env: &Env) -> Result<Self, StoreFault> {
        Ok(Self { database: env.d1("DB")? })
    }

    /// A statement with its parameter, a JSON text.
    fn statement(&self, sql: &str, parameter: &str) -> Result<D1PreparedStatement, StoreFault> {
        Ok(self.database.prepare(sql).bind(&[parameter.into()])?)
    }

    /// Runs statements in one transaction: all or none.
    async fn batch(&self, statements: Vec<D1PreparedStatement>) -> Result<Vec<D1Result>, StoreFault> {
        let results = self.database.batch(statements).await?;
        log_cost(&results);
        Ok(results)
    }

    /// Runs one statement whose rows are JSON texts that list rows.
    async fn select(&self, sql: &str, parameter: &str) -> Result<Vec<Row>, StoreFault> {
        let results = self.batch(vec![self.statement(sql, parameter)?]).await?;
        rows(&results, 0)
    }
}

/// The texts in column `answer` of the result at a place.
fn answers(results: &[D1Result], place: usize) -> Result<Vec<String>, StoreFault> {
    #[derive(serde::Deserialize)]
    struct Answer {
        answer: String,
    }
    let result = results.get(place).ok_or_else(|| StoreFault::Answer("a result is missing".to_owned()))?;
    let rows: Vec<Answer> = result.results()?;
    Ok(rows.into_iter().map(|row| row.answer).collect())
}

/// The rows that the JSON texts in the result at a place list.
fn rows(results: &[D1Result], place: usize) -> Result<Vec<Row>, StoreFault> {
    let mut all = Vec::new();
    for answer in answers(results, place)? {
        all.append(&mut Row::read_all(&answer)?);
    }
    Ok(all)
}

fn first(answers: Vec<String>) -> Result<String, StoreFault> {
    answers.into_iter().next().ok_or_else(|| StoreFault::Answer("no row".to_owned()))
}

fn json(parameter: &impl Serialize) -> Result<String, StoreFault> {
    Ok(serde_json::to_string(parameter)?)
}

/// Rows read and written are what D1 bills.
fn log_cost(results: &[D1Result]) {
    let (mut read, mut written) = (0, 0);
    for meta in results.iter().filter_map(|result| result.meta().ok().flatten()) {
        read += meta.rows_read.unwrap_or(0);
        written += meta.rows_written.unwrap_or(0);
    }
    worker::console_debug!("d1 statements={} rows_read={read} rows_written={written}", results.len());
}

/// A blob in a parameter, for `unhex`.
fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value & 15), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// A number that stands for a word in a column.
fn coded<T>(code: u8, from: impl Fn(u8) -> Option<T>, column: &str) -> Result<T, StoreFault> {
    from(code).ok_or_else(|| StoreFault::Answer(format!("{column} {code} is not known")))
}
