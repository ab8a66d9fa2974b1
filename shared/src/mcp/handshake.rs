//! Reads the result of `initialize` and of `server/discover`.

use serde_json::Value;

use crate::outcome::Violation;
use crate::verdict::ServerIdentity;

/// What a handshake said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// The negotiated revision, cut to 16 bytes; None where a discovery lists none of ours.
    pub protocol_version: Option<String>,
    /// We can go on in that revision.
    pub version_known: bool,
    pub server: Option<ServerIdentity>,
    /// `capabilities.tools` is declared.
    pub offers_tools: bool,
    pub violations: Vec<Violation>,
}

/// A required member is missing or of the wrong type: no handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is missing or of the wrong type")]
pub struct MissingMember(pub &'static str);

/// Reads an `InitializeResult`.
pub fn read_initialize(result: &Value) -> Result<Handshake, MissingMember> {
    let _ = result;
    Err(MissingMember("protocolVersion"))
}

/// Reads a `DiscoverResult`.
pub fn read_discover(result: &Value) -> Result<Handshake, MissingMember> {
    let _ = result;
    Err(MissingMember("capabilities"))
}
