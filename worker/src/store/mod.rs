//! All SQL. Rows come in and go out as types of `shared` and of the planners.
//!
//! Every statement takes one parameter, a JSON text, for two reasons: D1 binds numbers as floats, while numbers in JSON
//! stay integers; and one statement carries a whole batch. Every list comes back as one JSON text that SQLite wrote,
//! which crosses from JavaScript to wasm once; as a few of them where servers decide how long the items are, since D1
//! takes texts of up to 2,000,000 bytes.

mod d1;
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

use d1::Statement;
use row::Row;
use shared::reading::Fault;
use worker::Env;
use worker::worker_sys::types::D1Database;

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

impl StoreFault {
    fn of_database(text: String) -> Self {
        // How our guarded writes fail: they set a column to null that refuses it, or meet a key that has come between.
        let conflict = text
            .split(':')
            .any(|part| matches!(part.trim(), "NOT NULL constraint failed" | "UNIQUE constraint failed"));
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
        Ok(Self { database: d1::open(env, "DB")? })
    }

    /// Runs statements in one transaction: all or none. Gives the texts that each answers.
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Vec<String>>, StoreFault> {
        let outcome = d1::batch(&self.database, &statements).await?;
        let d1::Outcome { answers, rows_read, rows_written } = outcome;
        worker::console_debug!(
            "d1 statements={} rows_read={rows_read} rows_written={rows_written}",
            statements.len()
        );
        Ok(answers)
    }

    /// Runs one statement whose rows are JSON texts that list rows.
    async fn select(&self, sql: &str, parameter: &str) -> Result<Vec<Row>, StoreFault> {
        rows(&self.batch(vec![statement(sql, parameter)]).await?, 0)
    }
}

/// A statement with its parameter, a JSON text.
fn statement(sql: &str, parameter: &str) -> Statement {
    Statement { sql: sql.to_owned(), parameter: Some(parameter.to_owned()) }
}

/// The texts that the statement at a place answered.
fn answers(results: &[Vec<String>], place: usize) -> Result<&[String], StoreFault> {
    let answers = results.get(place).map(Vec::as_slice);
    answers.ok_or_else(|| StoreFault::Answer("a result is missing".to_owned()))
}

/// The rows that the JSON texts in the result at a place list.
fn rows(results: &[Vec<String>], place: usize) -> Result<Vec<Row>, StoreFault> {
    let mut all = Vec::new();
    for answer in answers(results, place)? {
        all.append(&mut Row::read_all(answer)?);
    }
    Ok(all)
}

fn first(answers: &[String]) -> Result<&str, StoreFault> {
    answers.first().map(String::as_str).ok_or_else(|| StoreFault::Answer("no row".to_owned()))
}

fn json(parameter: &impl Serialize) -> Result<String, StoreFault> {
    Ok(serde_json::to_string(parameter)?)
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
