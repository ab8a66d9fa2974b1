//! The local D1, read and moved in time while workerd does not run: it keeps the file to itself.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use shared::history::{Record, decode};

/// An open database file.
#[derive(Debug)]
pub struct Database(Connection);

/// Columns that say how often a row was written, not what it holds.
const WRITE_COUNTERS: [&str; 1] = ["revision"];

impl Database {
    /// Opens the file of a Worker that has ended.
    ///
    /// # Panics
    /// Where it cannot be opened or is damaged.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let check: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(check, "ok", "{}", path.display());
        Self(connection)
    }

    /// Makes every listing as if it had been added so many minutes earlier, its grid included.
    ///
    /// # Panics
    /// Where the tables are not as expected.
    pub fn age(&self, minutes: u32) {
        let sql = format!(
            "UPDATE cadence SET from_slot = from_slot - {minutes};
             UPDATE listing SET listed_ms = listed_ms - {minutes} * 60000;"
        );
        self.0.execute_batch(&sql).unwrap_or_else(|error| panic!("age: {error}"));
    }

    /// Makes every slot as if nobody had been offered it.
    ///
    /// # Panics
    /// Where the tables are not as expected.
    pub fn forget_offers(&self) {
        self.0.execute_batch("DELETE FROM lease").unwrap_or_else(|error| panic!("lease: {error}"));
    }

    /// The number of each listing, by slug.
    #[must_use]
    pub fn listings(&self) -> BTreeMap<String, u32> {
        self.rows("SELECT slug, id FROM listing", |row| Ok((row.get(0)?, row.get(1)?))).into_iter().collect()
    }

    /// The slots of a listing from one minute to another, both included.
    #[must_use]
    pub fn slots(&self, listing: u32, first: u32, last: u32) -> Vec<u32> {
        let sql = format!("SELECT from_slot, interval_minutes FROM cadence WHERE listing = {listing}");
        let segments: Vec<(u32, u16)> = self.rows(&sql, |row| Ok((row.get(0)?, row.get(1)?)));
        let [(from, interval)] = segments.as_slice() else { panic!("one segment each, not {segments:?}") };
        (*from..=last).step_by(usize::from(*interval)).filter(|slot| *slot >= first).collect()
    }

    /// Every stored vote by listing, network and slot.
    ///
    /// # Panics
    /// Where a chunk does not decode, or two hold the same slot.
    #[must_use]
    pub fn votes(&self) -> BTreeMap<(u32, u32, u32), Record> {
        let chunks: Vec<(u32, u32, u32, Vec<u8>)> = self
            .rows("SELECT listing, network, chunk, data FROM vote_chunk", |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            });
        let mut votes = BTreeMap::new();
        for (listing, network, chunk, data) in chunks {
            let records =
                decode(chunk, &data).unwrap_or_else(|fault| panic!("chunk {listing} {chunk}: {fault}"));
            for record in records {
                let twice = votes.insert((listing, network, record.slot), record);
                assert!(twice.is_none(), "listing {listing} has slot {} twice", record.slot);
            }
        }
        votes
    }

    /// Every row of every table of ours as text, in order; columns that count writes are left out.
    #[must_use]
    pub fn contents(&self) -> Vec<String> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
                   AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\' ORDER BY name";
        let tables: Vec<String> = self.rows(sql, |row| row.get(0));
        let mut lines = Vec::new();
        for table in tables {
            lines.extend(self.rows(&format!("SELECT * FROM {table}"), |row| line(&table, row)));
        }
        lines.sort();
        lines
    }

    fn rows<T>(&self, sql: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let rows = self.0.prepare(sql).and_then(|mut statement| {
            let rows = statement.query_map([], read)?;
            rows.collect()
        });
        rows.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

fn line(table: &str, row: &Row<'_>) -> rusqlite::Result<String> {
    let mut line = table.to_owned();
    for (index, column) in row.as_ref().column_names().enumerate() {
        if WRITE_COUNTERS.contains(&column) {
            continue;
        }
        let value = match row.get_ref(index)? {
            ValueRef::Null => "null".to_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        line.push_str(&format!(" {column}={value}"));
    }
    Ok(line)
}
