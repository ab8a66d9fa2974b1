//! The tables of an outbox, and how a file says that it is one.

use rusqlite::Connection;

/// "ISUo": stands in the file's header, so that another program's database is never taken for an outbox.
pub(super) const APPLICATION_ID: i32 = 0x4953_556f;
/// The version of the tables below, kept as `user_version`.
pub(super) const VERSION: i32 = 1;

/// Version 1. `sequence` is the order of arrival; `refusals` counts deliveries that settled nothing about it.
const TABLES: &str = "
    CREATE TABLE votes (
        sequence INTEGER PRIMARY KEY,
        listing INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        vote TEXT NOT NULL,
        shape TEXT,
        carry_shape INTEGER NOT NULL,
        refusals INTEGER NOT NULL DEFAULT 0,
        UNIQUE (listing, slot)
    );
    CREATE INDEX votes_by_turn ON votes (refusals, sequence);
    CREATE TABLE shapes (
        digest TEXT PRIMARY KEY,
        shape TEXT NOT NULL
    );
    CREATE TABLE rejected (
        listing INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        vote TEXT NOT NULL,
        reason TEXT NOT NULL,
        rejected_ms INTEGER NOT NULL,
        PRIMARY KEY (listing, slot)
    );";

/// Makes the tables in an empty file, with the marks, in one transaction.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// What the file is.
pub(super) enum Kind {
    Empty,
    Ours,
    /// An outbox with tables of this later version.
    Newer(i32),
    /// A database of something else.
    Foreign,
}

pub(super) fn kind(connection: &Connection) -> rusqlite::Result<Kind> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (number("application_id")?, number("user_version")?) {
        (0, 0) if tables == 0 => Kind::Empty,
        (APPLICATION_ID, version) if version > VERSION => Kind::Newer(version),
        (APPLICATION_ID, _) => Kind::Ours,
        _ => Kind::Foreign,
    })
}
