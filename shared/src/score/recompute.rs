//! All figures of a listing from its stored probes: the definition. Whatever is kept to save work prints the same.

use crate::listing::{State, Tier};
use crate::methodology::score::{DRIFT_WINDOW_S, FRONT_DOOR_MEMORY_S, WINDOW_S};
use crate::outcome::{Class, FrontDoor, Precision, Reason};
use crate::reachability::Reachability;
use crate::words::word_enum;

use super::availability::{Availability, ChunkSums, chunks, total};
use super::grade::{Coverage, Evidence, Grade, Progress, Shortfall, grade};
use super::health::Inputs;
use super::interval::{Interval, wilson};
use super::latency::{self, Percentiles};
use super::pairs::{Entered, entered};
use super::prior::Priors;
use super::probe::{NetworkProbes, Probe};
use super::protocol;
use super::stability::{self, Change};
use super::trust::{self, Observed, Scored};

/// What is known of a listing besides its probes.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Whole seconds since the epoch; every age is relative to it.
    pub as_of: i64,
    pub tier: Tier,
    /// The first slot of the present tier: latency and stability count from it on.
    pub tier_from_slot: u32,
    pub state: State,
    pub reachability: Reachability,
    /// An incident is open, also while the state is unknown.
    pub incident_open: bool,
    /// Start of the first counted vote of the normalised URL.
    pub first_counted_s: Option<i64>,
    /// One entry a network that has had a slot.
    pub coverage: &'a [Coverage],
    /// Changes of the advertised tools.
    pub changes: &'a [Change],
    pub priors: Priors,
    /// What was observed for trust, continuity apart.
    pub trust: Observed,
    /// Field reports disagree with us.
    pub reports_disagree: bool,
}

/// Where an input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Thousandths, measured.
    Measured(u32),
    /// It cannot be measured: the prior stands in.
    Hidden,
}

impl Input {
    /// The value, or the prior.
    #[must_use]
    pub const fn or(self, prior: u32) -> u32 {
        match self {
            Self::Measured(value) => value,
            Self::Hidden => prior,
        }
    }

    /// Whether the prior stands in.
    #[must_use]
    pub const fn is_hidden(self) -> bool {
        matches!(self, Self::Hidden)
    }
}

word_enum! {
    /// Why a listing carries no score.
    Unscored {
        /// Its state is not `active`; the state says why.
        NotActive = 1 "not_active",
        /// It never answered as MCP.
        NeverAnswered = 2 "never_answered",
        /// There is too little of it yet.
        Unrated = 3 "unrated",
        /// No counted vote in the window entered availability: no exact network reports.
        NothingEntered = 4 "nothing_entered",
    }
}

/// Availability and its interval, as printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    pub availability: Availability,
    pub interval: Interval,
}

/// Health and what it is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    pub inputs: Inputs,
    /// 0 to 100.
    pub score: u32,
    /// Health with the lower bound of the interval, in thousandths.
    pub lower_bound: u32,
    pub grade: Grade,
}

/// The vote that protocol is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolFrom {
    /// In the order given.
    pub network: usize,
    pub slot: u32,
    /// As that vote observed it, or as it was last observed within seven days before.
    pub front_door: Option<FrontDoor>,
}

/// The figures of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scores {
    pub progress: Progress,
    /// None where no vote entered.
    pub point: Option<Point>,
    /// Over the scored votes of exact networks.
    pub percentiles: Option<Percentiles>,
    pub latency: Input,
    /// Thousandths.
    pub protocol: u32,
    /// The vote that protocol is from.
    pub protocol_from: Option<ProtocolFrom>,
    pub stability: Input,
    /// The newest counted success of the present tier within 30 days.
    pub newest_success_s: Option<i64>,
    pub health: Result<Health, Unscored>,
    /// What keeps it from the next better grade.
    pub shortfalls: Vec<Shortfall>,
    /// None before 14 days.
    pub trust: Option<u32>,
    pub terms: Vec<Scored>,
    /// Seconds since the first counted vote of the URL.
    pub observed_s: i64,
    /// Which votes of each network entered, in the order given; without the votes.
    pub entered: Vec<Entered>,
}

