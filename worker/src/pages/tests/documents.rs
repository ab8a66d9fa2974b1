//! Representative documents: one for every kind of listing the pages have to show.

use shared::listing::{State, Tier};
use shared::outcome::{Class, Era, FrontDoor, FrontDoorNote as Note, Phase, Precision, Reason, Violation};
use shared::shape::Digest;
use shared::verdict::ServerIdentity;

use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{
    BoardDocument, LICENCE, LastProbe, ListingEntry, NetworkEntry, ToolDocument, ToolEntry, ToolsEntry,
    VoteEntry,
};
use crate::pages::Site;

/// 30 November 2026, 17:37:41 UTC.
pub(super) const AS_OF: i64 = 1_796_060_261;
pub(super) const EXACT: &str = "tools-centralindia";
pub(super) const EDGE: &str = "cf-edge";

/// Markup, a quote of each kind, a turn of direction, a line end, an emoji.
pub(super) const HOSTILE: &str =
    "</code><script>alert(1)</script>\"'`\u{202E}txet desrever\u{202C}\r\nsecond line \0 👩\u{200D}💻 & <em>";

pub(super) fn site() -> Site {
    Site {
        origin: "https://www.isitstillup.com".to_owned(),
        tools_mail: "tools@isitstillup.com".to_owned(),
        legal_mail: "legal@isitstillup.com".to_owned(),
        privacy_mail: "privacy@isitstillup.com".to_owned(),
        networks: vec![(EXACT.to_owned(), Precision::Exact), (EDGE.to_owned(), Precision::Edge)],
    }
}

/// A vote of the slot `back` intervals before the newest one.
fn vote(class: Class, interval: u32, back: i64, offset_s: i64) -> VoteEntry {
    let newest_slot = AS_OF.div_euclid(300) * 300 - 300;
    let slot = newest_slot - back * i64::from(interval) * 60;
    let answered = matches!(class, Class::Up | Class::Degraded | Class::AuthRequired);
    VoteEntry {
        at: Timestamp::from_seconds(slot + offset_s),
        slot: Timestamp::from_seconds(slot),
        class,
        counted: class.counted(),
        reason: None,
        phase: None,
        http_status: answered.then_some(if class == Class::AuthRequired { 401 } else { 200 }),
        latency_ms: answered.then(|| 380 + u32::try_from((back * 37) % 140).unwrap()),
        tools_ok: answered.then_some(true),
        shape: None,
        violations: Vec::new(),
        colo: None,
    }
}

fn network(name: &str, interval: u32, votes: Vec<VoteEntry>) -> NetworkEntry {
    NetworkEntry {
        network: name.to_owned(),
        precision: if name == EDGE { Precision::Edge } else { Precision::Exact },
        interval_minutes: interval,
        era: None,
        protocol_version: None,
        server: None,
        front_door: None,
        front_door_notes: Vec::new(),
        redirect_host: None,
        retired_transport: false,
        tools: None,
        votes,
    }
}

fn tool(slug: &str, name: &str, url: &str, tier: Tier, networks: Vec<NetworkEntry>) -> ToolEntry {
    let newest = networks
        .iter()
        .filter_map(|network| Some((network, network.latest()?)))
        .max_by_key(|(_, vote)| vote.at)
        .map(|(network, vote)| LastProbe { network: network.network.clone(), vote: vote.clone() });
    ToolEntry {
        listing: ListingEntry {
            slug: slug.to_owned(),
            name: name.to_owned(),
            url: url.to_owned(),
            listed_at: Timestamp::from_seconds(AS_OF - 86_400 * 20),
        },
        tier,
        state: State::Active,
        last_probe: newest,
        networks,
    }
}

fn answered(mut network: NetworkEntry, names: &[&str]) -> NetworkEntry {
    network.era = Some(Era::Legacy);
    network.protocol_version = Some("2025-11-25".to_owned());
    network.server = Some(ServerIdentity { name: "tidewater-docs".to_owned(), version: "3.2.0".to_owned() });
    network.tools = Some(ToolsEntry {
        count: Some(u32::try_from(names.len()).unwrap()),
        complete: true,
        shape: Digest([0x9f, 0x31, 0xc2, 0xab, 0x44, 0x05, 0x77, 0x1e]),
        names: Some(names.iter().map(|name| (*name).to_owned()).collect()),
    });
    network
}

