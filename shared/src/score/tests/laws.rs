//! Laws that hold for any listing.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::listings::{AS_OF, Seen, changes, probe, probes, seen};
use crate::listing::State;
use crate::methodology::score::WINDOW_S;
use crate::outcome::{Class, Counted};
use crate::reachability::Reachability;
use crate::score::availability::{Availability, chunks, total};
use crate::score::grade::Grade;
use crate::score::health::Inputs;
use crate::score::interval::wilson;
use crate::score::probe::Probe;
use crate::score::ranking::{Rated, Standing, order};
use crate::score::recompute::Input;
use crate::score::trust::{Feed, Observed, status_feed, terms, trust};
use crate::score::{latency, stability};

fn point_of(probes: &[Probe]) -> Option<Availability> {
    Availability::of(&total(&chunks(probes), AS_OF))
}

fn in_order(mut probes: Vec<Probe>) -> Vec<Probe> {
    probes.sort_by_key(|probe| (probe.slot, probe.started_s));
    probes
}

fn inputs() -> impl Strategy<Value = Inputs> {
    let one = || 0..=1_000_u32;
    (one(), one(), one(), one()).prop_map(|(availability, latency, protocol, stability)| Inputs {
        availability,
        latency,
        protocol,
        stability,
    })
}

fn standing() -> impl Strategy<Value = Standing> {
    let rated = (0..5_u32, prop::sample::select(Grade::ALL))
        .prop_map(|(lower_bound, grade)| Rated { lower_bound, grade });
    (
        prop::sample::select(State::ALL),
        prop::option::of(rated),
        prop::sample::select(Reachability::ALL),
        "[abAB]{1,2}",
        "[ab]{1,2}",
    )
        .prop_map(|(state, rated, reachability, name, slug)| Standing {
            state,
            rated,
            reachability,
            name,
            slug,
        })
}

