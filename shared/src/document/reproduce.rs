//! Redoing the figures of a published document, from its own digits and, where they are given, from its probes.
//!
//! What it takes from the document is what a reader sees in it; nothing else of ours enters but the published formula.

use serde::Deserialize;

use crate::listing::{State, Tier};
use crate::methodology::FORMULA_VERSION;
use crate::methodology::score::WINDOW_S;
use crate::outcome::Class;
use crate::reachability::Reachability;
use crate::score::availability::{Availability, chunks, total};
use crate::score::grade::{Coverage, Evidence, Progress, grade};
use crate::score::health::Inputs;
use crate::score::interval::wilson;
use crate::score::pairs::entered;
use crate::score::probe::{NetworkProbes, Probe};
use crate::score::stability::{self, Change};
use crate::score::trust::{self, Scored};
use crate::score::{latency, protocol};
use crate::timestamp::Timestamp;

use super::probes::ProbeRow;
use super::scores::{HiddenInput, ScoreMembers};

/// What of a `tool.json` is needed to redo it; further members are passed over.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PublishedTool {
    pub formula_version: String,
    pub as_of: Timestamp,
    pub tier: Tier,
    pub state: State,
    #[serde(flatten)]
    pub scores: ScoreMembers,
}

/// One figure, as published and as redone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its place in the document, such as `health.score`.
    pub figure: &'static str,
    pub published: String,
    pub redone: String,
    /// How it was redone, in a few words.
    pub how: String,
}

impl Check {
    /// Whether both say the same.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.published == self.redone
    }
}

/// Why a document cannot be redone at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreproducible {
    #[error(
        "the document is of formula version {0}, this program of {FORMULA_VERSION}: figures of another version follow \
         other rules"
    )]
    OtherVersion(String),
    #[error("probes of {0} are not in order of their start: give each file once, oldest first")]
    Unordered(String),
    #[error(
        "the probes are of {oldest} to {newest}, the window of the document is {from} to {until}: ask for all of it"
    )]
    OutsideWindow { oldest: Timestamp, newest: Timestamp, from: Timestamp, until: Timestamp },
}

/// Redoes every derived figure from the document's own digits.
///
/// # Errors
/// Where it is of another version of the formula.
pub fn from_document(tool: &PublishedTool) -> Result<Vec<Check>, Unreproducible> {
    same_formula(tool)?;
    let mut checks = Vec::new();
    let scores = &tool.scores;
    if let Some(availability) = &scores.availability {
        let point = tenths(availability.pct);
        let effective_tenths = tenths(availability.n_effective);
        let bounds = wilson(point, effective_tenths, availability.n_failed > 0);
        checks.push(Check {
            figure: "availability.ci95",
            published: format!("{:.1} to {:.1}", availability.ci95[0], availability.ci95[1]),
            redone: format!("{} to {}", decimal(bounds.lo), decimal(bounds.hi)),
            how: format!("Wilson, {} % of an effective {} votes", decimal(point), decimal(effective_tenths)),
        });
    }
    if let Some(health) = &scores.health {
        checks.extend(inputs(tool, health));
    }
    if let Some(trust) = &scores.trust {
        let terms: Vec<Scored> = trust
            .terms
            .iter()
            .map(|term| Scored { term: term.term, value: thousandths(term.value), imputed: term.imputed })
            .collect();
        let points: Vec<String> =
            terms.iter().map(|term| format!("{} x {}", term.term.points(), fraction(term.value))).collect();
        checks.push(Check {
            figure: "trust.score",
            published: trust.score.to_string(),
            redone: trust::trust(&terms).to_string(),
            how: points.join(" + "),
        });
    }
    checks.push(rated(tool));
    if let Some(published) = scores.evidence.grade {
        let (redone, why) = grade_of(tool);
        checks.push(Check {
            figure: "evidence.grade",
            published: published.to_string(),
            redone: redone.to_string(),
            how: match why.is_empty() {
                true => "coverage, effective sample, days observed".to_owned(),
                false => format!("the next better one fails for: {}", why.join(", ")),
            },
        });
    }
    Ok(checks)
}

fn same_formula(tool: &PublishedTool) -> Result<(), Unreproducible> {
    let minor = |version: &str| {
        let mut parts = version.split('.');
        (parts.next().map(str::to_owned), parts.next().map(str::to_owned))
    };
    // What moves a number bumps the minor version; wording does not.
    match minor(&tool.formula_version) == minor(FORMULA_VERSION) {
        true => Ok(()),
        false => Err(Unreproducible::OtherVersion(tool.formula_version.clone())),
    }
}