const NAMES: [&str; 9] = [
    "diff_versions",
    "get_changelog",
    "get_outline",
    "get_page",
    "list_collections",
    "list_languages",
    "list_versions",
    "resolve_anchor",
    "search_pages",
];

/// Open, up from both networks, with a few votes that went otherwise.
pub(super) fn open_up() -> ToolEntry {
    let run = |offset: i64| -> Vec<VoteEntry> {
        let mut votes: Vec<_> = (0..72)
            .filter(|back| ![31, 32].contains(back))
            .map(|back| vote(Class::Up, 5, back, offset))
            .collect();
        votes[5] = vote(Class::Timeout, 5, 5, offset);
        votes[5].phase = Some(Phase::Headers);
        votes[9] = vote(Class::RateLimited, 5, 9, offset);
        votes[9].reason = Some(Reason::TooManyRequests);
        votes[9].http_status = Some(429);
        votes[14] = vote(Class::Degraded, 5, 14, offset);
        votes[14].violations = vec![Violation::IdType, Violation::ContentType];
        votes[20].latency_ms = Some(1_240);
        votes
    };
    let exact = answered(network(EXACT, 5, run(118)), &NAMES);
    let mut edge = answered(network(EDGE, 5, run(31)), &NAMES);
    edge.votes.iter_mut().for_each(|vote| vote.colo = Some("BOM".to_owned()));
    tool(
        "tidewater-docs",
        "Tidewater Docs",
        "https://mcp.tidewater.example.com/",
        Tier::Open,
        vec![exact, edge],
    )
}

/// Open, usable, with rules not kept and a list cut short.
pub(super) fn degraded() -> ToolEntry {
    let mut votes: Vec<_> = (0..10).map(|back| vote(Class::Degraded, 5, back, 90)).collect();
    for vote in &mut votes {
        vote.violations = vec![Violation::IdType, Violation::SseUnterminated, Violation::DuplicateTool];
        vote.shape = Some(Digest([1, 2, 3, 4, 5, 6, 7, 8]));
    }
    let mut exact = answered(network(EXACT, 5, votes), &["echo", "add"]);
    exact.era = Some(Era::Modern);
    exact.protocol_version = Some("2026-07-28".to_owned());
    exact.tools.as_mut().unwrap().complete = false;
    let mut edge = answered(network(EDGE, 5, vec![vote(Class::Degraded, 5, 0, 30)]), &["echo"]);
    edge.votes[0].reason = Some(Reason::ToolsFailed);
    edge.tools.as_mut().unwrap().shape = Digest([0; 8]);
    edge.server = Some(ServerIdentity { name: "other".to_owned(), version: "1".to_owned() });
    tool(
        "lattice-issues",
        "Lattice Issues",
        "https://lattice.example.net:8443/v1/mcp?team=a",
        Tier::Open,
        vec![exact, edge],
    )
}

/// Gated, with a front door as given.
pub(super) fn gated(slug: &str, door: FrontDoor, notes: &[Note]) -> ToolEntry {
    let votes = |offset| (0..12).map(|back| vote(Class::AuthRequired, 30, back, offset)).collect();
    let mut networks = vec![network(EXACT, 30, votes(200)), network(EDGE, 30, votes(1_100))];
    networks[1].votes.remove(0);
    networks[1].votes[0] = vote(Class::ConnectFailed, 30, 1, 1_100);
    networks[1].votes[0].reason = Some(Reason::ConnectionRefused);
    networks[1].votes[0].phase = Some(Phase::Connect);
    for network in &mut networks {
        network.era = Some(Era::Legacy);
        network.front_door = Some(door);
        network.front_door_notes = notes.to_vec();
    }
    tool(slug, "Tideline Accounts", "https://accounts.tideline.example.org/mcp", Tier::Gated, networks)
}

