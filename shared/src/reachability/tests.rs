//! Schedules by hand, and any schedule against a slow reference that starts anew at every moment.

use proptest::prelude::*;

use super::{Reachability, StateChange, Timeline, timeline};
use crate::outcome::{Class, Precision};
use crate::score::probe::{NetworkProbes, Probe};

const T: i64 = 6_000_000;

/// A probe of an open listing that started at this second.
fn probe(at: i64, class: Class) -> Probe {
    Probe {
        slot: (at / 60) as u32,
        interval_minutes: 5,
        started_s: at,
        class,
        reason: None,
        http_status: None,
        latency_ms: None,
        front_door: None,
        complete_shape: None,
    }
}

/// Probes from a text of one letter each, 300 s apart from `T` on: `+` success, `-` failure, `?` no evidence, ` ` none.
fn seen(text: &str, offset_s: i64) -> Vec<Probe> {
    let class = |letter| match letter {
        '+' => Some(Class::Up),
        '-' => Some(Class::Timeout),
        '?' => Some(Class::Refused),
        _ => None,
    };
    (0..)
        .zip(text.chars())
        .filter_map(|(place, letter)| Some(probe(T + 300 * place + offset_s, class(letter)?)))
        .collect()
}

fn exact(probes: &[Probe]) -> NetworkProbes<'_> {
    NetworkProbes { name: "exact", precision: Precision::Exact, probes }
}

fn edge(probes: &[Probe]) -> NetworkProbes<'_> {
    NetworkProbes { name: "edge", precision: Precision::Edge, probes }
}

/// Both networks, the edge 100 s behind, as of the end of the texts.
fn of(exact_text: &str, edge_text: &str) -> Timeline {
    let end = T + 300 * exact_text.len().max(edge_text.len()) as i64;
    let (one, other) = (seen(exact_text, 0), seen(edge_text, 100));
    timeline(&[edge(&other), exact(&one)], end)
}

use Reachability::{Reachable, Unknown, Unreachable};

#[test]
fn states_of_two_networks() {
    let table = [
        ("", "", Unknown),
        ("+", "", Reachable),
        ("-", "", Unknown),
        ("--", "", Unreachable),
        ("+-", "", Reachable),
        ("+--", "", Unreachable),
        ("+--", "+++", Reachable),
        ("+--", "++-", Reachable),
        ("+--", "+--", Unreachable),
        ("+-+-+-+-", "--------", Reachable),
        ("--+", "---", Reachable),
        ("---", "--+", Reachable),
        // No evidence changes nothing and lies between nothing.
        ("+-?-", "", Unreachable),
        ("+??????????", "", Unknown),
        ("????", "????", Unknown),
        // One network has gone silent: the other alone decides, if it can tell.
        ("+--          ", "+            ", Unknown),
        ("+          --", "+            ", Unreachable),
        // The edge alone may say that it works, never that it does not.
        ("+            ", "+++++++++++++", Reachable),
        ("+            ", "+------------", Unknown),
        ("", "--", Unknown),
        ("", "++", Reachable),
    ];
    for (exact_text, edge_text, expected) in table {
        let seen = of(exact_text, edge_text);
        assert_eq!(seen.state, expected, "exact {exact_text:?}, edge {edge_text:?}: {seen:#?}");
    }
}

#[test]
fn the_edge_alone_is_said() {
    assert!(of("+            ", "+------------").edge_alone);
    assert!(!of("+----", "+----").edge_alone);
    let only_edge = seen("--", 0);
    let seen = timeline(&[edge(&only_edge)], T + 600);
    assert_eq!((seen.state, seen.edge_alone), (Unreachable, false), "no exact network is configured");
}

#[test]
fn two_failures_in_one_minute_are_one() {
    for (apart, expected) in [(59, Unknown), (60, Unreachable)] {
        let probes = [probe(T, Class::Timeout), probe(T + apart, Class::Timeout)];
        assert_eq!(timeline(&[exact(&probes)], T + 100).state, expected, "{apart} s apart");
    }
}

#[test]
fn silence_ends_a_state_to_the_second() {
    let probes = seen("+", 0);
    let at = |seconds| timeline(&[exact(&probes)], T + seconds);
    assert_eq!(at(2_999).state, Reachable);
    let unknown = at(3_000);
    assert_eq!((unknown.state, unknown.since_s), (Unknown, Some(T + 3_000)));
    assert_eq!(at(-1).state, Unknown, "the future says nothing");
    assert_eq!(at(90_000).since_s, Some(T + 3_000), "it is unknown since the vote ended");
}

