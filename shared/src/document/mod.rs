//! What we publish about scores, as documents: the members of `tool.json` that can be redone, the rows of
//! `probes.ndjson`, and the redoing of both.
//!
//! Members whose value does not exist are null, never a guess.

pub mod probes;
pub mod reproduce;
pub mod scores;
#[cfg(test)]
mod tests;

/// The licence of every document we publish.
pub const LICENCE: &str = "CC BY 4.0";
