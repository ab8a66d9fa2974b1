//! JSON from strangers: depth, text and numbers are made safe before the parser sees them.

mod scan;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;

use serde_json::Value;

use super::BYTE_ORDER_MARK;
use crate::methodology::limits;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    #[error("nothing but white space")]
    Empty,
    #[error("not JSON")]
    NotJson,
    #[error("nested deeper than {} levels", limits::JSON_DEPTH)]
    TooDeep,
    #[error("more than {} values", limits::JSON_VALUES)]
    TooManyValues,
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

/// Reads one JSON document, in time linear in its length.
///
/// A number beyond the range of a double reads as the largest double of its sign, so that one odd `maximum` in a
/// schema does not make the whole listing unreadable.
pub fn read(bytes: &[u8]) -> Result<Json, JsonFault> {
    let (bytes, byte_order_mark) = match bytes.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    if bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        return Err(JsonFault::Empty);
    }
    let text = String::from_utf8_lossy(bytes);
    let replaced_bytes = matches!(text, Cow::Owned(_));
    let scan = scan::scan(&text)?;
    let (value, duplicate_keys) = value::parse(&scan.text).map_err(|_| JsonFault::NotJson)?;
    Ok(Json {
        value,
        duplicate_keys,
        invalid_unicode: replaced_bytes || scan.replaced_surrogate,
        byte_order_mark,
    })
}
