//! One stored probe as the scores read it, and as `probes.ndjson` publishes it.

use crate::history::Record;
use crate::outcome::{Class, Counted, FrontDoor, Precision, Reason};
use crate::shape::Digest;

/// What one vote says to the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Whole minutes since the epoch.
    pub slot: u32,
    /// Minutes between slots, in force in this one; at least 1.
    pub interval_minutes: u32,
    /// Seconds since the epoch.
    pub started_s: i64,
    /// As published: a vote that was excused is `vantage_error`.
    pub class: Class,
    pub reason: Option<Reason>,
    pub http_status: Option<u16>,
    pub latency_ms: Option<u32>,
    /// How the front door looked to this vote.
    pub front_door: Option<FrontDoor>,
    /// The tools listed, where the listing is complete.
    pub complete_shape: Option<Digest>,
}

impl Probe {
    /// A stored vote, with the interval of its slot and the front door of its identity.
    #[must_use]
    pub fn of(record: &Record, interval_minutes: u32, front_door: Option<FrontDoor>) -> Self {
        Self {
            slot: record.slot,
            interval_minutes: interval_minutes.max(1),
            started_s: record.started_s,
            class: record.published_class(),
            reason: record.published_reason(),
            http_status: record.http_status,
            latency_ms: record.latency_ms,
            front_door,
            complete_shape: record.shape.filter(|shape| shape.complete).map(|shape| shape.digest),
        }
    }

    /// Whether it counts, and as what.
    #[must_use]
    pub const fn counted(&self) -> Counted {
        self.class.counted()
    }

    /// Evidence, either way.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        !matches!(self.counted(), Counted::None)
    }

    /// Evidence that a client could open a conversation.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.counted(), Counted::Success)
    }

    /// Evidence that it could not.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self.counted(), Counted::Failure)
    }

    /// The server declined to be measured.
    #[must_use]
    pub const fn is_declined(&self) -> bool {
        matches!(self.class, Class::Refused | Class::RateLimited)
    }

    /// Seconds from its start for which it is valid.
    #[must_use]
    pub fn validity_s(&self) -> i64 {
        i64::from(crate::schedule::validity_s(self.interval_minutes))
    }

    /// Whether its validity has not ended at `as_of`, and it counts.
    #[must_use]
    pub fn is_valid(&self, as_of: i64) -> bool {
        self.is_counted() && self.started_s <= as_of && as_of - self.started_s < self.validity_s()
    }
}

/// All votes of one network about one listing, as far back as they are needed.
#[derive(Debug, Clone, Copy)]
pub struct NetworkProbes<'a> {
    pub name: &'a str,
    pub precision: Precision,
    /// In order of their start.
    pub probes: &'a [Probe],
}

impl<'a> NetworkProbes<'a> {
    /// The votes that started in `from <= start < until`.
    #[must_use]
    pub fn between(&self, from: i64, until: i64) -> &'a [Probe] {
        let first = self.probes.partition_point(|probe| probe.started_s < from);
        let end = self.probes.partition_point(|probe| probe.started_s < until);
        self.probes.get(first..end.max(first)).unwrap_or(&[])
    }
}
