//! The probe log: the votes of all networks in one table, newest first.

use std::cmp::Reverse;

use shared::sorting::sort_by_key;

use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{ToolEntry, VoteEntry};
use crate::pages::format;
use crate::pages::mark::Mark;
use crate::pages::vote::At;

/// Characters of a shape's digest that tell two apart at a glance.
const DIGEST_SHOWN: usize = 8;

#[derive(Debug)]
pub(super) struct LogRow<'a> {
    pub(super) at: At,
    /// The first row of its day names the day.
    pub(super) day: Option<String>,
    pub(super) network: &'a str,
    pub(super) sign: Mark,
    pub(super) class: &'static str,
    pub(super) status: String,
    pub(super) latency: String,
    pub(super) detail: String,
}

pub(super) fn rows(tool: &ToolEntry, as_of: Timestamp) -> Vec<LogRow<'_>> {
    let mut votes: Vec<(&str, &VoteEntry)> = tool
        .networks
        .iter()
        .flat_map(|network| network.votes.iter().map(|vote| (network.network.as_str(), vote)))
        .collect();
    sort_by_key(&mut votes, |(network, vote)| (Reverse(vote.at), *network));
    let mut rows: Vec<LogRow<'_>> =
        votes.into_iter().map(|(network, vote)| row(network, vote, as_of)).collect();
    let mut above = String::new();
    for row in &mut rows {
        let day = row.at.day.clone();
        row.day = (day != above).then(|| day.clone());
        above = day;
    }
    rows
}

fn row<'a>(network: &'a str, vote: &VoteEntry, as_of: Timestamp) -> LogRow<'a> {
    let mut details = vote.details();
    details.extend(vote.shape.map(|shape| {
        let digest: String = shape.to_string().chars().take(DIGEST_SHOWN).collect();
        format!("shape {digest}")
    }));
    LogRow {
        at: At::new(as_of, vote.at),
        day: None,
        network,
        sign: vote.mark(),
        class: vote.class.word(),
        status: vote.http_status.map_or_else(|| "none".to_owned(), |status| status.to_string()),
        latency: vote.latency_ms.map_or_else(|| "none".to_owned(), format::number),
        detail: details.join("; "),
    }
}