#[test]
fn a_silent_network_can_leave_the_other_one_to_decide() {
    // The exact one fails all the time; the edge's last success ends at T + 400 + 3,000.
    let (one, other) = (seen("+-------------", 0), seen("++", 100));
    let seen = timeline(&[edge(&other), exact(&one)], T + 300 * 14);
    assert_eq!(
        seen.changes,
        [StateChange { at: T, state: Reachable }, StateChange { at: T + 400 + 3_000, state: Unreachable },]
    );
    assert_eq!(seen.incidents[0].started_s, T + 600, "since the first failure after the last success");
    assert_eq!(seen.incidents[0].decided_by.len(), 1);
}

#[test]
fn incidents_begin_with_the_first_failure_and_end_with_a_success() {
    let seen = of("++---+--+-++--", "");
    let told: Vec<_> = seen
        .incidents
        .iter()
        .map(|incident| {
            let place = |at: i64| (at - T) / 300;
            (place(incident.started_s), place(incident.detected_s), incident.ended_s.map(place))
        })
        .collect();
    assert_eq!(told, [(2, 3, Some(5)), (6, 7, Some(8)), (12, 13, None)]);
    assert!(seen.open_incident().is_some());
    assert_eq!(seen.incidents[0].classes, [Class::Timeout]);
}

#[test]
fn an_unknown_stretch_neither_opens_nor_closes_an_incident() {
    let seen = of("+--            --+", "");
    assert_eq!(seen.incidents.len(), 1);
    let states: Vec<_> = seen.changes.iter().map(|change| change.state).collect();
    assert_eq!(states, [Reachable, Unreachable, Unknown, Unreachable, Reachable]);
}

#[test]
fn recovery_is_unconfirmed_until_two_of_three_succeeded() {
    for (text, unconfirmed) in [
        ("+", false),
        ("--+", true),
        ("--++", false),
        ("--+-", true),
        ("--+-+", false),
        ("--+-+-", false),
        ("--++--+", true),
        ("--            +", true),
    ] {
        let seen = of(text, "");
        assert_eq!((seen.state, seen.unconfirmed), (Reachable, unconfirmed), "{text}");
    }
    assert!(!of("--", "").unconfirmed);
}

#[test]
fn a_network_that_fails_alone_is_named() {
    let seen = of("++++", "+---");
    assert_eq!(seen.state, Reachable);
    assert_eq!(seen.partly_failing.len(), 1);
    let partly = seen.partly_failing[0];
    assert_eq!((partly.network, partly.since_s), (0, T + 400));
    assert_eq!(of("++++", "++-+").partly_failing, []);
    assert_eq!(of("+---", "+---").partly_failing, [], "unreachable says it all");
}

#[test]
fn three_networks_are_the_same_rule() {
    let (one, two, three) = (seen("+--", 0), seen("+--", 100), seen("+-+", 200));
    let all = [exact(&one), edge(&two), NetworkProbes { name: "third", ..exact(&three) }];
    assert_eq!(timeline(&all, T + 900).state, Reachable);
    assert_eq!(timeline(&all[..2], T + 900).state, Unreachable);
}

