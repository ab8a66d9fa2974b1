//! The figures that the method publishes come out of the code that runs.

use super::listings::{AS_OF, Seen, grid, probe, subject};
use crate::drift::Kind;
use crate::listing::{State, Tier};
use crate::methodology::score::{DRIFT_WINDOW_S, RATED_SPAN_S, WINDOW_S};
use crate::methodology::{GATED_INTERVAL_MINUTES, OPEN_INTERVAL_MINUTES};
use crate::outcome::{Class, FrontDoor, Precision, Reason};
use crate::reachability::Reachability;
use crate::schedule::{Cadence, Segment, validity_s};
use crate::score::availability::{Availability, chunks, total};
use crate::score::coverage::coverage;
use crate::score::grade::{Coverage, Evidence, Grade, Progress, Shortfall, grade};
use crate::score::health::Inputs;
use crate::score::interval::{Interval, wilson};
use crate::score::latency::{nearest_rank, score};
use crate::score::pairs::entered;
use crate::score::prior::{Member, Priors, of_population};
use crate::score::probe::Probe;
use crate::score::recompute::{Input, Unscored, recompute};
use crate::score::stability::{self, Change};
use crate::score::trust::{self, Feed, Observed};
use crate::score::{protocol, ranking};

const DAY_S: i64 = 86_400;

#[test]
fn the_worked_example() {
    assert_eq!(score(412), 959);
    let added = Change { at: AS_OF - 3 * DAY_S, kind: Kind::ToolAdded, severity: Kind::ToolAdded.severity() };
    assert_eq!(stability::score(&[added], AS_OF), 944);
    let inputs = Inputs { availability: 995, latency: 959, protocol: 1_000, stability: 944 };
    // The sum before rounding, and as the seed prints it.
    assert_eq!((inputs.sum(), inputs.health()), (986_000, 99));
}

#[test]
fn effective_samples_and_bounds_of_two_cadences() {
    for (interval_minutes, effective_tenths, bounds) in
        [(15, 2_727, Interval { lo: 977, hi: 999 }), (5, 8_180, Interval { lo: 987, hi: 998 })]
    {
        let probes = grid(interval_minutes, |_| Class::Up);
        let availability = Availability::of(&total(&chunks(&probes), AS_OF)).unwrap();
        assert!(availability.effective_tenths.abs_diff(effective_tenths) <= 5, "{availability:?}");
        assert_eq!(wilson(995, effective_tenths, true), bounds, "every {interval_minutes} minutes");
    }
}

#[test]
fn a_vote_is_valid_for_ten_intervals() {
    for (interval_minutes, seconds) in [(OPEN_INTERVAL_MINUTES, 3_000), (GATED_INTERVAL_MINUTES, 18_000)] {
        assert_eq!(validity_s(interval_minutes), seconds);
        let voted = |age| Probe { interval_minutes, ..probe(age, Class::Timeout) }.is_valid(AS_OF);
        assert!(voted(0) && voted(i64::from(seconds) - 1) && !voted(i64::from(seconds)) && !voted(-1));
    }
    assert!(!probe(1, Class::Refused).is_valid(AS_OF), "no evidence is never valid");
}

#[test]
fn latency_at_its_ends_and_in_between() {
    for (p50, expected) in
        [(0, 1_000), (300, 1_000), (301, 1_000), (302, 999), (1_650, 500), (2_999, 0), (3_000, 0)]
    {
        assert_eq!(score(p50), expected, "{p50} ms");
    }
    for (values, percent, expected) in [
        (&[][..], 50, None),
        (&[7][..], 50, Some(7)),
        (&[1, 2][..], 50, Some(1)),
        (&[1, 2, 3][..], 50, Some(2)),
        (&[1, 2, 3, 4][..], 90, Some(4)),
        (&[1, 2, 3, 4][..], 0, Some(1)),
    ] {
        assert_eq!(nearest_rank(values, percent), expected, "{values:?} {percent} %");
    }
}

