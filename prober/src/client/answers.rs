//! The answer to a batch of votes, as an old prober reads that of a later Worker: a word it does not know spoils
//! nothing around it.

use serde::Deserialize;
use shared::vote::{Rejection, VoteStatus};
use shared::words::Word;

#[derive(Debug, Deserialize)]
pub(crate) struct Answers {
    pub(crate) results: Vec<Answered>,
}

/// What the Worker says of one vote.
#[derive(Debug, Deserialize)]
pub(crate) struct Answered {
    pub(crate) listing: u32,
    pub(crate) slot: u32,
    pub(crate) status: Word<VoteStatus>,
    #[serde(default)]
    pub(crate) reason: Option<Word<Rejection>>,
}