/// All figures. `networks` in order of their names, each with its probes of the last 30 days.
#[must_use]
pub fn recompute(subject: &Subject<'_>, networks: &[NetworkProbes<'_>]) -> Scores {
    let from = subject.as_of - WINDOW_S;
    let mut entered = entered(networks, from, subject.as_of);
    let sums: Vec<ChunkSums> = entered.iter().flat_map(|network| chunks(&network.probes)).collect();
    let point = Availability::of(&total(&sums, subject.as_of)).map(|availability| {
        let Availability { point, effective_tenths, failures, .. } = availability;
        Point { availability, interval: wilson(point, effective_tenths, failures > 0) }
    });
    let progress = progress(networks, from, subject.as_of);
    let (percentiles, latency) = of_latency(subject, networks);
    let (protocol, protocol_from) = of_protocol(subject, networks, &entered);
    let newest_success = newest_success(subject, networks);
    let stability = of_stability(subject, networks, newest_success);
    let observed_s = subject.first_counted_s.map_or(0, |first| (subject.as_of - first).max(0));
    let inputs = |availability: u32| Inputs {
        availability,
        latency: latency.or(subject.priors.latency),
        protocol,
        stability: stability.or(subject.priors.stability),
    };
    let (grade, shortfalls) = grade(&Evidence {
        as_of: subject.as_of,
        networks: subject.coverage,
        effective_tenths: point.map_or(0, |point| point.availability.effective_tenths),
        observed_s,
        reports_disagree: subject.reports_disagree,
    });
    let health = scorable(subject, progress).and_then(|()| {
        let point = point.ok_or(Unscored::NothingEntered)?;
        Ok(Health {
            inputs: inputs(point.availability.point),
            score: inputs(point.availability.point).health(),
            lower_bound: inputs(point.interval.lo).thousandths(),
            grade,
        })
    });
    let observed = Observed { continuity: Some(trust::continuity(observed_s)), ..subject.trust };
    let terms = trust::terms(observed);
    entered.iter_mut().for_each(|network| network.probes = Vec::new());
    Scores {
        progress,
        point,
        percentiles,
        latency,
        protocol,
        protocol_from,
        stability,
        newest_success_s: newest_success.map(|probe| probe.started_s),
        health,
        shortfalls,
        trust: trust::is_due(observed_s).then(|| trust::trust(&terms)),
        terms,
        observed_s,
        entered,
    }
}

fn scorable(subject: &Subject<'_>, progress: Progress) -> Result<(), Unscored> {
    if subject.state != State::Active {
        Err(Unscored::NotActive)
    } else if subject.tier == Tier::Unknown {
        Err(Unscored::NeverAnswered)
    } else if !progress.is_rated() {
        Err(Unscored::Unrated)
    } else {
        Ok(())
    }
}

/// The counted votes of all networks in the window, entered or not.
fn progress(networks: &[NetworkProbes<'_>], from: i64, as_of: i64) -> Progress {
    let counted = || {
        networks.iter().flat_map(|network| network.between(from, as_of)).filter(|probe| probe.is_counted())
    };
    let oldest = counted().map(|probe| probe.started_s).min();
    let newest = counted().map(|probe| probe.started_s).max();
    Progress {
        counted: u32::try_from(counted().count()).unwrap_or(u32::MAX),
        span_s: oldest.zip(newest).map_or(0, |(oldest, newest)| newest - oldest),
    }
}

fn of_latency(subject: &Subject<'_>, networks: &[NetworkProbes<'_>]) -> (Option<Percentiles>, Input) {
    let exact = || networks.iter().filter(|network| network.precision == Precision::Exact);
    let votes = || {
        exact()
            .flat_map(|network| network.between(subject.as_of - WINDOW_S, subject.as_of))
            .filter(|probe| probe.slot >= subject.tier_from_slot)
    };
    let percentiles = latency::percentiles(votes().filter_map(latency::scored).collect());
    let input = match percentiles {
        _ if subject.tier == Tier::Gated => Input::Hidden,
        Some(percentiles) => Input::Measured(latency::score(percentiles.p50)),
        None if votes().any(Probe::is_counted) => Input::Measured(0),
        None => Input::Hidden,
    };
    (percentiles, input)
}

