//! Reads one page of `tools/list`.

use serde_json::Value;

use crate::outcome::{Era, Violation};

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Entries as sent.
    pub tools: Vec<Value>,
    /// Where the next page is; None ends the list.
    pub next_cursor: Option<String>,
    /// There is a next page and we cannot ask for it: the list is not complete.
    pub cut_short: bool,
    pub violations: Vec<Violation>,
}

/// Reads the result of `tools/list`. None: no page (`tools` is no array, or a modern result is of an unknown type).
#[must_use]
pub fn read_page(result: Value, era: Era) -> Option<Page> {
    let _ = (result, era);
    None
}