/// The rule read literally, from all votes, at every moment anew.
fn reference(networks: &[NetworkProbes<'_>], as_of: i64) -> Vec<StateChange> {
    let counted = |network: &NetworkProbes<'_>, until: i64| -> Vec<Probe> {
        let mut probes: Vec<Probe> = network
            .probes
            .iter()
            .filter(|probe| probe.is_counted() && probe.started_s <= until)
            .copied()
            .collect();
        probes.sort_by_key(|probe| (probe.started_s, probe.slot));
        probes
    };
    let mut moments: Vec<i64> = networks
        .iter()
        .flat_map(|network| counted(network, as_of))
        .flat_map(|probe| [probe.started_s, probe.started_s + probe.validity_s()])
        .filter(|moment| *moment <= as_of)
        .collect();
    moments.sort_unstable();
    moments.dedup();
    let mut state = Unknown;
    let mut changes = Vec::new();
    for moment in moments {
        let by_network: Vec<(Precision, Vec<Probe>)> =
            networks.iter().map(|network| (network.precision, counted(network, moment))).collect();
        let with_a_valid_vote: Vec<&(Precision, Vec<Probe>)> = by_network
            .iter()
            .filter(|(_, probes)| probes.iter().any(|probe| probe.is_valid(moment)))
            .collect();
        let condemned = |probes: &[Probe]| match probes {
            [.., one, other] => {
                one.is_failure()
                    && other.is_failure()
                    && one.is_valid(moment)
                    && other.is_valid(moment)
                    && other.started_s - one.started_s >= 60
            }
            _ => false,
        };
        let unreachable =
            !with_a_valid_vote.is_empty() && with_a_valid_vote.iter().all(|(_, probes)| condemned(probes));
        let exact_configured = networks.iter().any(|network| network.precision == Precision::Exact);
        let only_edge = with_a_valid_vote.iter().all(|(precision, _)| *precision == Precision::Edge);
        let newest = by_network
            .iter()
            .enumerate()
            .flat_map(|(place, (_, probes))| probes.iter().map(move |probe| (probe.started_s, place, probe)))
            .max_by_key(|(started, place, probe)| (*started, *place, probe.slot));
        let blind = with_a_valid_vote.is_empty() || unreachable && only_edge && exact_configured;
        let next = if blind {
            Unknown
        } else if newest.is_some_and(|(_, _, probe)| probe.is_success()) {
            Reachable
        } else if unreachable {
            Unreachable
        } else {
            state
        };
        if next != state {
            state = next;
            changes.push(StateChange { at: moment, state });
        }
    }
    changes
}

fn schedule() -> impl Strategy<Value = Vec<Probe>> {
    let classes = [Class::Up, Class::Up, Class::Timeout, Class::Http5xx, Class::Refused, Class::VantageError];
    let one = (0..60_i64, 0..300_i64, prop::sample::select(classes.to_vec()));
    prop::collection::vec(one, 0..40).prop_map(|votes| {
        let mut probes: Vec<Probe> = votes
            .into_iter()
            .map(|(slot, late, class)| Probe {
                slot: ((T + 300 * slot) / 60) as u32,
                ..probe(T + 300 * slot + late, class)
            })
            .collect();
        probes.sort_by_key(|probe| probe.started_s);
        probes.dedup_by_key(|probe| probe.slot);
        // No two of one network start in the same second.
        probes.dedup_by_key(|probe| probe.started_s);
        probes
    })
}

proptest! {
    #[test]
    fn the_machine_is_the_reference(one in schedule(), other in schedule(), third in schedule(), configured in 1..4_usize, end in 0..25_000_i64) {
        let all = [edge(&one), exact(&other), NetworkProbes { name: "third", ..exact(&third) }];
        let networks = &all[..configured];
        prop_assert_eq!(timeline(networks, T + end).changes, reference(networks, T + end));
    }

    /// As votes arrive late and in any order, the record ends the same: it is read in order of their starts.
    #[test]
    fn a_later_look_does_not_change_the_past(one in schedule(), other in schedule(), end in 0..25_000_i64, more in 0..5_000_i64) {
        let networks = [edge(&one), exact(&other)];
        let (now, later) = (timeline(&networks, T + end), timeline(&networks, T + end + more));
        prop_assert_eq!(&later.changes[..now.changes.len()], &now.changes[..]);
        prop_assert!(later.incidents.len() >= now.incidents.len());
    }

    #[test]
    fn incidents_are_apart_and_in_order(one in schedule(), other in schedule()) {
        let incidents = timeline(&[edge(&one), exact(&other)], T + 30_000).incidents;
        for pair in incidents.windows(2) {
            prop_assert!(pair[0].ended_s.is_some_and(|end| end <= pair[1].started_s));
        }
        for incident in &incidents {
            prop_assert!(incident.started_s <= incident.detected_s);
            prop_assert!(!incident.decided_by.is_empty() && !incident.classes.is_empty());
        }
    }

    #[test]
    fn one_network_never_makes_two_unreachable(one in schedule()) {
        // The other one succeeds all the time.
        let good: Vec<Probe> = (0..100).map(|place| probe(T + 300 * place, Class::Up)).collect();
        let seen = timeline(&[edge(&one), exact(&good)], T + 30_000);
        prop_assert_eq!(seen.incidents.len(), 0);
    }
}
