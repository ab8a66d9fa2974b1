//! The prober's outbox file, seen from outside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use shared::reading::document;
use shared::vote::{Vote, VoteBatch};

/// The path of an outbox.
#[derive(Debug, Clone)]
pub struct Outbox(PathBuf);

impl Outbox {
    /// The outbox at `path`, which the prober makes.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn open(&self, flags: OpenFlags) -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&self.0, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(connection)
    }

    /// Votes that wait, or why they cannot be counted (no such file yet).
    ///
    /// # Errors
    /// SQLite's.
    pub fn count(&self) -> rusqlite::Result<usize> {
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection
            .query_row("SELECT count(*) FROM votes", [], |row| row.get::<_, i64>(0))
            .map(|count| usize::try_from(count).unwrap_or(0))
    }

    /// The votes that wait. The prober may run.
    ///
    /// # Panics
    /// Where one does not read.
    #[must_use]
    pub fn waiting(&self) -> Vec<Vote> {
        let texts = self.open(OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
            let mut statement = connection.prepare("SELECT vote FROM votes")?;
            let texts = statement.query_map([], |row| row.get::<_, String>(0))?;
            texts.collect::<rusqlite::Result<Vec<String>>>()
        });
        let texts = texts.unwrap_or_else(|error| panic!("{}: {error}", self.0.display()));
        let read =
            |text: &String| document(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {text}"));
        texts.iter().map(read).collect()
    }

    /// Votes that the Worker refused for good.
    ///
    /// # Panics
    /// Where they cannot be read.
    #[must_use]
    pub fn rejected(&self) -> Vec<String> {
        let rows = self.open(OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
            let mut statement = connection.prepare("SELECT reason || ' ' || vote FROM rejected")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        });
        rows.unwrap_or_else(|error| panic!("{}: {error}", self.0.display()))
    }

    /// Puts votes in as the prober does, while it does not run.
    ///
    /// # Panics
    /// Where they cannot be written.
    pub fn fill(&self, batch: &VoteBatch) {
        let written = self.open(OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|mut connection| {
            let transaction = connection.transaction()?;
            for (digest, shape) in &batch.shapes {
                let shape = serde_json::to_string(shape).unwrap_or_default();
                let sql = "INSERT OR IGNORE INTO shapes (digest, shape) VALUES (?1, ?2)";
                transaction.execute(sql, params![digest.to_string(), shape])?;
            }
            for vote in &batch.votes {
                let text = serde_json::to_string(vote).unwrap_or_default();
                let digest = vote.shape.map(|shape| shape.digest.to_string());
                let sql =
                    "INSERT INTO votes (listing, slot, vote, shape, carry_shape) VALUES (?1, ?2, ?3, ?4, 1)";
                transaction.execute(sql, params![vote.listing, vote.slot, text, digest])?;
            }
            transaction.commit()
        });
        written.unwrap_or_else(|error| panic!("{}: {error}", self.0.display()));
    }
}
