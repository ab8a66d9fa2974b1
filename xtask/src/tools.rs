//! The tools that building, running and testing need: each checked, installed when missing, and pinned.

pub(crate) mod debian;
pub(crate) mod npm;
pub(crate) mod python;
pub(crate) mod rust;

use anyhow::{Result, anyhow};

/// Says after an error what to do about it.
fn advise<T>(result: Result<T>, advice: &str) -> Result<T> {
    result.map_err(|error| anyhow!("{error:#}; {advice}"))
}
