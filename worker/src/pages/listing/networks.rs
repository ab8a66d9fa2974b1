//! What each network saw: its newest vote, its strip of recent votes, and the rules its newest answer did not keep.

use shared::explanation::{capitalized, sentence};
use shared::outcome::{Class, Precision, Violation};

use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{NetworkEntry, ToolEntry};
use crate::chart::votes::{Frame, Point, Strip};
use crate::pages::format;
use crate::pages::mark::{self, Mark};
use crate::pages::vote::{At, tools_figure};

#[derive(Debug)]
pub(super) struct NetworkRow<'a> {
    pub(super) name: &'a str,
    pub(super) sees: &'static str,
    pub(super) sign: Mark,
    pub(super) words: String,
    pub(super) lines: Vec<String>,
    pub(super) status: String,
    pub(super) latency: String,
    pub(super) tools: String,
    pub(super) at: Option<At>,
}

pub(super) fn rows(tool: &ToolEntry, as_of: Timestamp) -> Vec<NetworkRow<'_>> {
    tool.networks.iter().map(|network| row(network, as_of)).collect()
}

fn row(network: &NetworkEntry, as_of: Timestamp) -> NetworkRow<'_> {
    let none = || "none".to_owned();
    let Some(vote) = network.latest() else {
        return NetworkRow {
            name: &network.network,
            sees: network.precision.label(),
            sign: mark::UNKNOWN,
            words: "No vote yet".to_owned(),
            lines: Vec::new(),
            status: none(),
            latency: none(),
            tools: none(),
            at: None,
        };
    };
    NetworkRow {
        name: &network.network,
        sees: network.precision.label(),
        sign: vote.mark(),
        words: capitalized(vote.class.label()),
        lines: vote.sentences(),
        status: vote.http_status.map_or_else(none, |status| status.to_string()),
        latency: vote.latency_ms.map_or_else(none, format::milliseconds),
        tools: tools_figure(network),
        at: Some(At::new(as_of, vote.at)),
    }
}

/// Why the latencies of two networks are not one number.
pub(super) fn latency_note(tool: &ToolEntry) -> Option<String> {
    let edge = tool.networks.iter().find(|network| network.precision == Precision::Edge)?;
    Some(format!("Latency from {} is shown and never scored: its place varies.", edge.network))
}

/// The rules the newest answers did not keep: as a sentence, as the stable word, and by which networks it was seen.
pub(super) fn violations(tool: &ToolEntry) -> Vec<(String, &'static str, String)> {
    let newest =
        |network: &NetworkEntry| network.latest().map(|vote| vote.violations.clone()).unwrap_or_default();
    let seen: Vec<_> = tool.networks.iter().flat_map(newest).collect();
    Violation::ALL
        .iter()
        .filter(|violation| seen.contains(violation))
        .map(|violation| {
            let by = tool.networks.iter().filter(|network| newest(network).contains(violation));
            let names: Vec<&str> = by.map(|network| network.network.as_str()).collect();
            (sentence(violation.label()), violation.word(), names.join(" and "))
        })
        .collect()
}

/// The frame that holds the recent votes of every network, where there are any.
pub(super) fn axis(tool: &ToolEntry, as_of: Timestamp) -> Option<Frame> {
    let all: Vec<Vec<Point>> = tool.networks.iter().map(points).collect();
    let interval = tool.networks.iter().map(|network| network.interval_minutes).min()?;
    Frame::around(&all, interval, minutes(as_of))
}

pub(super) fn strips<'a>(tool: &'a ToolEntry, axis: &Frame) -> Vec<(&'a str, Strip<'a>)> {
    let strip = |network: &'a NetworkEntry| {
        (network.network.as_str(), Strip::new(&network.network, &points(network), axis))
    };
    tool.networks.iter().map(strip).collect()
}

fn points(network: &NetworkEntry) -> Vec<Point> {
    let sent = network.votes.iter().filter(|vote| vote.class != Class::Skipped);
    sent.map(|vote| Point { slot: minutes(vote.slot), class: vote.class, latency_ms: vote.latency_ms })
        .collect()
}

/// Whole minutes since the epoch; times before it are the epoch.
fn minutes(at: Timestamp) -> u32 {
    u32::try_from(at.seconds().div_euclid(60).max(0)).unwrap_or(u32::MAX)
}
