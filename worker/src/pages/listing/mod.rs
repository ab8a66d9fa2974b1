//! `/tools/{slug}`: one listing, facts first.

mod door;
mod keys;
mod log;
mod networks;
mod repeat;
mod tools;

use askama::Template;
use shared::explanation::{capitalized, sentence};
use shared::listing::{State, Tier};
use shared::methodology::FORMULA_VERSION;
use shared::outcome::Counted;

use self::door::Step;
use self::log::LogRow;
use self::networks::NetworkRow;
use self::tools::ToolList;
use super::board::{never_answered, place};
use super::mark::{self, Mark};
use super::{Frame, Key, Site, foreign, format};
use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{NetworkEntry, ToolDocument, ToolEntry};
use crate::chart::votes::{Frame as Axis, Strip};

/// Rows of the probe log that stand open; the others fold away.
const LOG_ROWS: usize = 24;

#[derive(Template)]
#[template(path = "listing.html")]
struct ListingPage<'a> {
    frame: Frame<'a>,
    slug: &'a str,
    name: String,
    url: String,
    place: String,
    headline: (Mark, String, String),
    banner: Option<(&'static str, String)>,
    keys: Vec<Key>,
    door: Vec<Step>,
    door_source: String,
    cadence: String,
    networks: Vec<NetworkRow<'a>>,
    latency_note: Option<String>,
    strips: Vec<(&'a str, Strip<'a>)>,
    axis: Option<(String, Option<String>)>,
    tools: ToolList,
    violations: Vec<(String, &'static str, String)>,
    no_violations: &'static str,
    said: Vec<(String, String)>,
    facts: Vec<(&'static str, String)>,
    log: Vec<LogRow<'a>>,
    older_log: Vec<LogRow<'a>>,
    curl: String,
}

/// The page of one listing.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn listing(document: &ToolDocument, site: &Site) -> Result<String, askama::Error> {
    let (tool, as_of) = (&document.tool, document.as_of);
    let mut log = log::rows(tool, as_of);
    let older_log = log.split_off(log.len().min(LOG_ROWS));
    let axis = networks::axis(tool, as_of);
    let (door, door_source) = door::steps(tool);
    ListingPage {
        frame: Frame::new(site),
        slug: &tool.listing.slug,
        name: foreign::line(&tool.listing.name),
        url: foreign::url(&tool.listing.url),
        place: place(&tool.listing.url),
        headline: headline(tool, as_of),
        banner: banner(tool),
        keys: keys::keys(tool, as_of),
        door,
        door_source,
        cadence: cadence(tool),
        networks: networks::rows(tool, as_of),
        latency_note: networks::latency_note(tool),
        strips: axis.map(|axis| networks::strips(tool, &axis)).unwrap_or_default(),
        axis: axis.map(|axis: Axis| {
            (format::duration(i64::from(axis.column_minutes) * 60), axis.scale_ms.map(format::milliseconds))
        }),
        tools: ToolList::new(tool),
        violations: networks::violations(tool),
        no_violations: no_violations(tool),
        said: tools::said(tool),
        facts: facts(tool, as_of),
        log,
        older_log,
        curl: repeat::curl(tool),
    }
    .render()
}

/// What stands under the name: a state that explains itself, else the newest vote.
fn headline(tool: &ToolEntry, as_of: Timestamp) -> (Mark, String, String) {
    if tool.state != State::Active {
        let words = tool.state.label().to_owned();
        return (Mark::of_state(tool.state), words, sentence(tool.state.explanation()));
    }
    match &tool.last_probe {
        Some(probe) => {
            let at = probe.vote.at.seconds();
            let words = format!(
                "{}newest vote, from {}, {} ({})",
                never_answered(tool).map(|since| format!("{since}; ")).unwrap_or_default(),
                probe.network,
                format::instant(at),
                format::age(as_of.seconds(), at)
            );
            (probe.vote.mark(), capitalized(probe.vote.class.label()), words)
        }
        None => {
            let interval = tool.networks.iter().map(|network| network.interval_minutes).min().unwrap_or(0);
            let words = match interval {
                0 => "no network is configured".to_owned(),
                minutes => {
                    format!("the first comes within {}", format::duration(i64::from(minutes) * 60))
                }
            };
            (mark::UNKNOWN, "No vote yet".to_owned(), words)
        }
    }
}

fn banner(tool: &ToolEntry) -> Option<(&'static str, String)> {
    if tool.networks.iter().any(|network| network.retired_transport) {
        let words = "It announced HTTP+SSE of revision 2024-11-05, which official clients no longer open first. We \
                     send what the current transports ask for and record the answer; we open no event stream.";
        return Some(("This endpoint speaks the retired transport", words.to_owned()));
    }
    (tool.tier == Tier::Gated).then(|| {
        let words = "This endpoint asks for authorization before it answers. We record the challenge and the two \
                     public documents a client needs. What lies behind the door is not seen here.";
        ("Only the front door is measured", words.to_owned())
    })
}

fn cadence(tool: &ToolEntry) -> String {
    let mut intervals: Vec<u32> = tool.networks.iter().map(|network| network.interval_minutes).collect();
    intervals.dedup();
    match intervals.as_slice() {
        _ if !tool.state.probed() => "Probing has ended.".to_owned(),
        [] => "No network is configured.".to_owned(),
        [same] => format!("A probe every {} from each.", format::duration(i64::from(*same) * 60)),
        _ => "Each probes at an interval of its own.".to_owned(),
    }
}

fn no_violations(tool: &ToolEntry) -> &'static str {
    let answered =
        |network: &NetworkEntry| network.latest().is_some_and(|vote| vote.counted == Counted::Success);
    if tool.networks.iter().any(answered) {
        "None: the newest good answers kept every rule we check."
    } else {
        "No newest vote is a good answer, so there is none to check."
    }
}

fn facts(tool: &ToolEntry, as_of: Timestamp) -> Vec<(&'static str, String)> {
    vec![
        ("Tier", format!("{}: {}", capitalized(tool.tier.label()), tool.tier.explanation())),
        ("State", format!("{}: {}", tool.state.label(), tool.state.explanation())),
        ("Listed since", format::day(tool.listing.listed_at.seconds())),
        ("Formula", format!("{FORMULA_VERSION}; no score is computed yet")),
        ("This page shows", format!("what we held at {}", format::instant(as_of.seconds()))),
    ]
}
