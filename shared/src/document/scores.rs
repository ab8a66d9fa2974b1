//! The members of `tool.json` that follow from the votes: every figure with the digits it was made from.

use serde::{Deserialize, Serialize};

use crate::drift::{Event, Kind, Standing};
use crate::listing::State;
use crate::methodology::score::{DRIFT_WINDOW_S, RATED_SPAN_S, RATED_VOTES, WINDOW_DAYS};
use crate::outcome::{Class, FrontDoor, Precision, Reason};
use crate::reachability::{Reachability, Timeline};
use crate::score::grade::{Grade, Progress, Shortfall};
use crate::score::probe::NetworkProbes;
use crate::score::recompute::{Scores, Subject, Unscored};
use crate::score::trust::Term;
use crate::shape::Digest;
use crate::timestamp::Timestamp;
use crate::words::word_enum;

/// A day, in seconds, as figures of days are made from.
const DAY_S: f64 = 86_400.0;

/// The figures of one listing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreMembers {
    pub reachability: ReachabilityMember,
    /// Null where no vote entered it.
    pub availability: Option<AvailabilityMember>,
    /// Over `up` and `degraded` votes of exact networks; null without one.
    pub latency_ms: Option<LatencyMember>,
    /// The vote that protocol is from.
    pub protocol_from: Option<ProtocolMember>,
    pub schema: SchemaMember,
    /// Null where `unscored` says why.
    pub health: Option<HealthMember>,
    pub unscored: Option<UnscoredMember>,
    /// Null before 14 days.
    pub trust: Option<TrustMember>,
    pub evidence: EvidenceMember,
    /// Place on its board, from 1; null where it has none.
    pub rank: Option<u32>,
}

/// Whether clients reach it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachabilityMember {
    pub state: Reachability,
    pub since: Option<Timestamp>,
    /// The state is unknown because only edge networks report, and they see failures.
    pub edge_alone: bool,
    /// Recovered, and fewer than two of the last three counted votes succeeded.
    pub unconfirmed: bool,
    pub partly_failing: Vec<PartlyFailingMember>,
    /// The newest counted success within 30 days.
    pub last_success: Option<Timestamp>,
    /// Since when an incident is open.
    pub incident_since: Option<Timestamp>,
}

/// A network whose two newest votes failed while the endpoint is not unreachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartlyFailingMember {
    pub network: String,
    pub since: Timestamp,
}

/// Availability and its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AvailabilityMember {
    /// Percent, one decimal.
    pub pct: f64,
    /// Bounds of the 95 % interval, percent, one decimal.
    pub ci95: [f64; 2],
    /// Votes that entered.
    pub n_counted: u32,
    /// Failures among them.
    pub n_failed: u32,
    /// Kish's effective sample, one decimal.
    pub n_effective: f64,
    pub window_days: u32,
    /// Edge networks that left because too many of their failures were seen by them alone.
    pub networks_left: Vec<String>,
}

/// Percentiles by nearest rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyMember {
    pub p50: u32,
    pub p90: u32,
    pub p99: u32,
    pub values: u32,
    /// The networks it was measured from.
    pub networks: Vec<String>,
}

/// The vote that protocol is from, with what its value is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolMember {
    pub network: String,
    pub slot: Timestamp,
    #[serde(rename = "classification")]
    pub class: Class,
    pub reason: Option<Reason>,
    /// As observed by that vote, or last within seven days before.
    pub front_door: Option<FrontDoor>,
}

/// The advertised tools and how they changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaMember {
    /// The shape of the newest complete listing.
    pub shape: Option<Digest>,
    pub tools: Option<u32>,
    pub changes_30d: Vec<ChangeMember>,
}

/// One dated change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeMember {
    pub kind: Kind,
    /// 0 to 1; 0 where it is not scored.
    pub severity: f64,
    pub at: Timestamp,
    /// Empty where it is about all tools.
    pub tool: String,
    pub standing: Standing,
    pub networks: Vec<String>,
}

word_enum! {
    /// An input of Health that may be hidden.
    HiddenInput {
        Latency = 1 "latency",
        Stability = 2 "stability",
    }
}

/// Health with its digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealthMember {
    /// 0 to 100.
    pub score: u32,
    pub inputs: InputsMember,
    /// The inputs that could not be measured.
    pub priors_used: Vec<HiddenInput>,
    /// The priors in force, in thousandths.
    pub priors: PriorsMember,
    /// Health with the lower bound of the interval, one decimal: what ranks it.
    pub lower_bound: f64,
}

/// The inputs of Health in thousandths, so that the sum needs integers alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputsMember {
    pub availability: u32,
    pub latency: u32,
    pub protocol: u32,
    pub stability: u32,
}

/// Priors in thousandths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorsMember {
    pub latency: u32,
    pub stability: u32,
}

