//! Builds the documents from rows: pure, save for the reading.

use shared::history::Record;
use shared::methodology::{FORMULA_VERSION, OPEN_INTERVAL_MINUTES};
use shared::schedule::{minute_of, slot_ms};
use shared::shape::Digest;
use shared::sorting::sort_by_key;

use super::timestamp::Timestamp;
use super::tool_document::{
    BoardDocument, LICENCE, LastProbe, ListingEntry, NetworkEntry, ToolDocument, ToolEntry, ToolsEntry,
    VoteEntry,
};
use crate::config::Network;
use crate::store::{Contents, ListingRow, NetworkRow, Store, StoreFault, Wanted};

/// Listings a page.
pub const PAGE_LISTINGS: usize = 100;
/// Newest votes of each network in `tools.json`.
const BOARD_VOTES: usize = 12;
/// Newest votes of each network in `tool.json`.
const TOOL_VOTES: usize = 72;

/// The document of one listing, if there is one of that slug.
///
/// # Errors
/// The database's.
pub async fn tool(
    store: &Store,
    slug: &str,
    networks: &[Network],
    now_ms: i64,
) -> Result<Option<ToolDocument>, StoreFault> {
    let Some(row) = store.listing(slug, &ids(networks)).await? else {
        return Ok(None);
    };
    let contents = store.contents(&wanted(std::slice::from_ref(&row), true)).await?;
    Ok(Some(ToolDocument {
        formula_version: FORMULA_VERSION,
        as_of: Timestamp::from_ms(now_ms),
        licence: LICENCE,
        tool: entry(&row, networks, &contents, TOOL_VOTES, now_ms),
    }))
}

/// One page of listings, those after the slug `after`.
///
/// # Errors
/// The database's.
pub async fn board(
    store: &Store,
    after: &str,
    networks: &[Network],
    now_ms: i64,
) -> Result<BoardDocument, StoreFault> {
    let mut rows = store.page(after, PAGE_LISTINGS + 1, &ids(networks)).await?;
    let more = rows.len() > PAGE_LISTINGS;
    rows.truncate(PAGE_LISTINGS);
    let contents = store.contents(&wanted(&rows, false)).await?;
    Ok(BoardDocument {
        formula_version: FORMULA_VERSION,
        as_of: Timestamp::from_ms(now_ms),
        licence: LICENCE,
        next: rows.last().filter(|_| more).map(|row| row.slug.clone()),
        tools: rows.iter().map(|row| entry(row, networks, &contents, BOARD_VOTES, now_ms)).collect(),
    })
}

fn ids(networks: &[Network]) -> Vec<u32> {
    networks.iter().map(|network| network.id).collect()
}

/// The identity that stands for a network: of its newest vote that has one, else the listing's last known.
fn identity_of(row: &ListingRow, records: &[Record]) -> Option<Digest> {
    let own = records.iter().rev().find_map(|record| record.identity);
    own.or(row.identity.filter(|_| !records.is_empty()))
}

fn wanted(rows: &[ListingRow], names: bool) -> Wanted {
    let mut wanted = Wanted { names, ..Wanted::default() };
    for row in rows {
        for (_, NetworkRow { records, .. }) in &row.networks {
            wanted.identities.extend(identity_of(row, records).map(|digest| (row.id, digest)));
            let shape = records.iter().rev().find_map(|record| record.shape);
            wanted.shapes.extend(shape.map(|shape| (row.id, shape.digest)));
        }
    }
    for list in [&mut wanted.identities, &mut wanted.shapes] {
        sort_by_key(list, |item| *item);
        list.dedup();
    }
    wanted
}

fn entry(
    row: &ListingRow,
    networks: &[Network],
    contents: &Contents,
    votes: usize,
    now_ms: i64,
) -> ToolEntry {
    let networks: Vec<NetworkEntry> =
        networks.iter().map(|network| network_entry(row, network, contents, votes, now_ms)).collect();
    // In the order of votes: by start, then network name.
    let last_probe = networks
        .iter()
        .filter_map(|network| Some((network, network.latest()?)))
        .max_by_key(|(network, vote)| (vote.at, network.network.as_str()))
        .map(|(network, vote)| LastProbe { network: network.network.clone(), vote: vote.clone() });
    ToolEntry {
        listing: ListingEntry {
            slug: row.slug.clone(),
            name: row.name.clone(),
            url: row.url.clone(),
            listed_at: Timestamp::from_ms(row.listed_ms),
        },
        tier: row.tier,
        state: row.state,
        last_probe,
        networks,
    }
}

fn network_entry(
    row: &ListingRow,
    network: &Network,
    contents: &Contents,
    votes: usize,
    now_ms: i64,
) -> NetworkEntry {
    let seen = row.networks.get(&network.id);
    let records = seen.map_or(&[][..], |seen| &seen.records);
    let interval_minutes = seen
        .and_then(|seen| {
            let now = seen.cadence.segment_at(minute_of(now_ms)).map(|segment| segment.interval_minutes);
            now.or(seen.cadence.newest_interval())
        })
        .unwrap_or(OPEN_INTERVAL_MINUTES);
    let identity = identity_of(row, records).and_then(|digest| contents.identities.get(&(row.id, digest)));
    let shape = records.iter().rev().find_map(|record| record.shape);
    let tools = shape.map(|shape| {
        let content = contents.shapes.get(&(row.id, shape.digest));
        ToolsEntry {
            count: content.map(|content| content.tools),
            complete: shape.complete,
            shape: shape.digest,
            names: content.and_then(|content| content.names.clone()),
        }
    });
    NetworkEntry {
        network: network.name.clone(),
        precision: network.precision,
        interval_minutes,
        era: identity.and_then(|identity| identity.era),
        protocol_version: identity.and_then(|identity| identity.protocol_version.clone()),
        server: identity.and_then(|identity| identity.server.clone()),
        front_door: identity.and_then(|identity| identity.front_door),
        front_door_notes: identity.map(|identity| identity.front_door_notes.clone()).unwrap_or_default(),
        redirect_host: identity.and_then(|identity| identity.redirect_host.clone()),
        retired_transport: identity.is_some_and(|identity| identity.retired_transport),
        tools,
        votes: records.iter().rev().take(votes).map(vote_entry).collect(),
    }
}

fn vote_entry(record: &Record) -> VoteEntry {
    let class = record.published_class();
    VoteEntry {
        at: Timestamp::from_seconds(record.started_s),
        slot: Timestamp::from_ms(slot_ms(record.slot)),
        class,
        counted: class.counted(),
        reason: record.published_reason(),
        phase: record.phase,
        http_status: record.http_status,
        latency_ms: record.latency_ms,
        tools_ok: record.tools_ok,
        shape: record.shape.map(|shape| shape.digest),
        violations: record.violations().collect(),
        colo: record.colo.and_then(|colo| String::from_utf8(colo.to_vec()).ok()),
    }
}
