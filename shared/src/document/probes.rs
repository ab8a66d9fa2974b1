//! One row of `probes.ndjson`: a vote as published, with all that the scores read of it.

use serde::{Deserialize, Serialize};

use crate::history::Record;
use crate::outcome::{Class, FrontDoor, Phase, Precision, Reason, Violation};
use crate::score::Probe;
use crate::shape::Digest;
use crate::timestamp::Timestamp;

/// A vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRow {
    pub network: String,
    pub precision: Precision,
    /// The grid time it belongs to.
    pub slot: Timestamp,
    /// Minutes between slots, in force in this one.
    pub interval_minutes: u32,
    /// Start of the probe.
    pub at: Timestamp,
    #[serde(rename = "classification")]
    pub class: Class,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub http_status: Option<u16>,
    pub latency_ms: Option<u32>,
    pub tools_ok: Option<bool>,
    pub violations: Vec<Violation>,
    /// How the front door looked to this vote.
    pub front_door: Option<FrontDoor>,
    /// The shape of the tools this vote listed.
    pub shape: Option<Digest>,
    /// Whether that listing is complete; null without one.
    pub complete: Option<bool>,
    /// Where an edge network probed from.
    pub colo: Option<String>,
}

impl ProbeRow {
    /// A stored vote of a network, with the interval of its slot and the front door of its identity.
    #[must_use]
    pub fn of(network: &str, record: &Record, interval_minutes: u32, front_door: Option<FrontDoor>) -> Self {
        let shape = record.shape;
        Self {
            network: network.to_owned(),
            precision: record.precision,
            slot: Timestamp::from_seconds(60 * i64::from(record.slot)),
            interval_minutes,
            at: Timestamp::from_seconds(record.started_s),
            class: record.published_class(),
            reason: record.published_reason(),
            phase: record.phase,
            http_status: record.http_status,
            latency_ms: record.latency_ms,
            tools_ok: record.tools_ok,
            violations: record.violations().collect(),
            front_door,
            shape: shape.map(|shape| shape.digest),
            complete: shape.map(|shape| shape.complete),
            colo: record.colo.map(|colo| String::from_utf8_lossy(&colo).into_owned()),
        }
    }

    /// What the scores read of it.
    #[must_use]
    pub fn probe(&self) -> Probe {
        Probe {
            slot: u32::try_from(self.slot.seconds().div_euclid(60)).unwrap_or(0),
            interval_minutes: self.interval_minutes.max(1),
            started_s: self.at.seconds(),
            class: self.class,
            reason: self.reason,
            http_status: self.http_status,
            latency_ms: self.latency_ms,
            front_door: self.front_door,
            complete_shape: self.shape.filter(|_| self.complete == Some(true)),
        }
    }
}
