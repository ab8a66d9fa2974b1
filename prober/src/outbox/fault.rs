//! What can be wrong with an outbox, in words that say what to do.

use rusqlite::ErrorCode;

/// A failed operation on the outbox.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct OutboxFault {
    pub(crate) kind: OutboxFaultKind,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutboxFaultKind {
    /// Another process uses it.
    InUse,
    /// The file's content is damaged.
    Corrupt,
    /// The disk is full, the file cannot be written or opened: it may pass.
    Unwritable,
    /// The file is a database, but no outbox this version can use as it is.
    NotOurs,
    /// A fault of our own.
    Internal,
}

impl OutboxFault {
    pub(super) fn new(kind: OutboxFaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<rusqlite::Error> for OutboxFault {
    fn from(error: rusqlite::Error) -> Self {
        let (kind, what) = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                (OutboxFaultKind::Corrupt, "the outbox file is damaged")
            }
            Some(ErrorCode::DiskFull) => {
                (OutboxFaultKind::Unwritable, "the disk with the outbox is full: make room")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => (
                OutboxFaultKind::Unwritable,
                "the outbox may not be written: check the rights of the file and its folder",
            ),
            Some(ErrorCode::CannotOpen) => (
                OutboxFaultKind::Unwritable,
                "the outbox cannot be opened: check that its folder exists and may be written",
            ),
            Some(ErrorCode::SystemIoFailure) => {
                let what = "the disk with the outbox does not read or write: check its space, the limits of this \
                            process (`ulimit -f`) and the system's log";
                (OutboxFaultKind::Unwritable, what)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                (OutboxFaultKind::InUse, "another program has locked the outbox")
            }
            _ => (OutboxFaultKind::Internal, "the outbox failed"),
        };
        Self::new(kind, format!("{what} ({error})"))
    }
}

impl From<serde_json::Error> for OutboxFault {
    fn from(error: serde_json::Error) -> Self {
        Self::new(OutboxFaultKind::Internal, format!("a vote cannot be written as JSON ({error})"))
    }
}
