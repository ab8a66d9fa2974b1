//! Reachability: the state that the newest votes of all networks give together, and the incidents that follow from it.
//! (methodology section 2)
//!
//! The state at a time is a function of the votes that had started by then and of the state before. It can change where
//! a vote starts and where one stops being valid, so [`timeline`] goes through these moments in order; votes that come
//! late are read in their place as if they had come in time.

mod machine;
#[cfg(test)]
mod tests;

use crate::words::word_enum;

pub use machine::{Incident, PartlyFailing, StateChange, Timeline, timeline};

word_enum! {
    /// Whether clients reach the endpoint, as far as anybody can say.
    Reachability {
        /// No vote is valid, or only an edge network reports and sees failures.
        Unknown = 0 "unknown",
        Reachable = 1 "reachable",
        Unreachable = 2 "unreachable",
    }
}