pub(super) fn gated_ok() -> ToolEntry {
    gated("tideline-ok", FrontDoor::Ok, &[Note::MetadataFromChallenge, Note::FromCache])
}

pub(super) fn gated_partial() -> ToolEntry {
    gated(
        "tideline-partial",
        FrontDoor::Partial,
        &[Note::MetadataFromChallenge, Note::AuthorizationServerMissing],
    )
}

pub(super) fn gated_bare() -> ToolEntry {
    gated("tideline-bare", FrontDoor::Bare, &[Note::ChallengeNamesNoDocument, Note::MetadataMissing])
}

/// Never answered as MCP; the newest votes fail.
pub(super) fn failing() -> ToolEntry {
    let mut votes: Vec<_> = (0..8).map(|back| vote(Class::TlsFailure, 5, back, 60)).collect();
    for vote in &mut votes {
        vote.reason = Some(Reason::CertificateExpired);
        vote.phase = Some(Phase::Tls);
    }
    let mut edge: Vec<_> = (0..8).map(|back| vote(Class::VantageUnclear, 5, back, 20)).collect();
    edge[3] = vote(Class::Http5xx, 5, 3, 20);
    edge[3].http_status = Some(526);
    tool(
        "kiln-render",
        "Kiln Render",
        "https://mcp.kiln.example.org/",
        Tier::Unknown,
        vec![network(EXACT, 5, votes), network(EDGE, 5, edge)],
    )
}

/// Listed a moment ago.
pub(super) fn no_votes() -> ToolEntry {
    let networks = vec![network(EXACT, 5, Vec::new()), network(EDGE, 5, Vec::new())];
    let mut new =
        tool("semaphore-rail", "Semaphore Rail", "https://rail.example.com/mcp", Tier::Unknown, networks);
    new.listing.listed_at = Timestamp::from_seconds(AS_OF - 40);
    new
}

/// Not probed any more.
pub(super) fn delisted() -> ToolEntry {
    let mut gone = open_up();
    gone.networks.iter_mut().for_each(|network| network.votes.truncate(3));
    gone.listing.slug = "brae-terrain".to_owned();
    gone.listing.name = "Brae Terrain".to_owned();
    gone.state = State::Delisted;
    gone
}

/// Everything a server or an operator can write is hostile.
pub(super) fn hostile() -> ToolEntry {
    let mut entry = open_up();
    entry.listing.slug = "hostile".to_owned();
    entry.listing.name = HOSTILE.to_owned();
    entry.listing.url = "https://mcp.example.com/it's\"%3Cb%3E?x=</pre>".to_owned();
    let endless = "A".repeat(10_000);
    for network in &mut entry.networks {
        network.protocol_version = Some(format!("<i>{HOSTILE}"));
        network.server = Some(ServerIdentity { name: HOSTILE.to_owned(), version: endless.clone() });
        network.redirect_host = Some("<u>xn--\u{202E}".to_owned());
        network.votes.truncate(3);
        let names = network.tools.as_mut().unwrap().names.as_mut().unwrap();
        *names = vec![HOSTILE.to_owned(), endless.clone(), "\u{200B}".to_owned(), "مرحبا".to_owned()];
    }
    entry
}

pub(super) fn document(tool: ToolEntry) -> ToolDocument {
    ToolDocument {
        formula_version: shared::methodology::FORMULA_VERSION,
        as_of: Timestamp::from_seconds(AS_OF),
        licence: LICENCE,
        tool,
    }
}

pub(super) fn board(tools: Vec<ToolEntry>, next: Option<&str>) -> BoardDocument {
    BoardDocument {
        formula_version: shared::methodology::FORMULA_VERSION,
        as_of: Timestamp::from_seconds(AS_OF),
        licence: LICENCE,
        tools,
        next: next.map(str::to_owned),
    }
}

/// One of every kind.
pub(super) fn every_kind() -> Vec<ToolEntry> {
    vec![
        open_up(),
        degraded(),
        gated_ok(),
        gated_partial(),
        gated_bare(),
        failing(),
        no_votes(),
        delisted(),
        hostile(),
    ]
}