/// Each input from what it is made of, and the sums of them.
fn inputs(tool: &PublishedTool, health: &super::scores::HealthMember) -> Vec<Check> {
    let scores = &tool.scores;
    let hidden = |input| health.priors_used.contains(&input);
    let published = &health.inputs;
    let mut checks = Vec::new();
    let mut check = |figure, published: u32, redone: u32, how: String| {
        let (published, redone) = (published.to_string(), redone.to_string());
        checks.push(Check { figure, published, redone, how });
    };
    if let Some(availability) = &scores.availability {
        let how = format!("{:.1} % in thousandths", availability.pct);
        check("health.inputs.availability", published.availability, tenths(availability.pct), how);
    }
    let (of_latency, how) = match &scores.latency_ms {
        _ if hidden(HiddenInput::Latency) => (health.priors.latency, "prior used".to_owned()),
        Some(latency) => (latency::score(latency.p50), format!("1 - ({} - 300) / 2700, 0 to 1", latency.p50)),
        None => (0, "no scored vote".to_owned()),
    };
    check("health.inputs.latency", published.latency, of_latency, how);
    let (of_protocol, how) = protocol_of(scores);
    check("health.inputs.protocol", published.protocol, of_protocol, how);
    let (of_stability, how) = match hidden(HiddenInput::Stability) {
        true => (health.priors.stability, "prior used".to_owned()),
        false => stability_of(tool),
    };
    check("health.inputs.stability", published.stability, of_stability, how);
    let sum = Inputs {
        availability: published.availability,
        latency: published.latency,
        protocol: published.protocol,
        stability: published.stability,
    };
    let how = format!(
        "(600 x {} + 200 x {} + 150 x {} + 50 x {} + 5000) div 10000",
        sum.availability, sum.latency, sum.protocol, sum.stability
    );
    check("health.score", health.score, sum.health(), how);
    if let Some(availability) = &scores.availability {
        let low = Inputs { availability: tenths(availability.ci95[0]), ..sum };
        checks.push(Check {
            figure: "health.lower_bound",
            published: format!("{:.1}", health.lower_bound),
            redone: decimal(low.thousandths()),
            how: format!("the same sum with {}", low.availability),
        });
    }
    checks
}

fn protocol_of(scores: &ScoreMembers) -> (u32, String) {
    let reachability = &scores.reachability;
    match &scores.protocol_from {
        _ if reachability.state == Reachability::Unreachable => (0, "unreachable".to_owned()),
        _ if reachability.incident_since.is_some() => (0, "an incident is open".to_owned()),
        None => (0, "no counted success in the window".to_owned()),
        Some(from) => {
            let value = protocol::value(from.class, from.reason, from.front_door).unwrap_or(0);
            let reason = from.reason.map_or_else(String::new, |reason| format!(", {reason}"));
            (value, format!("the table value of {}{reason}", from.class))
        }
    }
}

fn stability_of(tool: &PublishedTool) -> (u32, String) {
    let changes = changes(tool);
    let scored = changes.iter().filter(|change| change.severity > 0).count();
    if tool.scores.reachability.last_success.is_none() {
        return (0, "no counted success in 30 days".to_owned());
    }
    let how = format!("1 - half of {scored} severities, each halved every 7 days");
    (stability::score(&changes, tool.as_of.seconds()), how)
}

fn changes(tool: &PublishedTool) -> Vec<Change> {
    let changes = tool.scores.schema.changes_30d.iter();
    changes
        .map(|change| Change {
            at: change.at.seconds(),
            kind: change.kind,
            severity: thousandths(change.severity),
        })
        .collect()
}

/// Whether it carries a score at all.
fn rated(tool: &PublishedTool) -> Check {
    let published = match (&tool.scores.health, &tool.scores.unscored) {
        (Some(_), _) => "scored".to_owned(),
        (None, Some(unscored)) => unscored.why.clone(),
        (None, None) => "neither a score nor a reason".to_owned(),
    };
    let enough = tool
        .scores
        .unscored
        .as_ref()
        .map(|unscored| Progress { counted: unscored.counted, span_s: (unscored.days * 86_400.0) as i64 });
    let redone = match (tool.state, tool.tier, enough) {
        (State::Active, Tier::Unknown, _) => "never_answered",
        (State::Active, _, Some(progress)) if !progress.is_rated() => "unrated",
        (State::Active, _, _) if tool.scores.availability.is_none() => "nothing_entered",
        (State::Active, _, _) => "scored",
        (state, _, _) => state.word(),
    };
    Check {
        figure: "unscored.why",
        published,
        redone: redone.to_owned(),
        how: "state, tier, and the floor of votes and days".to_owned(),
    }
}

