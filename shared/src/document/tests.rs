//! A published document is redone to the same figures, and every figure that is not its own is found.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::probes::ProbeRow;
use super::reproduce::{Check, PublishedTool, Unreproducible, from_document, from_probes};
use super::scores::{Context, ScoreMembers};
use crate::drift::{Event, Kind, Standing};
use crate::listing::{State, Tier};
use crate::outcome::{Class, FrontDoor, Precision, Reason};
use crate::reachability::timeline;
use crate::schedule::{Cadence, Segment};
use crate::score::Probe;
use crate::score::coverage::coverage;
use crate::score::probe::NetworkProbes;
use crate::score::recompute::{Subject, recompute};
use crate::score::stability::Change;
use crate::score::tests::listings::{AS_OF, grid, network, probe, subject};
use crate::shape::Digest;

/// A listing as published, with its probes.
struct Published {
    tool: Value,
    rows: Vec<ProbeRow>,
}

/// Publishes what was seen of a listing from an exact network and an edge one.
fn publish(tier: Tier, exact: &[Probe], edge: &[Probe], events: &[Event]) -> Published {
    let networks =
        [network("cf-edge", Precision::Edge, edge), network("tools-centralindia", Precision::Exact, exact)];
    let from = (AS_OF / 60) as u32 - 15 * 1_440;
    let interval_minutes = if tier == Tier::Gated { 30 } else { 5 };
    let cadence = Cadence::new(vec![Segment { from_slot: from, interval_minutes }]);
    let coverage: Vec<_> =
        networks.iter().filter_map(|network| coverage(&cadence, network.probes, AS_OF)).collect();
    let timeline = timeline(&networks, AS_OF);
    let changes: Vec<Change> = events.iter().map(Event::scored).collect();
    let subject = Subject {
        tier,
        reachability: timeline.state,
        incident_open: timeline.open_incident().is_some(),
        changes: &changes,
        ..subject(&coverage)
    };
    let scores = recompute(&subject, &networks);
    let context = Context {
        networks: &networks,
        covered: &[0, 1],
        timeline: &timeline,
        events,
        shape: Some((Digest([7; 8]), Some(3))),
        field_reports: false,
        rank: Some(4),
    };
    let mut tool = serde_json::to_value(ScoreMembers::of(&subject, &scores, &context)).unwrap();
    for (member, value) in [
        ("formula_version", json!(crate::methodology::FORMULA_VERSION)),
        ("as_of", json!(crate::timestamp::Timestamp::from_seconds(AS_OF))),
        ("tier", json!(tier)),
        ("state", json!(State::Active)),
        ("a_member_of_later_days", json!({"x": 1})),
    ] {
        tool[member] = value;
    }
    Published { tool, rows: rows(&networks) }
}

fn rows(networks: &[NetworkProbes<'_>]) -> Vec<ProbeRow> {
    let row = |network: &NetworkProbes<'_>, probe: &Probe| ProbeRow {
        network: network.name.to_owned(),
        precision: network.precision,
        slot: crate::timestamp::Timestamp::from_seconds(60 * i64::from(probe.slot)),
        interval_minutes: probe.interval_minutes,
        at: crate::timestamp::Timestamp::from_seconds(probe.started_s),
        class: probe.class,
        reason: probe.reason,
        phase: None,
        http_status: probe.http_status,
        latency_ms: probe.latency_ms,
        tools_ok: None,
        violations: Vec::new(),
        front_door: probe.front_door,
        shape: probe.complete_shape,
        complete: probe.complete_shape.map(|_| true),
        colo: None,
    };
    networks.iter().flat_map(|network| network.probes.iter().map(move |probe| row(network, probe))).collect()
}

/// An open listing that mostly answers and changed once.
fn open() -> Published {
    let class = |back: usize| match back {
        50 | 51 => Class::Timeout,
        300 => Class::RateLimited,
        700 => Class::Degraded,
        _ => Class::Up,
    };
    let exact: Vec<Probe> = (0..)
        .zip(grid(5, class))
        .map(|(place, probe)| Probe {
            latency_ms: probe.latency_ms.map(|_| 350 + place % 200),
            reason: (probe.class == Class::Degraded).then_some(Reason::ToolsFailed),
            ..probe
        })
        .collect();
    let edge = grid(5, |back| if back == 50 { Class::Timeout } else { Class::Up });
    let event = |age: i64, kind, standing| Event {
        at: AS_OF - age,
        kind,
        tool: "search".to_owned(),
        tool_id: Some(Digest([1; 8])),
        before: None,
        after: Some(Digest([2; 8])),
        networks: vec!["tools-centralindia".to_owned()],
        standing,
    };
    let events = [
        event(259_200, Kind::ToolAdded, Standing::Scored),
        event(300_000, Kind::DescriptionChanged, Standing::SelfChanging),
    ];
    publish(Tier::Open, &exact, &edge, &events)
}