#[test]
fn protocol_is_the_table() {
    use Class::{AuthRequired, Degraded, Up};
    let table = [
        (Up, None, None, Some(1_000)),
        (Up, Some(Reason::ToolsTruncated), None, Some(1_000)),
        (Degraded, None, None, Some(750)),
        (Degraded, Some(Reason::ToolsNotOffered), None, Some(750)),
        (Degraded, Some(Reason::ToolsFailed), None, Some(500)),
        (Degraded, Some(Reason::SessionLost), None, Some(500)),
        (Degraded, Some(Reason::StickyCookie), None, Some(500)),
        (Degraded, Some(Reason::BudgetEnded), None, Some(500)),
        (Degraded, Some(Reason::NoCommonVersion), None, Some(500)),
        (AuthRequired, None, Some(FrontDoor::Ok), Some(1_000)),
        (AuthRequired, Some(Reason::FrontDoorNotObserved), None, Some(1_000)),
        (AuthRequired, None, Some(FrontDoor::Partial), Some(500)),
        (AuthRequired, None, Some(FrontDoor::Bare), Some(250)),
    ];
    for (class, reason, door, expected) in table {
        assert_eq!(protocol::value(class, reason, door), expected, "{class} {reason:?} {door:?}");
    }
    for class in Class::ALL {
        let is_success = class.counted() == crate::outcome::Counted::Success;
        assert_eq!(protocol::value(*class, None, None).is_some(), is_success, "{class}");
    }
}

#[test]
fn severities_are_the_table() {
    let severities: Vec<u32> = Kind::ALL.iter().map(|kind| kind.severity()).collect();
    assert_eq!(severities, [1_000, 1_000, 600, 600, 600, 600, 300, 300, 150, 150, 50]);
}

#[test]
fn one_release_is_one_change() {
    let added = |at, kind: Kind| Change { at, kind, severity: kind.severity() };
    let fourteen = [added(AS_OF - 1, Kind::ToolAdded); 14];
    let two = [added(AS_OF - 1, Kind::ToolAdded); 2];
    assert_eq!(stability::score(&fourteen, AS_OF), stability::score(&two, AS_OF));
    let apart: Vec<Change> = (1..15).map(|age| added(AS_OF - age, Kind::ToolAdded)).collect();
    assert_eq!(stability::score(&apart, AS_OF), 0, "fourteen releases are fourteen");
    let edges = [(DRIFT_WINDOW_S, true), (DRIFT_WINDOW_S + 1, false), (0, false), (-1, false)];
    for (age, inside) in edges {
        let score = stability::score(&[added(AS_OF - age, Kind::ToolRemoved)], AS_OF);
        assert_eq!(score < 1_000, inside, "{age} s old");
    }
}

#[test]
fn trust_adds_up_to_a_hundred_points() {
    let points: u32 = trust::Term::ALL.iter().map(|term| term.points()).sum();
    assert_eq!(points, 100);
    let all = |value| Observed {
        registry: value,
        scorecard: value,
        continuity: value,
        contract: value,
        status_feed: value,
    };
    for (value, expected) in
        [(None, 50), (Some(0), 0), (Some(1_000), 100), (Some(5_000), 100), (Some(505), 51)]
    {
        let terms = trust::terms(all(value));
        assert_eq!(trust::trust(&terms), expected, "{value:?}");
        assert!(terms.iter().all(|term| term.imputed == value.is_none()));
    }
    for (days, due, continuity) in
        [(0, false, 0), (13, false, 72), (14, true, 78), (90, true, 500), (400, true, 1_000)]
    {
        assert_eq!(
            (trust::is_due(days * DAY_S), trust::continuity(days * DAY_S)),
            (due, continuity),
            "{days} d"
        );
    }
    assert!(!trust::is_due(14 * DAY_S - 1));
    for (breaking, announced, expected) in [(0, 0, 1_000), (3, 2, 667), (2, 0, 0), (1, 9, 1_000)] {
        assert_eq!(trust::contract(breaking, announced), expected);
    }
    let feed = |ours, agreeing, unseen| trust::status_feed(Feed { ours, agreeing, unseen });
    assert_eq!(
        [feed(0, 0, 0), feed(4, 3, 0), feed(4, 4, 0), feed(4, 4, 4), feed(0, 0, 9)],
        [500, 750, 1_000, 500, 500]
    );
}

#[test]
fn the_floor_on_both_sides() {
    for (counted, span_s, rated) in [
        (100, RATED_SPAN_S, true),
        (99, RATED_SPAN_S, false),
        (100, RATED_SPAN_S - 1, false),
        (0, 0, false),
        (u32::MAX, i64::MAX, true),
    ] {
        assert_eq!(Progress { counted, span_s }.is_rated(), rated, "{counted} votes over {span_s} s");
    }
}