fn grade_of(tool: &PublishedTool) -> (crate::score::grade::Grade, Vec<&'static str>) {
    let evidence = &tool.scores.evidence;
    let networks: Vec<Coverage> = evidence
        .networks
        .iter()
        .map(|network| Coverage {
            slots: network.slots,
            counted: network.counted,
            delivered: network.delivered,
            declined: network.declined,
            first_slot: u32::try_from(network.first_slot.seconds().div_euclid(60)).unwrap_or(u32::MAX),
        })
        .collect();
    let as_of = tool.as_of.seconds();
    let (grade, why) = grade(&Evidence {
        as_of,
        networks: &networks,
        effective_tenths: tool.scores.availability.as_ref().map_or(0, |one| tenths(one.n_effective)),
        observed_s: evidence.first_counted.map_or(0, |first| as_of - first.seconds()),
        reports_disagree: evidence.field_reports_disagree == Some(true),
    });
    (grade, why.into_iter().map(crate::score::grade::Shortfall::word).collect())
}

/// Redoes the inputs from the probes of the window.
///
/// # Errors
/// Where it is of another version, or the probes are not those of its window.
pub fn from_probes(tool: &PublishedTool, rows: &[ProbeRow]) -> Result<Vec<Check>, Unreproducible> {
    same_formula(tool)?;
    let (from, until) = (tool.as_of.seconds() - WINDOW_S, tool.as_of.seconds());
    covers_window(tool, rows, from, until)?;
    let by_network = by_network(tool, rows)?;
    let networks: Vec<NetworkProbes<'_>> = by_network
        .iter()
        .map(|(name, precision, probes)| NetworkProbes { name, precision: *precision, probes })
        .collect();
    let mut checks = Vec::new();
    let entered = entered(&networks, from, until);
    let sums: Vec<_> = entered.iter().flat_map(|network| chunks(&network.probes)).collect();
    let redone = Availability::of(&total(&sums, until));
    if let Some(published) = &tool.scores.availability {
        let text = |pct: String, effective: String, counted: u32, failed: u32| {
            format!("{pct} % of {counted} votes, {failed} failed, effective {effective}")
        };
        checks.push(Check {
            figure: "availability",
            published: text(
                format!("{:.1}", published.pct),
                format!("{:.1}", published.n_effective),
                published.n_counted,
                published.n_failed,
            ),
            redone: redone.map_or_else(
                || "no vote entered".to_owned(),
                |redone| {
                    let effective = decimal(redone.effective_tenths);
                    text(decimal(redone.point), effective, redone.counted, redone.failures)
                },
            ),
            how: format!("{} probes, weights halved every day", rows.len()),
        });
    }
    checks.extend(percentiles(tool, &networks, from, until));
    checks.extend(newest_success(tool, rows));
    checks.extend(coverage(tool, &networks, from));
    Ok(checks)
}

fn covers_window(
    tool: &PublishedTool,
    rows: &[ProbeRow],
    from: i64,
    until: i64,
) -> Result<(), Unreproducible> {
    let oldest = rows.iter().map(|row| row.at).min();
    let newest = rows.iter().map(|row| row.at).max();
    let counted = tool.scores.availability.as_ref().map_or(0, |availability| availability.n_counted);
    match (oldest, newest) {
        (Some(oldest), Some(newest)) if newest.seconds() < from || oldest.seconds() >= until => {
            Err(Unreproducible::OutsideWindow {
                oldest,
                newest,
                from: Timestamp::from_seconds(from),
                until: Timestamp::from_seconds(until),
            })
        }
        (None, _) if counted > 0 => Err(Unreproducible::OutsideWindow {
            oldest: Timestamp::from_seconds(0),
            newest: Timestamp::from_seconds(0),
            from: Timestamp::from_seconds(from),
            until: Timestamp::from_seconds(until),
        }),
        _ => Ok(()),
    }
}

type OfNetwork = (String, crate::outcome::Precision, Vec<Probe>);

