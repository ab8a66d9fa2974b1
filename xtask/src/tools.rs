//! The tools that building, running and testing need: each checked, installed when missing, and pinned.

pub(crate) mod npm;
pub(crate) mod python;
pub(crate) mod rust;