/// Coverage of a network that has been at it for the whole window.
fn whole(counted: u32, declined: u32) -> Coverage {
    let first_slot = ((AS_OF - WINDOW_S) / 60) as u32;
    Coverage { slots: 1_000, counted, delivered: 1_000, declined, first_slot }
}

/// Networks, effective sample in tenths, days observed; grade, and what keeps it from the next one.
type GradeRow = (Vec<Coverage>, u32, i64, Grade, Vec<Shortfall>);

#[test]
fn grades_on_both_sides_of_each_border() {
    let evidence = |networks: &[Coverage], effective_tenths, days: i64| {
        grade(&Evidence {
            as_of: AS_OF,
            networks,
            effective_tenths,
            observed_s: days * DAY_S,
            reports_disagree: false,
        })
    };
    let late = Coverage { first_slot: whole(0, 0).first_slot + 1, ..whole(1_000, 0) };
    use Shortfall::{Coverage as Few, Declined, EffectiveSample, FullWindow, Observed};
    let table: Vec<GradeRow> = vec![
        (vec![whole(900, 0); 2], 2_000, 14, Grade::A, vec![]),
        (vec![whole(900, 0); 3], 9_999, 99, Grade::A, vec![]),
        (vec![whole(900, 0), whole(899, 0)], 2_000, 14, Grade::B, vec![Few]),
        (vec![whole(900, 0); 2], 1_999, 14, Grade::B, vec![EffectiveSample]),
        (vec![whole(900, 0); 2], 2_000, 13, Grade::B, vec![Observed]),
        (vec![whole(900, 0), late], 2_000, 14, Grade::B, vec![FullWindow]),
        (vec![whole(900, 0), whole(900, 101)], 2_000, 14, Grade::B, vec![Declined]),
        (vec![whole(900, 0), whole(900, 100)], 2_000, 14, Grade::A, vec![]),
        (vec![whole(1_000, 0)], 9_999, 99, Grade::B, vec![Few]),
        (vec![whole(900, 101); 2], 2_000, 14, Grade::C, vec![Declined]),
        (vec![late], 1_000, 7, Grade::C, vec![FullWindow]),
        (vec![whole(900, 0)], 999, 7, Grade::C, vec![EffectiveSample]),
        (vec![whole(900, 0)], 1_000, 6, Grade::C, vec![Observed]),
        (vec![whole(600, 0)], 500, 3, Grade::C, vec![Few, EffectiveSample, Observed]),
        (vec![whole(599, 0)], 500, 3, Grade::D, vec![Few]),
        (vec![whole(600, 0)], 499, 2, Grade::D, vec![EffectiveSample, Observed]),
        (vec![], 0, 0, Grade::D, vec![Few, EffectiveSample, Observed]),
        (vec![Coverage::default()], 500, 3, Grade::D, vec![Few]),
    ];
    for (networks, effective_tenths, days, expected, missing) in table {
        let seen = evidence(&networks, effective_tenths, days);
        assert_eq!(seen, (expected, missing), "{networks:?} {effective_tenths} {days}");
    }
    let networks = [whole(900, 0), whole(900, 0)];
    let capped = grade(&Evidence {
        as_of: AS_OF,
        networks: &networks,
        effective_tenths: 2_000,
        observed_s: 14 * DAY_S,
        reports_disagree: true,
    });
    assert_eq!(capped, (Grade::C, vec![Shortfall::FieldReports]));
}

#[test]
fn coverage_counts_slots_that_are_over() {
    let now = (AS_OF / 60) as u32;
    let first = now - 20;
    let cadence = Cadence::new(vec![Segment { from_slot: first, interval_minutes: 5 }]);
    let at = |slot: u32, class| Probe { slot, started_s: 60 * i64::from(slot), ..probe(0, class) };
    let probes = [
        at(first, Class::Up),
        at(first + 5, Class::RateLimited),
        at(first + 10, Class::Timeout),
        at(now, Class::Up),
    ];
    let seen = coverage(&cadence, &probes, AS_OF).unwrap();
    // Slots at 20, 15, 10 and 5 minutes are over; the one of this minute is not.
    assert_eq!(seen, Coverage { slots: 4, counted: 2, delivered: 4, declined: 1, first_slot: first });
    let future = Cadence::new(vec![Segment { from_slot: now + 1, interval_minutes: 5 }]);
    assert_eq!(coverage(&future, &[], AS_OF), None);
    assert_eq!(coverage(&Cadence::default(), &probes, AS_OF), None);
}

