//! The verdict on one probe: what a person, the JSON object of `probe --json` and a vote are made from.

use serde::{Deserialize, Serialize};

use crate::outcome::{Class, Era, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};
use crate::reading::members;
use crate::shape::{Digest, Shape};

/// Everything one probe found out, cut and classified. Nothing in it is longer than `methodology::cuts` allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub class: Class,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub precision: Precision,
    /// The raw status of the answer that decided, if one came.
    pub http_status: Option<u16>,
    /// From the start of name resolution for the handshake request that was answered to the end of that answer.
    /// None where no handshake answer arrived.
    pub latency_ms: Option<u32>,
    pub era: Option<Era>,
    /// What the server negotiated, cut to 16 bytes.
    pub protocol_version: Option<String>,
    /// Self-reported, unchecked.
    pub server: Option<ServerIdentity>,
    /// None where no tools/list answer was read (not offered, refused, failed).
    pub tools: Option<ToolsSeen>,
    /// Whether tools/list worked: None where it was refused to us, not tried, or not offered.
    pub tools_ok: Option<bool>,
    pub front_door: Option<FrontDoor>,
    pub front_door_notes: Vec<FrontDoorNote>,
    /// Sorted, without repeats.
    pub violations: Vec<Violation>,
    /// Method and path of every request sent, in order.
    pub requests: Vec<String>,
    /// What the next probe of this listing should know.
    pub learned: Learned,
}

/// Name and version a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServerIdentity {
    pub name: String,
    pub version: String,
}

members!(ServerIdentity { name, version; });

/// The tools one probe listed.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolsSeen {
    /// Distinct tools read.
    pub count: u32,
    /// False where a cap or a failed page cut the listing short; entries that are no tools are skipped and not missed.
    pub complete: bool,
    /// One row of digests a tool, sorted by name.
    pub shape: Shape,
}

/// What one probe learned that makes the next one shorter or gentler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// The era that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<Era>,
    /// Where the protected-resource metadata was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_metadata: Option<String>,
    /// Where the authorization-server metadata was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_server: Option<String>,
    /// The issuer of that document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// A session was ended with DELETE.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub session_ended: bool,
    /// The endpoint announced the retired HTTP+SSE transport.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired_transport: bool,
    /// The host of an off-origin redirect, cut to 253 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_host: Option<String>,
    /// A `Retry-After` that counts, in seconds, capped at 24 h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u32>,
}

members!(Learned {
    ;
    era, resource_metadata, authorization_server, issuer, session_ended, retired_transport, redirect_host, retry_after_s
});

/// The JSON object of `isitstillup-prober probe --json` and `POST /api/admin/edge-probe`: exactly these members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeReport {
    pub class: Class,
    pub counted: crate::outcome::Counted,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub precision: Precision,
    pub http_status: Option<u16>,
    pub latency_ms: Option<u32>,
    pub era: Option<Era>,
    pub protocol_version: Option<String>,
    pub server: Option<ServerIdentity>,
    pub tools: Option<ToolsReport>,
    pub tools_ok: Option<bool>,
    pub front_door: Option<FrontDoor>,
    pub front_door_notes: Vec<FrontDoorNote>,
    pub violations: Vec<Violation>,
    pub requests: Vec<String>,
}

/// The `tools` member of a [`ProbeReport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsReport {
    pub count: u32,
    pub complete: bool,
    pub names: Vec<String>,
    pub shape: Digest,
}

impl Verdict {
    /// The published form of this verdict.
    #[must_use]
    pub fn report(&self) -> ProbeReport {
        ProbeReport {
            class: self.class,
            counted: self.class.counted(),
            reason: self.reason,
            phase: self.phase,
            precision: self.precision,
            http_status: self.http_status,
            latency_ms: self.latency_ms,
            era: self.era,
            protocol_version: self.protocol_version.clone(),
            server: self.server.clone(),
            tools: self.tools.as_ref().map(|tools| ToolsReport {
                count: tools.count,
                complete: tools.complete,
                names: tools.shape.names().map(str::to_owned).collect(),
                shape: tools.shape.digest(),
            }),
            tools_ok: self.tools_ok,
            front_door: self.front_door,
            front_door_notes: self.front_door_notes.clone(),
            violations: self.violations.clone(),
            requests: self.requests.clone(),
        }
    }
}
