//! `tools.json` and `tool.json`: what we saw of the listings, the same for people and programs.
//!
//! Members whose value does not exist are null, never a guess.

use serde::Serialize;
use shared::listing::{State, Tier};
use shared::outcome::{Class, Counted, Era, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};
use shared::shape::Digest;
use shared::verdict::ServerIdentity;

use super::timestamp::Timestamp;

/// The licence of every document we publish.
pub const LICENCE: &str = "CC BY 4.0";

/// `/api/v2/tools/{slug}/tool.json`: one listing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolDocument {
    pub formula_version: &'static str,
    /// Every age is relative to this.
    pub as_of: Timestamp,
    pub licence: &'static str,
    #[serde(flatten)]
    pub tool: ToolEntry,
}

/// `/api/v2/tools.json`: the listings in order of their slugs, at most 100 a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoardDocument {
    pub formula_version: &'static str,
    pub as_of: Timestamp,
    pub licence: &'static str,
    pub tools: Vec<ToolEntry>,
    /// Give this as `?after=` for the next page; null on the last one.
    pub next: Option<String>,
}

/// One listing with what each configured network saw of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolEntry {
    pub listing: ListingEntry,
    pub tier: Tier,
    pub state: State,
    /// The newest vote over all networks, and the network it came from.
    pub last_probe: Option<LastProbe>,
    /// One entry a configured network, in the order of configuration.
    pub networks: Vec<NetworkEntry>,
}

/// What we call the listing, and what we probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListingEntry {
    pub slug: String,
    /// Ours, never the self-reported one.
    pub name: String,
    pub url: String,
    pub listed_at: Timestamp,
}

/// The newest vote of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastProbe {
    pub network: String,
    #[serde(flatten)]
    pub vote: VoteEntry,
}

/// What one network saw of a listing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkEntry {
    pub network: String,
    pub precision: Precision,
    /// Minutes between slots now.
    pub interval_minutes: u32,
    /// The generation of MCP that answered last.
    pub era: Option<Era>,
    pub protocol_version: Option<String>,
    /// Self-reported and unchecked.
    pub server: Option<ServerIdentity>,
    /// How the OAuth front door looked when it was last observed.
    pub front_door: Option<FrontDoor>,
    pub front_door_notes: Vec<FrontDoorNote>,
    /// Where an off-origin redirect led, by host.
    pub redirect_host: Option<String>,
    /// The endpoint announced the retired HTTP+SSE transport.
    pub retired_transport: bool,
    /// The tools as last listed.
    pub tools: Option<ToolsEntry>,
    /// The newest votes, newest first: 12 in `tools.json`, 72 in `tool.json`, at most.
    pub votes: Vec<VoteEntry>,
}

/// The tools of the newest vote that listed any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolsEntry {
    /// Null where the shape itself was not kept.
    pub count: Option<u32>,
    pub complete: bool,
    pub shape: Digest,
    /// Tool names cut to 128 bytes, in `tool.json` alone. Null where the shape itself was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
}

/// One vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoteEntry {
    /// Start of the probe.
    pub at: Timestamp,
    /// The grid time it belongs to.
    pub slot: Timestamp,
    #[serde(rename = "classification")]
    pub class: Class,
    pub counted: Counted,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub http_status: Option<u16>,
    pub latency_ms: Option<u32>,
    pub tools_ok: Option<bool>,
    /// The shape of the tools this vote listed.
    pub shape: Option<Digest>,
    pub violations: Vec<Violation>,
    /// Where an edge network probed from.
    pub colo: Option<String>,
}

impl NetworkEntry {
    /// The newest vote of this network.
    #[must_use]
    pub fn latest(&self) -> Option<&VoteEntry> {
        self.votes.first()
    }
}