#[test]
fn an_edge_failure_counts_where_an_exact_one_is_near() {
    let five = 300;
    let exact = [probe(10_000, Class::Up), probe(5_000, Class::Timeout)];
    let table = [
        // Partner within an interval, to the second.
        (10_000 - five, Class::Up, 1, 0),
        (10_000 - five - 1, Class::Up, 0, 0),
        (10_000 + five, Class::Up, 1, 0),
        (10_000 + five + 1, Class::Up, 0, 0),
        // A failure of a kind that is often the path's needs a failing partner; any other does not.
        (10_000, Class::Timeout, 0, 1),
        (10_000, Class::Http5xx, 1, 0),
        (5_000, Class::ConnectFailed, 1, 0),
        (7_000, Class::Closed, 0, 1),
        (7_000, Class::Http4xx, 0, 0),
        (10_000, Class::Refused, 0, 0),
    ];
    for (age, class, enters, unconfirmed) in table {
        let edge = [probe(age, class)];
        let networks = [
            super::listings::network("edge", Precision::Edge, &edge),
            super::listings::network("exact", Precision::Exact, &exact),
        ];
        let seen = entered(&networks, AS_OF - WINDOW_S, AS_OF);
        let left = unconfirmed > 0;
        assert_eq!(
            (seen[0].probes.len(), seen[0].unconfirmed, seen[0].left),
            (enters, unconfirmed, left),
            "{class} {age} s ago"
        );
        assert_eq!(seen[1].probes.len(), 2);
        let alone = entered(&networks[..1], AS_OF - WINDOW_S, AS_OF);
        assert_eq!(
            alone[0].probes.len(),
            usize::from(edge[0].is_counted()),
            "no exact network is configured"
        );
    }
}

#[test]
fn an_edge_leaves_above_one_percent() {
    let exact: Vec<Probe> = grid(5, |_| Class::Up);
    for (failures, left) in [(0, false), (20, false), (21, true)] {
        let edge = grid(5, |back| if back < failures { Class::Timeout } else { Class::Up });
        let edge = &edge[edge.len() - 2_000..];
        let networks = [
            super::listings::network("edge", Precision::Edge, edge),
            super::listings::network("exact", Precision::Exact, &exact),
        ];
        let seen = &entered(&networks, AS_OF - WINDOW_S, AS_OF)[0];
        assert_eq!((seen.counted, seen.unconfirmed as usize, seen.left), (2_000, failures, left));
        assert_eq!(seen.probes.len(), if left { 0 } else { 2_000 - failures });
    }
}

#[test]
fn what_carries_no_score_says_why() {
    let rated = grid(5, |_| Class::Up);
    let scores = |tier, state, exact: &[Probe], edge: &[Probe]| {
        let networks = [
            super::listings::network("edge", Precision::Edge, edge),
            super::listings::network("exact", Precision::Exact, exact),
        ];
        let coverage = [];
        recompute(&crate::score::recompute::Subject { tier, state, ..subject(&coverage) }, &networks)
            .health
            .map(|health| health.score)
    };
    assert!(scores(Tier::Open, State::Active, &rated, &[]).is_ok());
    for state in State::ALL.iter().filter(|state| **state != State::Active) {
        assert_eq!(scores(Tier::Open, *state, &rated, &[]), Err(Unscored::NotActive), "{state}");
    }
    assert_eq!(scores(Tier::Unknown, State::Active, &rated, &[]), Err(Unscored::NeverAnswered));
    assert_eq!(scores(Tier::Open, State::Active, &rated[..99], &[]), Err(Unscored::Unrated));
    assert_eq!(scores(Tier::Open, State::Active, &[], &[]), Err(Unscored::Unrated));
    assert_eq!(scores(Tier::Open, State::Active, &[], &rated), Err(Unscored::NothingEntered));
    let future: Vec<Probe> =
        rated.iter().map(|probe| Probe { started_s: probe.started_s + WINDOW_S, ..*probe }).collect();
    assert_eq!(
        scores(Tier::Open, State::Active, &future, &[]),
        Err(Unscored::Unrated),
        "the future is no evidence"
    );
}

