//! One vote as history keeps it.

use crate::outcome::{Class, Phase, Precision, Reason, Violation};
use crate::shape::Digest;
use crate::vote::{Identity, Vote};

/// What is kept of a vote for 35 days. Ordered by slot first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Whole minutes since the epoch.
    pub slot: u32,
    /// Seconds since the epoch.
    pub started_s: i64,
    pub class: Class,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub precision: Precision,
    pub http_status: Option<u16>,
    pub latency_ms: Option<u32>,
    pub tools_ok: Option<bool>,
    /// Bit n is the violation with code n.
    pub violations: u64,
    /// Three capital letters.
    pub colo: Option<[u8; 3]>,
    /// A session was ended with DELETE.
    pub session_ended: bool,
    pub identity: Option<Digest>,
    pub shape: Option<ShapeSeen>,
    /// Set by a rule that found the failure to be ours: the vote then reads as `vantage_error` with this reason, and
    /// the members above keep what was seen.
    pub excused: Option<Reason>,
}

/// The tools one vote listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShapeSeen {
    pub digest: Digest,
    /// False where the listing was cut short.
    pub complete: bool,
}

impl Record {
    /// The record of a vote. A colo that is not three capital letters is left out: check before.
    #[must_use]
    pub fn of(vote: &Vote) -> Self {
        Self {
            slot: vote.slot,
            started_s: vote.started_ms.div_euclid(1_000),
            class: vote.class,
            reason: vote.reason,
            phase: vote.phase,
            precision: vote.precision,
            http_status: vote.http_status,
            latency_ms: vote.latency_ms,
            tools_ok: vote.tools_ok,
            violations: vote.violations.iter().fold(0, |set, violation| set | 1 << (violation.code() & 63)),
            colo: vote.colo.as_deref().and_then(|colo| colo.as_bytes().try_into().ok()),
            session_ended: vote.learned.session_ended,
            identity: vote.identity.as_ref().map(identity_digest),
            shape: vote.shape.map(|shape| ShapeSeen { digest: shape.digest, complete: shape.complete }),
            excused: None,
        }
    }

    /// The class as published: what was seen, unless it was excused.
    #[must_use]
    pub const fn published_class(&self) -> Class {
        if self.excused.is_some() { Class::VantageError } else { self.class }
    }

    /// The reason as published.
    #[must_use]
    pub const fn published_reason(&self) -> Option<Reason> {
        if self.excused.is_some() { self.excused } else { self.reason }
    }

    /// Whether both are of the same vote; a later excuse does not make it another.
    #[must_use]
    pub fn same_vote(&self, other: &Self) -> bool {
        *self == Self { excused: self.excused, ..*other }
    }

    /// The violations by name. Codes this version does not know are left out.
    pub fn violations(&self) -> impl Iterator<Item = Violation> {
        let set = self.violations;
        Violation::ALL.iter().copied().filter(move |violation| set >> (violation.code() & 63) & 1 == 1)
    }
}

/// The digest that identities are stored under: of their JSON, whose members have a fixed order.
#[must_use]
pub fn identity_digest(identity: &Identity) -> Digest {
    Digest::of(&serde_json::to_vec(identity).unwrap_or_default())
}
