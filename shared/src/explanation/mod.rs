//! What the fixed words mean, said to a person: one phrase a word, plain and without blame.
//!
//! A phrase starts lower-case and has no full stop, so that it can stand in a table cell or inside a sentence;
//! [`capitalized`] and [`sentence`] make more of it. The pages and the command line read the same phrases. `Class` has its own in
//! `outcome`.

mod front_door;
mod reason;
mod violation;

use crate::listing::{State, Tier};
use crate::outcome::{Counted, Era, Phase, Precision};

pub use front_door::{Bearing, DoorStep};

/// The phrase with its first letter in upper case.
#[must_use]
pub fn capitalized(phrase: &str) -> String {
    // Our phrases are English: the tables for other alphabets would be five kilobytes of the compressed module.
    let mut text = phrase.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The phrase as a sentence: first letter in upper case, and a full stop.
#[must_use]
pub fn sentence(phrase: &str) -> String {
    capitalized(phrase) + "."
}

impl Phase {
    /// How far the request came when it stopped.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Dns => "during name resolution",
            Self::Connect => "while connecting",
            Self::Tls => "during the TLS handshake",
            Self::Headers => "while waiting for headers",
            Self::Body => "while reading the body",
        }
    }
}

impl Precision {
    /// What a network of this precision can see.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "sees every phase",
            Self::Edge => "cannot tell DNS, TCP and TLS apart; place varies",
        }
    }
}

impl Era {
    /// How a conversation of this generation is opened.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Legacy => "opened by initialize",
            Self::Modern => "opened by server/discover",
        }
    }
}

impl Counted {
    /// Whether a vote is evidence, and as what.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Success => "counted as success",
            Self::Failure => "counted as failure",
            Self::None => "no evidence either way",
        }
    }
}

impl Tier {
    /// What kind of door the endpoint has.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unknown => "not known yet",
            Self::Open => "open",
            Self::Gated => "gated",
        }
    }

    /// What that means for the measurement.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Unknown => "no probe has succeeded yet",
            Self::Open => "the handshake succeeds without authentication",
            Self::Gated => "asks for authorization, so only the front door is measured",
        }
    }
}

impl State {
    /// The word on the page.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Active => "Active",
            Self::UnderReview => "Under review",
            Self::Frozen => "Frozen",
            Self::Delisted => "Delisted",
            Self::Refused => "Opted out (refused)",
            Self::Unprobeable => "Cannot be probed",
        }
    }

    /// Why such a listing carries no score; of an active one, that it is measured.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Active => "measured",
            Self::UnderReview => "a correction request is being checked; no score is shown while we verify",
            Self::Frozen => "probing goes on; no score is shown while we repair our own data",
            Self::Delisted => "delisted at the operator’s request; no longer probed",
            Self::Refused => "every network was refused for seven days; no longer probed",
            Self::Unprobeable => "this URL cannot be measured by our rules",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{FrontDoor, FrontDoorNote, Reason, Violation};

    fn phrases() -> Vec<&'static str> {
        let mut all = Vec::new();
        all.extend(Reason::ALL.iter().map(|word| word.label()));
        all.extend(Violation::ALL.iter().map(|word| word.label()));
        all.extend(FrontDoor::ALL.iter().map(|word| word.label()));
        all.extend(FrontDoorNote::ALL.iter().map(|word| word.label()));
        all.extend(Phase::ALL.iter().map(|word| word.label()));
        all.extend(Precision::ALL.iter().map(|word| word.label()));
        all.extend(State::ALL.iter().map(|word| word.explanation()));
        all.extend(Tier::ALL.iter().map(|word| word.explanation()));
        all
    }

    #[test]
    fn every_phrase_fits_a_cell_and_blames_nobody() {
        for phrase in phrases() {
            assert!(!phrase.is_empty() && phrase.len() <= 90, "{phrase:?} is empty or too long for a cell");
            assert!(!phrase.ends_with('.'), "{phrase:?} ends with a full stop");
            for blame in ["is down", "outage", "poor", "bad ", "healthy", "broken server", "fail to"] {
                assert!(!phrase.contains(blame), "{phrase:?} says {blame:?}");
            }
        }
    }

    #[test]
    fn no_two_reasons_or_violations_read_the_same() {
        let mut all: Vec<_> = Reason::ALL.iter().map(|word| word.label()).collect();
        all.extend(Violation::ALL.iter().map(|word| word.label()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_sentence_starts_upper_case_and_ends_with_a_stop() {
        assert_eq!(sentence("the name does not exist"), "The name does not exist.");
        assert_eq!(sentence(""), ".");
    }
}
