//! Trust: where the endpoint comes from, not how good its vendor is. (section 5)

use crate::methodology::score::{CONTINUITY_S, TRUST_AFTER_S, TRUST_IMPUTED};
use crate::words::word_enum;

use super::round::thousandths;

word_enum! {
    /// The terms of trust.
    Term {
        Registry = 1 "registry",
        Scorecard = 2 "scorecard",
        Continuity = 3 "continuity",
        Contract = 4 "contract",
        StatusFeed = 5 "status_feed",
    }
}

impl Term {
    /// Points that a value of 1 is worth; 100 in all.
    #[must_use]
    pub const fn points(self) -> u32 {
        match self {
            Self::Registry => 30,
            Self::Scorecard => 25,
            Self::Continuity => 20,
            Self::Contract => 15,
            Self::StatusFeed => 10,
        }
    }
}

/// What was observed of each term, in thousandths; none where it could not be, or its collector has not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Observed {
    pub registry: Option<u32>,
    pub scorecard: Option<u32>,
    pub continuity: Option<u32>,
    pub contract: Option<u32>,
    pub status_feed: Option<u32>,
}

impl Observed {
    const fn of(self, term: Term) -> Option<u32> {
        match term {
            Term::Registry => self.registry,
            Term::Scorecard => self.scorecard,
            Term::Continuity => self.continuity,
            Term::Contract => self.contract,
            Term::StatusFeed => self.status_feed,
        }
    }
}

/// A term as published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    pub term: Term,
    /// Thousandths.
    pub value: u32,
    /// Not observed: half is assumed.
    pub imputed: bool,
}

/// Every term with its value.
#[must_use]
pub fn terms(observed: Observed) -> Vec<Scored> {
    let scored = |term: &Term| match observed.of(*term) {
        Some(value) => Scored { term: *term, value: value.min(1_000), imputed: false },
        None => Scored { term: *term, value: TRUST_IMPUTED, imputed: true },
    };
    Term::ALL.iter().map(scored).collect()
}

/// Trust, 0 to 100: the points of the values, rounded half up.
#[must_use]
pub fn trust(terms: &[Scored]) -> u32 {
    let sum: u32 = terms.iter().map(|scored| scored.term.points() * scored.value).sum();
    (sum + 500) / 1_000
}

/// Whether the URL has been measured long enough, its first counted vote being so many seconds back.
#[must_use]
pub const fn is_due(observed_s: i64) -> bool {
    observed_s >= TRUST_AFTER_S
}

/// Continuity, in thousandths: a hundred and eighty days are worth all.
#[must_use]
pub fn continuity(observed_s: i64) -> u32 {
    thousandths((observed_s.max(0) as f64 / CONTINUITY_S as f64).min(1.0))
}

/// The contract term, in thousandths: the share of breaking changes that were announced; without one, everything.
#[must_use]
pub fn contract(breaking: u32, announced: u32) -> u32 {
    match breaking {
        0 => 1_000,
        _ => thousandths(f64::from(announced.min(breaking)) / f64::from(breaking)),
    }
}

/// What an operator's status feed said beside what we saw, over 90 days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Feed {
    /// Our incidents of 30 minutes or more.
    pub ours: u32,
    /// Those of them with an incident of the feed within 30 minutes.
    pub agreeing: u32,
    /// Outages of the feed during which we saw only successes.
    pub unseen: u32,
}

/// The status feed term, in thousandths: a feed can only keep or raise the half that is assumed without one.
#[must_use]
pub fn status_feed(feed: Feed) -> u32 {
    match feed.ours.saturating_add(feed.unseen) {
        0 => TRUST_IMPUTED,
        all => thousandths(f64::from(feed.agreeing.min(feed.ours)) / f64::from(all)).max(TRUST_IMPUTED),
    }
}