proptest! {
    #[test]
    fn a_success_never_lowers_availability(probes in probes(200), age in 1..WINDOW_S) {
        let before = point_of(&in_order(probes.clone()));
        let mut more = probes;
        more.push(probe(age, Class::Up));
        let after = point_of(&in_order(more));
        prop_assert!(after.unwrap().point >= before.map_or(0, |before| before.point));
    }

    #[test]
    fn a_failure_never_raises_availability(probes in probes(200), age in 1..WINDOW_S) {
        let before = point_of(&in_order(probes.clone()));
        let mut more = probes;
        more.push(probe(age, Class::Http5xx));
        prop_assert!(point_of(&in_order(more)).unwrap().point <= before.map_or(1_000, |before| before.point));
    }

    #[test]
    fn a_vote_without_evidence_changes_nothing(seen in seen(), age in 1..WINDOW_S, class in prop::sample::select(Class::ALL)) {
        prop_assume!(class.counted() == Counted::None);
        let before = seen.scores();
        let mut more = seen;
        more.exact.push(probe(age, class));
        more.exact.sort_by_key(|probe| probe.started_s);
        prop_assert_eq!(more.scores(), before);
    }

    #[test]
    fn the_point_lies_in_its_interval(point in 0..=1_000_u32, effective in 0..200_000_u32, failed in any::<bool>()) {
        let point = if failed { point.min(999) } else { point };
        let bounds = wilson(point, effective, failed);
        prop_assert!(bounds.lo <= point && point <= bounds.hi && bounds.hi <= 1_000);
        prop_assert!(!failed || bounds.hi <= 999);
    }

    #[test]
    fn more_evidence_is_a_narrower_interval(point in 0..=1_000_u32, effective in 0..100_000_u32, more in 0..100_000_u32) {
        let width = |effective| {
            let bounds = wilson(point, effective, false);
            bounds.hi - bounds.lo
        };
        prop_assert!(width(effective + more) <= width(effective));
    }

    #[test]
    fn the_effective_sample_is_at_most_the_sample(probes in probes(300)) {
        if let Some(availability) = point_of(&in_order(probes)) {
            prop_assert!(availability.effective_tenths >= 10);
            prop_assert!(availability.effective_tenths <= availability.counted * 10);
            prop_assert!(availability.failures == 0 || availability.point <= 999);
        }
    }

    #[test]
    fn health_is_monotone_in_each_input(inputs in inputs(), more in 0..=1_000_u32) {
        let raised = |value: u32| (value + more).min(1_000);
        for other in [
            Inputs { availability: raised(inputs.availability), ..inputs },
            Inputs { latency: raised(inputs.latency), ..inputs },
            Inputs { protocol: raised(inputs.protocol), ..inputs },
            Inputs { stability: raised(inputs.stability), ..inputs },
        ] {
            prop_assert!(other.health() >= inputs.health());
            prop_assert!(other.thousandths() >= inputs.thousandths());
        }
        prop_assert!(inputs.health() <= 100);
    }

    /// Hiding an input is measuring it at the prior: no other weight moves.
    #[test]
    fn a_hidden_input_is_one_measured_at_the_prior(inputs in inputs(), prior in 0..=1_000_u32) {
        let of = |latency: Input, stability: Input| {
            Inputs { latency: latency.or(prior), stability: stability.or(prior), ..inputs }.health()
        };
        let own = (Input::Measured(inputs.latency), Input::Measured(inputs.stability));
        prop_assert_eq!(of(Input::Hidden, own.1), of(Input::Measured(prior), own.1));
        prop_assert_eq!(of(own.0, Input::Hidden), of(own.0, Input::Measured(prior)));
        prop_assert_eq!(of(own.0, own.1), inputs.health());
    }

    #[test]
    fn any_listing_has_figures_in_range(seen in seen()) {
        let scores = seen.scores();
        if let Some(point) = scores.point {
            prop_assert!(point.interval.lo <= point.availability.point);
            prop_assert!(point.availability.point <= point.interval.hi);
            let failed = point.availability.failures > 0;
            prop_assert!(!failed || point.interval.hi <= 999, "100 % with a failure");
        }
        if let Ok(health) = scores.health {
            prop_assert!(health.score <= 100 && health.lower_bound <= health.inputs.thousandths());
        }
        prop_assert!(scores.protocol <= 1_000);
        prop_assert!(scores.latency.or(0) <= 1_000 && scores.stability.or(0) <= 1_000);
    }

    /// Networks are read in the order of their names; whoever reports first, the record is the same.
    #[test]
    fn order_of_arrival_never_matters(exact in probes(150), edge in probes(150), seed in any::<u64>()) {
        let arrived = |mut probes: Vec<Probe>| {
            let length = probes.len().max(1);
            probes.rotate_left((seed % length as u64) as usize);
            probes.sort_by_key(|probe| (probe.started_s, probe.slot));
            probes
        };
        let of = |exact, edge| Seen {
            exact,
            edge,
            changes: Vec::new(),
            tier: crate::listing::Tier::Open,
            reachability: Reachability::Reachable,
            incident_open: false,
        };
        prop_assert_eq!(of(exact.clone(), edge.clone()).scores(), of(arrived(exact), arrived(edge)).scores());
    }

    /// Sums of chunks that are kept are those that are made afresh, whichever chunks are taken together.
    #[test]
    fn kept_sums_are_sums_made_afresh(probes in probes(300), age in 0..WINDOW_S) {
        let probes = in_order(probes);
        let whole = chunks(&probes);
        let mut kept = Vec::new();
        for of_chunk in probes.chunk_by(|one, other| crate::history::chunk_of(one.slot) == crate::history::chunk_of(other.slot)) {
            kept.extend(chunks(of_chunk));
        }
        prop_assert_eq!(total(&kept, AS_OF + age), total(&whole, AS_OF + age));
    }

    #[test]
    fn a_change_never_raises_stability(changes in changes(), age in 1..40 * 86_400_i64, kind in prop::sample::select(crate::drift::Kind::ALL)) {
        let before = stability::score(&changes, AS_OF);
        let mut more = changes.clone();
        more.push(stability::Change { at: AS_OF - age, kind, severity: kind.severity() });
        prop_assert!(stability::score(&more, AS_OF) <= before);
        let mut reversed = changes;
        reversed.reverse();
        prop_assert_eq!(stability::score(&reversed, AS_OF), before);
    }

    #[test]
    fn what_is_slower_never_scores_more(p50 in 0..10_000_u32) {
        prop_assert!(latency::score(p50 + 1) <= latency::score(p50));
        prop_assert!(latency::score(p50) <= 1_000);
    }

    /// Publishing a feed, whatever stands in it, costs nothing beside having none.
    #[test]
    fn a_feed_never_lowers_trust(observed in prop::array::uniform4(prop::option::of(0..=1_000_u32)), ours in 0..9_u32, agreeing in 0..9_u32, unseen in 0..9_u32) {
        let [registry, scorecard, continuity, contract] = observed;
        let without = Observed { registry, scorecard, continuity, contract, status_feed: None };
        let feed = Some(status_feed(Feed { ours, agreeing, unseen }));
        let with = Observed { status_feed: feed, ..without };
        prop_assert!(trust(&terms(with)) >= trust(&terms(without)));
    }

    #[test]
    fn ranking_is_a_total_order(standings in prop::array::uniform3(standing())) {
        let [a, b, c] = &standings;
        prop_assert_eq!(order(a, b), order(b, a).reverse());
        if order(a, b) != Ordering::Greater && order(b, c) != Ordering::Greater {
            prop_assert!(order(a, c) != Ordering::Greater);
        }
        if order(a, b) == Ordering::Equal {
            prop_assert_eq!(&a.slug, &b.slug);
        }
    }
}