fn gated() -> Published {
    let door = |probe: Probe| Probe { front_door: Some(FrontDoor::Partial), latency_ms: None, ..probe };
    let exact: Vec<Probe> = grid(30, |_| Class::AuthRequired).into_iter().map(door).collect();
    publish(Tier::Gated, &exact, &[], &[])
}

fn read(tool: &Value) -> PublishedTool {
    serde_json::from_value(tool.clone()).unwrap()
}

fn differing(checks: &[Check]) -> Vec<&'static str> {
    checks.iter().filter(|check| !check.is_equal()).map(|check| check.figure).collect()
}

#[test]
fn a_document_redoes_itself() {
    for (name, published) in [
        ("open", open()),
        ("gated", gated()),
        ("never measured", publish(Tier::Open, &[], &[], &[])),
        ("down", publish(Tier::Open, &grid(5, |_| Class::Timeout), &[], &[])),
        ("never answered", publish(Tier::Unknown, &grid(5, |_| Class::NotMcp), &[], &[])),
        ("from the edge alone", publish(Tier::Open, &[], &grid(5, |_| Class::Up), &[])),
        ("few votes", publish(Tier::Open, &grid(5, |_| Class::Up)[1_950..], &[], &[])),
    ] {
        let tool = read(&published.tool);
        let checks = from_document(&tool).unwrap();
        assert_eq!(differing(&checks), Vec::<&str>::new(), "{name}: {checks:#?}");
        let checks = from_probes(&tool, &published.rows).unwrap();
        assert_eq!(differing(&checks), Vec::<&str>::new(), "{name} from its probes: {checks:#?}");
    }
}

#[test]
fn the_document_is_what_the_method_promises() {
    let tool = open().tool;
    assert_eq!(tool["availability"]["pct"], json!(99.7));
    assert_eq!(tool["availability"]["window_days"], json!(7));
    assert_eq!(tool["schema"]["changes_30d"][0]["severity"], json!(0.15));
    assert_eq!(tool["schema"]["changes_30d"][1]["severity"], json!(0.0));
    assert_eq!(tool["health"]["priors_used"], json!([]));
    assert_eq!(tool["rank"], json!(4));
    assert_eq!(tool["unscored"], Value::Null);
    let gated = gated().tool;
    assert_eq!(gated["health"]["priors_used"], json!(["latency", "stability"]));
    assert_eq!(gated["health"]["inputs"]["protocol"], json!(500));
    let few = publish(Tier::Open, &grid(5, |_| Class::Up)[1_954..], &[], &[]).tool;
    assert_eq!(few["health"], Value::Null);
    assert_eq!(few["evidence"]["grade"], Value::Null);
    assert_eq!(few["unscored"]["why"], json!("unrated"));
    assert_eq!(few["unscored"]["progress"], json!("62 of 100 counted votes, 0.2 of 3 days"));
}

#[test]
fn every_figure_that_is_not_its_own_is_found() {
    let table = [
        ("/availability/ci95/0", json!(99.9), vec!["availability.ci95", "health.lower_bound"]),
        ("/availability/n_effective", json!(10.0), vec!["availability.ci95", "evidence.grade"]),
        ("/health/inputs/availability", json!(1), vec!["health.inputs.availability", "health.score"]),
        ("/health/score", json!(1), vec!["health.score"]),
        ("/health/lower_bound", json!(1.0), vec!["health.lower_bound"]),
        ("/latency_ms/p50", json!(2_000), vec!["health.inputs.latency"]),
        ("/protocol_from/classification", json!("degraded"), vec!["health.inputs.protocol"]),
        ("/reachability/state", json!("unreachable"), vec!["health.inputs.protocol"]),
        ("/schema/changes_30d/0/severity", json!(1.0), vec!["health.inputs.stability"]),
        ("/trust/score", json!(100), vec!["trust.score"]),
        ("/trust/terms/0/value", json!(1.0), vec!["trust.score"]),
        ("/evidence/grade", json!("C"), vec!["evidence.grade"]),
        ("/evidence/networks/0/counted", json!(0), vec!["evidence.grade"]),
        ("/state", json!("frozen"), vec!["unscored.why"]),
    ];
    for (place, value, expected) in table {
        let mut tool = open().tool;
        let member = tool.pointer_mut(place).unwrap_or_else(|| panic!("{place} is in the document"));
        assert_ne!(*member, value, "{place}");
        *member = value;
        let mut seen = differing(&from_document(&read(&tool)).unwrap());
        let mut expected = expected;
        // Health follows from the input as it is published.
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{place}");
    }
}