/// Why there is no score, and how far it is to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnscoredMember {
    /// `unrated`, `never_answered`, `nothing_entered`, or the listing's state.
    pub why: String,
    pub counted: u32,
    pub counted_needed: u32,
    /// From the oldest counted vote of the window to the newest, one decimal, rounded down.
    pub days: f64,
    pub days_needed: f64,
    /// The same as a sentence.
    pub progress: String,
}

/// Trust with its terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrustMember {
    /// 0 to 100.
    pub score: u32,
    pub terms: Vec<TermMember>,
}

/// One term of Trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermMember {
    pub term: Term,
    pub points: u32,
    /// 0 to 1, three decimals.
    pub value: f64,
    /// Not observed: half is assumed.
    pub imputed: bool,
}

/// What the figures rest on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceMember {
    /// Null where there is no score.
    pub grade: Option<Grade>,
    pub networks: Vec<NetworkMember>,
    /// The first counted vote of the URL.
    pub first_counted: Option<Timestamp>,
    /// Whole days since then.
    pub observed_days: u32,
    /// The largest share of a network's votes that were refused or rate-limited, 0 to 1, three decimals.
    pub declined_share: f64,
    /// Field reports disagree with us; null while none are collected.
    pub field_reports_disagree: Option<bool>,
    /// What keeps it from the next better grade.
    pub why: Vec<Shortfall>,
}

/// Coverage of one network in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkMember {
    pub network: String,
    pub precision: Precision,
    pub slots: u32,
    pub counted: u32,
    pub delivered: u32,
    pub declined: u32,
    pub first_slot: Timestamp,
}

/// What the members say beside the scores.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// In the order in which they were scored.
    pub networks: &'a [NetworkProbes<'a>],
    /// The network of each entry of the subject's coverage, by its place in `networks`.
    pub covered: &'a [usize],
    pub timeline: &'a Timeline,
    pub events: &'a [Event],
    /// Shape and number of tools of the newest complete listing.
    pub shape: Option<(Digest, Option<u32>)>,
    /// Whether field reports are collected.
    pub field_reports: bool,
    pub rank: Option<u32>,
}

impl ScoreMembers {
    /// The figures of a listing as published.
    #[must_use]
    pub fn of(subject: &Subject<'_>, scores: &Scores, context: &Context<'_>) -> Self {
        let name = |place: usize| {
            context.networks.get(place).map_or_else(String::new, |network| network.name.to_owned())
        };
        Self {
            reachability: reachability(context.timeline, scores, name),
            availability: availability(scores, name),
            latency_ms: latency(scores, context),
            protocol_from: protocol(scores, context, name),
            schema: schema(subject, context),
            health: health(subject, scores),
            unscored: unscored(subject, scores),
            trust: trust(scores),
            evidence: evidence(subject, scores, context, name),
            rank: context.rank,
        }
    }
}

fn reachability(timeline: &Timeline, scores: &Scores, name: impl Fn(usize) -> String) -> ReachabilityMember {
    let partly_failing = timeline.partly_failing.iter().map(|partly| PartlyFailingMember {
        network: name(partly.network),
        since: Timestamp::from_seconds(partly.since_s),
    });
    ReachabilityMember {
        state: timeline.state,
        since: timeline.since_s.map(Timestamp::from_seconds),
        edge_alone: timeline.edge_alone,
        unconfirmed: timeline.unconfirmed,
        partly_failing: partly_failing.collect(),
        last_success: scores.newest_success_s.map(Timestamp::from_seconds),
        incident_since: timeline.open_incident().map(|incident| Timestamp::from_seconds(incident.started_s)),
    }
}

fn availability(scores: &Scores, name: impl Fn(usize) -> String) -> Option<AvailabilityMember> {
    let point = scores.point?;
    let left = scores.entered.iter().enumerate().filter(|(_, entered)| entered.left);
    Some(AvailabilityMember {
        pct: percent(point.availability.point),
        ci95: [percent(point.interval.lo), percent(point.interval.hi)],
        n_counted: point.availability.counted,
        n_failed: point.availability.failures,
        n_effective: f64::from(point.availability.effective_tenths) / 10.0,
        window_days: WINDOW_DAYS,
        networks_left: left.map(|(place, _)| name(place)).collect(),
    })
}

fn latency(scores: &Scores, context: &Context<'_>) -> Option<LatencyMember> {
    let percentiles = scores.percentiles?;
    let exact = context.networks.iter().filter(|network| network.precision == Precision::Exact);
    Some(LatencyMember {
        p50: percentiles.p50,
        p90: percentiles.p90,
        p99: percentiles.p99,
        values: percentiles.values,
        networks: exact.map(|network| network.name.to_owned()).collect(),
    })
}