/// The table value of the newest success of an exact network whose vote is valid, of any network if there is none.
fn of_protocol(
    subject: &Subject<'_>,
    networks: &[NetworkProbes<'_>],
    entered: &[Entered],
) -> (u32, Option<ProtocolFrom>) {
    let successes = || {
        entered.iter().enumerate().flat_map(|(place, network)| {
            let successes = network.probes.iter().filter(|probe| probe.is_success());
            successes.map(move |probe| (place, probe))
        })
    };
    let is_exact =
        |place: usize| networks.get(place).is_some_and(|network| network.precision == Precision::Exact);
    // Of two that started in the same second the later network's is the newer one.
    let newest = |candidates: &mut dyn Iterator<Item = (usize, &Probe)>| {
        candidates
            .max_by_key(|(place, probe)| (probe.started_s, *place))
            .map(|(place, probe)| (place, *probe))
    };
    let exact =
        newest(&mut successes().filter(|(place, probe)| is_exact(*place) && probe.is_valid(subject.as_of)));
    let Some((place, probe)) = exact.or_else(|| newest(&mut successes())) else { return (0, None) };
    let front_door = match probe.class {
        Class::AuthRequired => probe.front_door.or_else(|| remembered(networks, probe.started_s)),
        _ => None,
    };
    let from = Some(ProtocolFrom { network: place, slot: probe.slot, front_door });
    if subject.reachability == Reachability::Unreachable || subject.incident_open {
        return (0, from);
    }
    (protocol::value(probe.class, probe.reason, front_door).unwrap_or(0), from)
}

/// The front door as it was last observed by any network within seven days before.
fn remembered(networks: &[NetworkProbes<'_>], before: i64) -> Option<FrontDoor> {
    let observed = |probe: &&Probe| probe.class == Class::AuthRequired && probe.front_door.is_some();
    networks
        .iter()
        .flat_map(|network| network.between(before - FRONT_DOOR_MEMORY_S, before).iter().rev().find(observed))
        .max_by_key(|probe| probe.started_s)
        .and_then(|probe| probe.front_door)
}

/// The counted successes of the present tier within 30 days.
fn recent_successes<'a>(
    subject: &'a Subject<'_>,
    networks: &'a [NetworkProbes<'_>],
) -> impl Iterator<Item = &'a Probe> {
    networks
        .iter()
        .flat_map(|network| network.between(subject.as_of - DRIFT_WINDOW_S, subject.as_of))
        .filter(|probe| probe.is_success() && probe.slot >= subject.tier_from_slot)
}

fn newest_success<'a>(subject: &'a Subject<'_>, networks: &'a [NetworkProbes<'_>]) -> Option<&'a Probe> {
    recent_successes(subject, networks).max_by_key(|probe| probe.started_s)
}

fn of_stability(subject: &Subject<'_>, networks: &[NetworkProbes<'_>], newest: Option<&Probe>) -> Input {
    if subject.tier == Tier::Gated {
        return Input::Hidden;
    }
    let Some(newest) = newest else { return Input::Measured(0) };
    let offers_none = newest.reason == Some(Reason::ToolsNotOffered);
    if offers_none || recent_successes(subject, networks).any(|probe| probe.complete_shape.is_some()) {
        Input::Measured(stability::score(subject.changes, subject.as_of))
    } else {
        Input::Hidden
    }
}
