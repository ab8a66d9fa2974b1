//! The mark of a vote: glyph, words and colour, in that order of importance.

use shared::listing::State;
use shared::outcome::Class;

/// A glyph of the sprite and the class that colours it. Never shown without words beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The symbol's id without `g-`.
    pub(crate) glyph: &'static str,
    /// `ok`, `warn`, `bad` or `none`.
    pub(crate) tone: &'static str,
}

/// Where there is nothing to mark yet.
pub(crate) const UNKNOWN: Mark = Mark { glyph: "unk", tone: "none" };
/// A step that was not taken.
pub(crate) const NOT_TRIED: Mark = Mark { glyph: "del", tone: "none" };
/// Passed.
pub(crate) const PASSED: Mark = Mark { glyph: "ok", tone: "ok" };
/// Passed, and a client has to cope with something.
pub(crate) const CARE: Mark = Mark { glyph: "some", tone: "warn" };
/// Missing.
pub(crate) const MISSING: Mark = Mark { glyph: "down", tone: "bad" };

impl Mark {
    /// The mark of one vote.
    pub(crate) const fn of_class(class: Class) -> Self {
        match class {
            Class::Up | Class::AuthRequired => PASSED,
            Class::Degraded => CARE,
            Class::Timeout
            | Class::DnsFailure
            | Class::TlsFailure
            | Class::ConnectFailed
            | Class::Closed
            | Class::Http5xx
            | Class::Http4xx
            | Class::RpcError
            | Class::NotMcp
            | Class::Malformed
            | Class::WrongId
            | Class::Redirect
            | Class::TooLarge => MISSING,
            Class::Refused | Class::RateLimited => Self { glyph: "ref", tone: "none" },
            Class::VantageError | Class::VantageUnclear => UNKNOWN,
            Class::Skipped => NOT_TRIED,
        }
    }

    /// The mark of a listing that is not simply measured.
    pub(crate) const fn of_state(state: State) -> Self {
        match state {
            State::Active => UNKNOWN,
            State::UnderReview => Self { glyph: "rev", tone: "none" },
            State::Frozen | State::Refused | State::Unprobeable => Self { glyph: "ref", tone: "none" },
            State::Delisted => NOT_TRIED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::outcome::Counted;

    #[test]
    fn only_counted_failures_are_red_and_no_evidence_has_no_colour() {
        for class in Class::ALL {
            let tone = Mark::of_class(*class).tone;
            match class.counted() {
                Counted::Success => assert!(matches!(tone, "ok" | "warn"), "{class}"),
                Counted::Failure => assert_eq!(tone, "bad", "{class}"),
                Counted::None => assert_eq!(tone, "none", "{class}"),
            }
        }
    }

    #[test]
    fn every_glyph_is_in_the_sprite() {
        let sprite = include_str!("../../templates/sprite.html");
        let marks = Class::ALL.iter().map(|class| Mark::of_class(*class));
        for mark in marks.chain(State::ALL.iter().map(|state| Mark::of_state(*state))) {
            assert!(sprite.contains(&format!("id=\"g-{}\"", mark.glyph)), "{mark:?}");
        }
    }
}