fn protocol(
    scores: &Scores,
    context: &Context<'_>,
    name: impl Fn(usize) -> String,
) -> Option<ProtocolMember> {
    let from = scores.protocol_from?;
    let probes = context.networks.get(from.network)?.probes;
    let probe = probes.iter().rev().find(|probe| probe.slot == from.slot)?;
    Some(ProtocolMember {
        network: name(from.network),
        slot: slot_time(from.slot),
        class: probe.class,
        reason: probe.reason,
        front_door: from.front_door,
    })
}

fn schema(subject: &Subject<'_>, context: &Context<'_>) -> SchemaMember {
    let from = subject.as_of - DRIFT_WINDOW_S;
    let inside = context.events.iter().filter(|event| event.at >= from && event.at < subject.as_of);
    SchemaMember {
        shape: context.shape.map(|(digest, _)| digest),
        tools: context.shape.and_then(|(_, tools)| tools),
        changes_30d: inside.map(change).collect(),
    }
}

fn change(event: &Event) -> ChangeMember {
    ChangeMember {
        kind: event.kind,
        severity: f64::from(event.severity()) / 1_000.0,
        at: Timestamp::from_seconds(event.at),
        tool: event.tool.clone(),
        standing: event.standing,
        networks: event.networks.clone(),
    }
}

fn health(subject: &Subject<'_>, scores: &Scores) -> Option<HealthMember> {
    let health = scores.health.ok()?;
    let hidden = [
        (HiddenInput::Latency, scores.latency.is_hidden()),
        (HiddenInput::Stability, scores.stability.is_hidden()),
    ];
    Some(HealthMember {
        score: health.score,
        inputs: InputsMember {
            availability: health.inputs.availability,
            latency: health.inputs.latency,
            protocol: health.inputs.protocol,
            stability: health.inputs.stability,
        },
        priors_used: hidden.into_iter().filter(|(_, hidden)| *hidden).map(|(input, _)| input).collect(),
        priors: PriorsMember { latency: subject.priors.latency, stability: subject.priors.stability },
        lower_bound: percent(health.lower_bound),
    })
}

fn unscored(subject: &Subject<'_>, scores: &Scores) -> Option<UnscoredMember> {
    let why = scores.health.err()?;
    let Progress { counted, span_s } = scores.progress;
    let days = (span_s as f64 / DAY_S * 10.0).floor() / 10.0;
    let days_needed = RATED_SPAN_S as f64 / DAY_S;
    Some(UnscoredMember {
        why: why_unscored(why, subject.state).to_owned(),
        counted,
        counted_needed: RATED_VOTES,
        days,
        days_needed,
        progress: format!("{counted} of {RATED_VOTES} counted votes, {days:.1} of {days_needed} days"),
    })
}

/// One word that says why there is no score.
#[must_use]
pub fn why_unscored(why: Unscored, state: State) -> &'static str {
    match why {
        Unscored::NotActive => state.word(),
        Unscored::NeverAnswered | Unscored::Unrated | Unscored::NothingEntered => why.word(),
    }
}

fn trust(scores: &Scores) -> Option<TrustMember> {
    let terms = scores.terms.iter().map(|scored| TermMember {
        term: scored.term,
        points: scored.term.points(),
        value: f64::from(scored.value) / 1_000.0,
        imputed: scored.imputed,
    });
    Some(TrustMember { score: scores.trust?, terms: terms.collect() })
}

fn evidence(
    subject: &Subject<'_>,
    scores: &Scores,
    context: &Context<'_>,
    name: impl Fn(usize) -> String,
) -> EvidenceMember {
    let networks = context.covered.iter().zip(subject.coverage).map(|(place, coverage)| NetworkMember {
        network: name(*place),
        precision: context.networks.get(*place).map_or(Precision::Exact, |network| network.precision),
        slots: coverage.slots,
        counted: coverage.counted,
        delivered: coverage.delivered,
        declined: coverage.declined,
        first_slot: slot_time(coverage.first_slot),
    });
    let declined = subject.coverage.iter().map(|coverage| coverage.declined_share()).max();
    EvidenceMember {
        grade: scores.health.ok().map(|health| health.grade),
        networks: networks.collect(),
        first_counted: subject.first_counted_s.map(Timestamp::from_seconds),
        observed_days: u32::try_from(scores.observed_s / 86_400).unwrap_or(u32::MAX),
        declined_share: f64::from(declined.unwrap_or(0)) / 1_000.0,
        field_reports_disagree: context.field_reports.then_some(subject.reports_disagree),
        why: scores.shortfalls.clone(),
    }
}

fn slot_time(slot: u32) -> Timestamp {
    Timestamp::from_seconds(60 * i64::from(slot))
}

/// Thousandths as percent with one decimal.
fn percent(thousandths: u32) -> f64 {
    f64::from(thousandths) / 10.0
}
