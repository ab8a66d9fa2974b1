//! Reachability: the state that the newest votes of all networks give together. (section 2)

use crate::words::word_enum;

word_enum! {
    /// Whether clients reach the endpoint, as far as anybody can say.
    Reachability {
        /// No vote is valid, or only an edge network reports and sees failures.
        Unknown = 0 "unknown",
        Reachable = 1 "reachable",
        Unreachable = 2 "unreachable",
    }
}