#[test]
fn probes_that_are_not_the_documents_are_found() {
    let Published { tool, rows } = open();
    let tool = read(&tool);
    let changed = |change: &dyn Fn(&mut Vec<ProbeRow>)| {
        let mut rows = rows.clone();
        change(&mut rows);
        from_probes(&tool, &rows).map(|checks| differing(&checks))
    };
    let found = |figure: &str, change: &dyn Fn(&mut Vec<ProbeRow>)| {
        assert!(changed(change).unwrap().contains(&figure), "{figure}");
    };
    found("availability", &|rows| rows.truncate(rows.len() - 3));
    found("availability", &|rows| rows.iter_mut().take(3_000).for_each(|row| row.class = Class::Timeout));
    found("latency_ms", &|rows| rows.iter_mut().for_each(|row| row.latency_ms = Some(1)));
    found("protocol_from", &|rows| {
        if let Some(last) = rows.last_mut() {
            last.class = Class::NotMcp;
        }
    });
    found("evidence.networks.counted", &|rows| rows.retain(|row| row.network != "cf-edge"));
    assert!(matches!(changed(&|rows| rows.reverse()), Err(Unreproducible::Unordered(_))));
    assert!(matches!(changed(&|rows| rows.clear()), Err(Unreproducible::OutsideWindow { .. })));
    let long_ago = |rows: &mut Vec<ProbeRow>| {
        rows.iter_mut().for_each(|row| {
            row.at = crate::timestamp::Timestamp::from_seconds(row.at.seconds() - 10_000_000);
        });
    };
    assert!(matches!(changed(&long_ago), Err(Unreproducible::OutsideWindow { .. })));
}

#[test]
fn another_formula_is_not_redone() {
    let mut tool = open().tool;
    tool["formula_version"] = json!("1.0.9");
    assert!(from_document(&read(&tool)).is_ok(), "wording moves no number");
    for version in ["1.1.0", "2.0.0", "", "x"] {
        tool["formula_version"] = json!(version);
        let fault = from_document(&read(&tool)).unwrap_err();
        assert_eq!(fault, Unreproducible::OtherVersion(version.to_owned()));
    }
}

#[test]
fn a_row_is_the_vote_it_is_of() {
    let record = crate::history::Record {
        slot: 100,
        started_s: 6_003,
        class: Class::Timeout,
        reason: None,
        phase: Some(crate::outcome::Phase::Body),
        precision: Precision::Edge,
        http_status: Some(522),
        latency_ms: None,
        tools_ok: None,
        violations: 0,
        colo: Some(*b"FRA"),
        session_ended: false,
        identity: None,
        shape: Some(crate::history::ShapeSeen { digest: Digest([3; 8]), complete: false }),
        excused: Some(Reason::MassFailure),
    };
    let row = ProbeRow::of("cf-edge", &record, 5, None);
    assert_eq!(row.probe(), Probe::of(&record, 5, None), "both readings are one");
    assert_eq!((row.class, row.reason), (Class::VantageError, Some(Reason::MassFailure)), "as published");
    let text = serde_json::to_string(&row).unwrap();
    assert_eq!(serde_json::from_str::<ProbeRow>(&text).unwrap(), row);
    assert!(text.contains(r#""at":"1970-01-01T01:40:03Z""#) && text.contains(r#""colo":"FRA""#), "{text}");
}

proptest! {
    // Each case is some thousand probes.
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever was seen, what is published is redone to the same figures.
    #[test]
    fn any_listing_redoes_itself(
        exact in crate::score::tests::listings::probes(300),
        edge in crate::score::tests::listings::probes(100),
        tier in prop::sample::select(Tier::ALL),
        more in any::<bool>(),
    ) {
        let mut exact = exact;
        if more {
            exact = grid(5, |_| Class::Up);
            exact.push(probe(1, Class::Timeout));
            exact.sort_by_key(|probe| probe.started_s);
            exact.dedup_by_key(|probe| probe.slot);
        }
        let published = publish(tier, &exact, &edge, &[]);
        let tool = read(&published.tool);
        let checks = from_document(&tool).unwrap();
        prop_assert_eq!(differing(&checks), Vec::<&str>::new(), "{:#?}", checks);
        let checks = from_probes(&tool, &published.rows);
        if let Ok(checks) = checks {
            prop_assert_eq!(differing(&checks), Vec::<&str>::new(), "{:#?}", checks);
        }
    }
}