/// The probes of each network, in order of their names. The networks of the document are there even without a probe.
fn by_network(tool: &PublishedTool, rows: &[ProbeRow]) -> Result<Vec<OfNetwork>, Unreproducible> {
    let mut all: Vec<OfNetwork> = tool
        .scores
        .evidence
        .networks
        .iter()
        .map(|network| (network.network.clone(), network.precision, Vec::new()))
        .collect();
    for row in rows {
        let place = match all.iter().position(|(name, ..)| *name == row.network) {
            Some(place) => place,
            None => {
                all.push((row.network.clone(), row.precision, Vec::new()));
                all.len() - 1
            }
        };
        if let Some((_, _, probes)) = all.get_mut(place) {
            probes.push(row.probe());
        }
    }
    let unordered = |probes: &[Probe]| !probes.is_sorted_by(|one, other| one.slot < other.slot);
    if let Some((name, ..)) = all.iter().find(|(_, _, probes)| unordered(probes)) {
        return Err(Unreproducible::Unordered(name.clone()));
    }
    for (_, _, probes) in &mut all {
        probes.sort_by_key(|probe| (probe.started_s, probe.slot));
    }
    all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Ok(all)
}

fn percentiles(tool: &PublishedTool, networks: &[NetworkProbes<'_>], from: i64, until: i64) -> Option<Check> {
    let published = tool.scores.latency_ms.as_ref()?;
    let exact = networks.iter().filter(|network| network.precision == crate::outcome::Precision::Exact);
    let values: Vec<u32> =
        exact.flat_map(|network| network.between(from, until)).filter_map(latency::scored).collect();
    let count = values.len();
    let text = |p50: u32, p90: u32, p99: u32| format!("p50 {p50}, p90 {p90}, p99 {p99} ms");
    Some(Check {
        figure: "latency_ms",
        published: text(published.p50, published.p90, published.p99),
        redone: latency::percentiles(values)
            .map_or_else(|| "no value".to_owned(), |redone| text(redone.p50, redone.p90, redone.p99)),
        how: format!("nearest rank of {count} values"),
    })
}

/// The vote that protocol is from is in the probes as the document has it.
fn newest_success(tool: &PublishedTool, rows: &[ProbeRow]) -> Option<Check> {
    let published = tool.scores.protocol_from.as_ref()?;
    let found = rows.iter().find(|row| row.network == published.network && row.slot == published.slot);
    let text = |class: Class, reason: Option<crate::outcome::Reason>| match reason {
        Some(reason) => format!("{class}, {reason}"),
        None => class.to_string(),
    };
    Some(Check {
        figure: "protocol_from",
        published: text(published.class, published.reason),
        redone: found.map_or_else(|| "no such probe".to_owned(), |row| text(row.class, row.reason)),
        how: format!("the probe of {} in the slot of {}", published.network, published.slot),
    })
}

/// Counted votes of each network in slots that are over.
fn coverage(tool: &PublishedTool, networks: &[NetworkProbes<'_>], from: i64) -> Vec<Check> {
    let over = |probe: &&Probe| {
        let slot_s = 60 * i64::from(probe.slot);
        probe.is_counted()
            && slot_s >= from
            && slot_s + 60 * i64::from(probe.interval_minutes) <= tool.as_of.seconds()
    };
    let of_network = |published: &super::scores::NetworkMember| {
        let seen = networks.iter().find(|network| network.name == published.network);
        let counted = seen.map_or(0, |network| network.probes.iter().filter(over).count());
        Check {
            figure: "evidence.networks.counted",
            published: published.counted.to_string(),
            redone: counted.to_string(),
            how: format!("counted votes of {} in slots that are over", published.network),
        }
    };
    tool.scores.evidence.networks.iter().map(of_network).collect()
}

/// A figure with one decimal, in tenths.
fn tenths(figure: f64) -> u32 {
    crate::score::tenths(figure)
}

/// A figure with three decimals, in thousandths.
fn thousandths(figure: f64) -> u32 {
    crate::score::thousandths(figure)
}

/// Tenths as a figure with one decimal.
fn decimal(tenths: u32) -> String {
    format!("{:.1}", f64::from(tenths) / 10.0)
}

/// Thousandths as a figure with three decimals.
fn fraction(thousandths: u32) -> String {
    format!("{:.3}", f64::from(thousandths) / 1_000.0)
}
