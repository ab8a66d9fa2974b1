//! The rules of IsItStillUp: MCP over HTTP, the probe as a state machine, the classifier, votes and their storage form.
//!
//! Pure by construction: no clock, no randomness, no I/O, no async. Time and random bits enter as arguments, so the
//! same code runs in the Worker (wasm32) and in the native prober and can be tested with plain data.
//!
//! What it does not do: it never opens a socket, resolves a name or reads a file, and it never decides *when* to probe
//! beyond naming the slot.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

pub mod document;
pub mod drift;
pub mod explanation;
pub mod fuse;
pub mod history;
pub mod listing;
pub mod mcp;
pub mod methodology;
mod mix;
pub mod outcome;
pub mod probe;
pub mod reachability;
pub mod reading;
pub mod retry_after;
pub mod schedule;
pub mod score;
pub mod shape;
pub mod signature;
pub mod sorting;
pub mod table;
pub mod timestamp;
pub mod verdict;
pub mod vote;
pub mod words;
