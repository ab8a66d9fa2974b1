//! Listings for tests: plain ones by hand, and any that may exist.

use proptest::prelude::*;

use crate::listing::{State, Tier};
use crate::methodology::score::WINDOW_S;
use crate::outcome::{Class, Precision};
use crate::reachability::Reachability;
use crate::score::grade::Coverage;
use crate::score::prior::Priors;
use crate::score::probe::{NetworkProbes, Probe};
use crate::score::recompute::{Scores, Subject, recompute};
use crate::score::stability::Change;
use crate::score::trust::Observed;

/// A whole minute, and a time at which everything is measured.
pub(crate) const AS_OF: i64 = 1_770_000_000;

/// A probe that started so many seconds before [`AS_OF`].
pub(crate) fn probe(age_s: i64, class: Class) -> Probe {
    let started_s = AS_OF - age_s;
    Probe {
        slot: (started_s / 60) as u32,
        interval_minutes: 5,
        started_s,
        class,
        reason: None,
        http_status: None,
        latency_ms: (class.counted() == crate::outcome::Counted::Success).then_some(412),
        front_door: None,
        complete_shape: (class == Class::Up).then_some(crate::shape::Digest([0; 8])),
    }
}

/// One probe every `interval_minutes`, over the whole window, ascending.
pub(crate) fn grid(interval_minutes: u32, class: impl Fn(usize) -> Class) -> Vec<Probe> {
    let step = 60 * i64::from(interval_minutes);
    let slots = (WINDOW_S / step) as usize;
    (0..slots)
        .rev()
        .map(|back| Probe { interval_minutes, ..probe(back as i64 * step + 1, class(back)) })
        .collect()
}

/// A listing that is open, active, reachable and measured for a hundred days.
pub(crate) fn subject(coverage: &[Coverage]) -> Subject<'_> {
    Subject {
        as_of: AS_OF,
        tier: Tier::Open,
        tier_from_slot: 0,
        state: State::Active,
        reachability: Reachability::Reachable,
        incident_open: false,
        first_counted_s: Some(AS_OF - 100 * 86_400),
        coverage,
        changes: &[],
        priors: Priors::FIRST,
        trust: Observed::default(),
        reports_disagree: false,
    }
}

pub(crate) fn network<'a>(name: &'a str, precision: Precision, probes: &'a [Probe]) -> NetworkProbes<'a> {
    NetworkProbes { name, precision, probes }
}

/// What was seen from one exact network and, where there are probes of it, an edge one.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) exact: Vec<Probe>,
    pub(crate) edge: Vec<Probe>,
    pub(crate) changes: Vec<Change>,
    pub(crate) tier: Tier,
    pub(crate) reachability: Reachability,
    pub(crate) incident_open: bool,
}

impl Seen {
    pub(crate) fn scores(&self) -> Scores {
        let networks = [
            network("cf-edge", Precision::Edge, &self.edge),
            network("tools-centralindia", Precision::Exact, &self.exact),
        ];
        let coverage = [Coverage { slots: 2_016, counted: 2_016, ..Coverage::default() }];
        let subject = Subject {
            tier: self.tier,
            reachability: self.reachability,
            incident_open: self.incident_open,
            changes: &self.changes,
            ..subject(&coverage)
        };
        recompute(&subject, &networks)
    }
}

fn any_probe() -> impl Strategy<Value = Probe> {
    (1..8 * 86_400_i64, prop::sample::select(Class::ALL), prop::option::of(0..6_000_u32), any::<bool>())
        .prop_map(|(age, class, latency_ms, complete)| {
            let mut probe = probe(age, class);
            probe.latency_ms = latency_ms.filter(|_| probe.is_success());
            probe.complete_shape = probe.complete_shape.filter(|_| complete);
            probe
        })
}

/// Probes in order, one a slot.
pub(crate) fn probes(at_most: usize) -> impl Strategy<Value = Vec<Probe>> {
    prop::collection::vec(any_probe(), 0..at_most).prop_map(|mut probes| {
        probes.sort_by_key(|probe| probe.started_s);
        probes.dedup_by_key(|probe| probe.slot);
        probes
    })
}

pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let one = (0..40 * 86_400_i64, prop::sample::select(crate::drift::Kind::ALL))
        .prop_map(|(age, kind)| Change { at: AS_OF - age, kind, severity: kind.severity() });
    prop::collection::vec(one, 0..12)
}

prop_compose! {
    pub(crate) fn seen()(
        exact in probes(300),
        edge in probes(200),
        changes in changes(),
        tier in prop::sample::select(Tier::ALL),
        reachability in prop::sample::select(Reachability::ALL),
        incident_open in any::<bool>(),
    ) -> Seen {
        Seen { exact, edge, changes, tier, reachability, incident_open }
    }
}