#[test]
fn hidden_inputs() {
    let seen = |exact: Vec<Probe>, tier| Seen {
        exact,
        edge: Vec::new(),
        changes: Vec::new(),
        tier,
        reachability: Reachability::Reachable,
        incident_open: false,
    };
    let gated = seen(grid(30, |_| Class::AuthRequired), Tier::Gated).scores();
    assert_eq!((gated.latency, gated.stability), (Input::Hidden, Input::Hidden));
    let dead = seen(grid(5, |_| Class::Timeout), Tier::Open).scores();
    assert_eq!((dead.latency, dead.stability), (Input::Measured(0), Input::Measured(0)));
    let silent = seen(Vec::new(), Tier::Open).scores();
    assert_eq!(silent.latency, Input::Hidden, "nobody looked");
    let without = |reason| {
        grid(5, |_| Class::Up)
            .into_iter()
            .map(|probe| Probe { complete_shape: None, reason, ..probe })
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(without(Some(Reason::ToolsRefused)), Tier::Open).scores().stability, Input::Hidden);
    let offers_none = seen(without(Some(Reason::ToolsNotOffered)), Tier::Open).scores();
    assert_eq!(offers_none.stability, Input::Measured(1_000));
}

#[test]
fn a_front_door_is_remembered_for_a_week() {
    let door = |age, front_door| Probe { front_door, ..probe(age, Class::AuthRequired) };
    for (age, expected) in [(7 * DAY_S, 250), (7 * DAY_S + 1, 1_000)] {
        let mut exact = vec![door(age + 60, Some(FrontDoor::Bare))];
        exact.push(Probe { reason: Some(Reason::FrontDoorNotObserved), ..door(60, None) });
        let seen = Seen {
            exact,
            edge: Vec::new(),
            changes: Vec::new(),
            tier: Tier::Gated,
            reachability: Reachability::Reachable,
            incident_open: false,
        };
        assert_eq!(seen.scores().protocol, expected, "observed {age} s before");
    }
}

#[test]
fn priors_are_medians_of_domains() {
    let member = |domain: &str, latency: Option<u32>, stability: Option<u32>| Member {
        domain: domain.to_owned(),
        latency,
        stability,
    };
    let nine: Vec<Member> =
        (0..9).map(|n| member(&format!("{n}.example"), Some(100 * n), Some(500))).collect();
    assert_eq!(of_population(&nine, Priors::FIRST), Priors::FIRST);
    let last = Priors { latency: 1, stability: 2 };
    assert_eq!(of_population(&nine, last), last, "the last published stay");
    let mut ten = nine;
    // One domain with many listings is one value: its own median.
    ten.extend((0..20).map(|_| member("0.example", Some(1_000), None)));
    // Of 1,000 and 100 to 800: the fifth of nine.
    assert_eq!(of_population(&ten, last), Priors { latency: 500, stability: 500 });
    let hidden: Vec<Member> = (0..10).map(|n| member(&format!("{n}.example"), None, None)).collect();
    assert_eq!(of_population(&hidden, last), last);
}

#[test]
fn ranking_by_the_rule() {
    let standing = |slug: &str, state, rated, reachability| ranking::Standing {
        state,
        rated,
        reachability,
        name: slug.to_uppercase(),
        slug: slug.to_owned(),
    };
    let rated = |lower_bound, grade| Some(ranking::Rated { lower_bound, grade });
    use Reachability::{Reachable, Unknown, Unreachable};
    let expected = [
        standing("z-best", State::Active, rated(990, Grade::B), Reachable),
        standing("y-grade-a", State::Active, rated(900, Grade::A), Reachable),
        standing("a-grade-b", State::Active, rated(900, Grade::B), Reachable),
        standing("b-same", State::Active, rated(900, Grade::B), Reachable),
        standing("down", State::Active, rated(999, Grade::A), Unreachable),
        standing("silent", State::Active, rated(999, Grade::A), Unknown),
        standing("unrated", State::Active, None, Reachable),
        standing("unrated-down", State::Active, None, Unreachable),
        standing("a-frozen", State::Frozen, rated(1_000, Grade::A), Reachable),
        standing("b-frozen", State::Frozen, None, Reachable),
    ];
    let mut sorted = expected.to_vec();
    sorted.reverse();
    sorted.sort_by(ranking::order);
    let slugs = |all: &[ranking::Standing]| all.iter().map(|one| one.slug.clone()).collect::<Vec<_>>();
    assert_eq!(slugs(&sorted), slugs(&expected));
    assert_eq!(sorted.iter().filter(|one| one.is_ranked()).count(), 6);
}
