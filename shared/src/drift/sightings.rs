//! From the listings of one network to confirmed changes.
//!
//! A tool that looks different is a candidate; the next complete listing that shows it the same way confirms it. What
//! changes with every listing is never confirmed, and so never an event.

use std::collections::BTreeMap;

use crate::shape::{Digest, Shape, ToolShape};

use super::Kind;
use super::differences::{Side, between, content_digest};

/// One complete listing.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'a> {
    /// Start of the probe, seconds since the epoch.
    pub at: i64,
    /// The vote it is from is valid until this second.
    pub valid_until: i64,
    /// The tools; empty where none are offered.
    pub shape: &'a Shape,
}

/// The complete listings of one network, in order of their start.
#[derive(Debug, Clone, Copy)]
pub struct Sightings<'a> {
    pub network: &'a str,
    pub listings: &'a [Sighting<'a>],
}

/// A confirmed change of one tool, or of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) key: Key,
    /// The tool's name as shown, of 128 bytes at most; empty where it is about all tools.
    pub(super) tool: String,
    /// The first sighting.
    pub(super) at: i64,
}

/// What makes two changes the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// The identity of the tool; none where it is about all tools.
    pub(super) tool: Option<Digest>,
    pub(super) kind: Kind,
    pub(super) before: Option<Digest>,
    pub(super) after: Option<Digest>,
}

/// A tool that looks different than before, first at this time.
struct Candidate<'a> {
    at: i64,
    side: Side<'a>,
}

/// One tool that was seen the same way twice.
struct Confirmed<'a> {
    at: i64,
    before: Side<'a>,
    after: Side<'a>,
}

/// The confirmed changes, in the order in which they were confirmed. The first listing is where it starts from.
pub(super) fn changes(listings: &[Sighting<'_>]) -> Vec<Change> {
    let Some((first, later)) = listings.split_first() else { return Vec::new() };
    let mut known = tools_of(first.shape);
    let mut candidates: BTreeMap<Digest, Candidate<'_>> = BTreeMap::new();
    let mut seen = first.shape;
    let mut changes = Vec::new();
    for listing in later {
        // Most listings show what the last one did, and nothing waits.
        if candidates.is_empty() && std::ptr::eq(seen, listing.shape) {
            continue;
        }
        seen = listing.shape;
        let had_tools = !known.is_empty();
        let confirmed = look(listing, &mut known, &mut candidates);
        if had_tools && known.is_empty() {
            changes.extend(stopped(&confirmed));
        } else {
            changes.extend(told(confirmed));
        }
    }
    changes
}

fn tools_of(shape: &Shape) -> BTreeMap<Digest, &ToolShape> {
    shape.tools().iter().map(|tool| (tool.id, tool)).collect()
}

/// Compares one listing with what is known, tool by tool.
fn look<'a>(
    listing: &Sighting<'a>,
    known: &mut BTreeMap<Digest, &'a ToolShape>,
    candidates: &mut BTreeMap<Digest, Candidate<'a>>,
) -> Vec<Confirmed<'a>> {
    let now = tools_of(listing.shape);
    let mut ids: Vec<Digest> = known.keys().chain(now.keys()).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let mut confirmed = Vec::new();
    for id in ids {
        let (before, after) = (known.get(&id).copied(), now.get(&id).copied());
        if same(before, after) {
            candidates.remove(&id);
            continue;
        }
        match candidates.get(&id) {
            Some(candidate) if same(candidate.side, after) => {
                confirmed.push(Confirmed { at: candidate.at, before, after });
                candidates.remove(&id);
                match after {
                    Some(tool) => known.insert(id, tool),
                    None => known.remove(&id),
                };
            }
            _ => {
                candidates.insert(id, Candidate { at: listing.at, side: after });
            }
        }
    }
    // A candidate for a tool that nobody has any more and nobody had before.
    candidates.retain(|id, _| known.contains_key(id) || now.contains_key(id));
    confirmed
}

/// Whether drift sees no difference. A tool that takes no part is the same as any of its name.
fn same(one: Side<'_>, other: Side<'_>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => match (content_digest(Some(one)), content_digest(Some(other))) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        },
        _ => false,
    }
}

/// All tools went: one event, dated when the last of them was first missed.
fn stopped(confirmed: &[Confirmed<'_>]) -> Option<Change> {
    let at = confirmed.iter().map(|one| one.at).max()?;
    let key = Key { tool: None, kind: Kind::StoppedOfferingTools, before: None, after: None };
    Some(Change { key, tool: String::new(), at })
}

/// One change a tool and kind; a tool that went while one with equal digests came was renamed.
fn told(confirmed: Vec<Confirmed<'_>>) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut gone, mut come): (Vec<Confirmed<'_>>, Vec<Confirmed<'_>>) = (Vec::new(), Vec::new());
    for one in confirmed {
        match (one.before, one.after) {
            (Some(_), None) => gone.push(one),
            (None, Some(_)) => come.push(one),
            _ => changes.extend(of_tool(&one)),
        }
    }
    for one in gone {
        let digest = content_digest(one.before);
        let renamed = digest.and_then(|digest| {
            come.iter().position(|other| other.at == one.at && content_digest(other.after) == Some(digest))
        });
        match renamed {
            Some(place) => {
                let other = come.remove(place);
                changes.extend(change(&one, Kind::ToolRenamed, digest, other.after.map(|tool| tool.id)));
            }
            None => changes.extend(of_tool(&one)),
        }
    }
    changes.extend(come.iter().flat_map(of_tool));
    changes
}

fn of_tool(confirmed: &Confirmed<'_>) -> Vec<Change> {
    let (before, after) = (content_digest(confirmed.before), content_digest(confirmed.after));
    between(confirmed.before, confirmed.after)
        .into_iter()
        .filter_map(|kind| change(confirmed, kind, before, after))
        .collect()
}

fn change(
    confirmed: &Confirmed<'_>,
    kind: Kind,
    before: Option<Digest>,
    after: Option<Digest>,
) -> Option<Change> {
    let tool = confirmed.before.or(confirmed.after)?;
    let key = Key { tool: Some(tool.id), kind, before, after };
    Some(Change { key, tool: tool.name.clone(), at: confirmed.at })
}

/// Whether a listing shows a tool as it is after a change.
pub(super) fn shows(listing: &Sighting<'_>, key: &Key) -> bool {
    let side = |id: Digest| listing.shape.tools().iter().find(|tool| tool.id == id);
    match (key.kind, key.tool) {
        (_, None) => listing.shape.tools().is_empty(),
        (Kind::ToolRemoved, Some(id)) => side(id).is_none(),
        (Kind::ToolRenamed, Some(id)) => side(id).is_none() && key.after.is_some_and(|id| side(id).is_some()),
        (_, Some(id)) => {
            side(id).is_some_and(|tool| tool.content.is_none() || content_digest(Some(tool)) == key.after)
        }
    }
}
