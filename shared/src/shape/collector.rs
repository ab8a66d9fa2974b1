//! Gathers the pages of one listing into a shape.

use serde_json::Value;

use super::Shape;
use crate::outcome::Violation;

/// Takes pages, then gives the shape.
#[derive(Debug, Default)]
pub struct Collector {
    shape: Shape,
}

/// What one listing amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    pub shape: Shape,
    /// Distinct tools read.
    pub count: u32,
    /// False where a cap or an unreadable entry left something out.
    pub complete: bool,
    /// Sorted, without repeats.
    pub violations: Vec<Violation>,
}

impl Collector {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the entries of one page. `invalid_unicode`: text in the page was replaced by U+FFFD; tools that hold
    /// that character then take no part in drift.
    pub fn add_page(&mut self, tools: Vec<Value>, invalid_unicode: bool) {
        let _ = (tools, invalid_unicode);
    }

    /// A cap was reached; asking for another page is pointless.
    #[must_use]
    pub fn is_full(&self) -> bool {
        false
    }

    /// The shape of everything added.
    #[must_use]
    pub fn finish(self) -> Collected {
        Collected { shape: self.shape, count: 0, complete: true, violations: Vec::new() }
    }
}
