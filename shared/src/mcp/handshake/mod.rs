//! Reads the result of `initialize` and of `server/discover`.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{message, present, version};
use crate::methodology::cuts;
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
    /// In the order found, without repeats.
    pub violations: Vec<Violation>,
}

/// A required member is missing or of the wrong type: no handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is missing or of the wrong type")]
pub struct MissingMember(pub &'static str);

/// Reads an `InitializeResult`.
///
/// The version is known where `initialize` belongs to it: a server that answers with the revision that has no
/// `initialize` leaves us nothing to go on with.
///
/// # Errors
/// `protocolVersion` is no text or `capabilities` no object.
pub fn read_initialize(result: &Value) -> Result<Handshake, MissingMember> {
    let negotiated =
        result.get("protocolVersion").and_then(Value::as_str).ok_or(MissingMember("protocolVersion"))?;
    let mut violations = Vec::new();
    let offers_tools = read_capabilities(result, &mut violations)?;
    let server_info = present(result, "serverInfo");
    if server_info.is_none() {
        violations.push(Violation::ServerInfoMissing);
    }
    let server = server_info.and_then(|info| read_server(info, &mut violations));
    Ok(Handshake {
        protocol_version: Some(cuts::cut(negotiated, cuts::PROTOCOL_VERSION).to_owned()),
        version_known: version::LEGACY.contains(&negotiated),
        server,
        offers_tools,
        violations,
    })
}

/// Reads a `DiscoverResult`. Its server is named in `_meta`, and may be left unnamed: the member is a SHOULD, which an
/// operator may have turned off.
///
/// # Errors
/// `capabilities` is no object, or `resultType` is one we do not know.
pub fn read_discover(result: &Value) -> Result<Handshake, MissingMember> {
    let mut violations = Vec::new();
    let supported = present(result, "supportedVersions").and_then(Value::as_array);
    if supported.is_none() {
        // It answered a request of this revision: that much is known.
        violations.push(Violation::SupportedVersionsMissing);
    }
    let version_known = supported
        .is_none_or(|versions| versions.iter().any(|listed| listed.as_str() == Some(version::MODERN)));
    read_result_members(result, &mut violations)?;
    let offers_tools = read_capabilities(result, &mut violations)?;
    let server_info = result.get("_meta").and_then(|meta| present(meta, message::SERVER_INFO_META));
    let server = server_info.and_then(|info| read_server(info, &mut violations));
    Ok(Handshake {
        protocol_version: version_known.then(|| version::MODERN.to_owned()),
        version_known,
        server,
        offers_tools,
        violations,
    })
}

/// The members every modern result has: `resultType`, `ttlMs`, `cacheScope`.
///
/// # Errors
/// `resultType` is there and not `complete`: the specification has clients treat that as invalid. Where it is absent
/// the result counts as complete.
pub(super) fn read_result_members(
    result: &Value,
    violations: &mut Vec<Violation>,
) -> Result<(), MissingMember> {
    match present(result, "resultType") {
        None => violations.push(Violation::ResultTypeMissing),
        Some(kind) if kind.as_str() == Some("complete") => {}
        Some(_) => return Err(MissingMember("resultType")),
    }
    if !present(result, "ttlMs").and_then(Value::as_f64).is_some_and(|ttl_ms| ttl_ms >= 0.0) {
        violations.push(Violation::TtlMissing);
    }
    if !matches!(present(result, "cacheScope").and_then(Value::as_str), Some("public" | "private")) {
        violations.push(Violation::CacheScopeMissing);
    }
    Ok(())
}

/// Whether tools are offered.
fn read_capabilities(result: &Value, violations: &mut Vec<Violation>) -> Result<bool, MissingMember> {
    match result.get("capabilities") {
        Some(Value::Object(capabilities)) => match capabilities.get("tools") {
            None | Some(Value::Null | Value::Bool(false)) => Ok(false),
            Some(Value::Object(_)) => Ok(true),
            Some(_) => {
                violations.push(Violation::CapabilityType);
                Ok(true)
            }
        },
        // An empty PHP array, most often.
        Some(Value::Array(items)) if items.is_empty() => {
            violations.push(Violation::CapabilitiesArray);
            Ok(false)
        }
        _ => Err(MissingMember("capabilities")),
    }
}

fn read_server(info: &Value, violations: &mut Vec<Violation>) -> Option<ServerIdentity> {
    let text = |member: &str| info.get(member).and_then(Value::as_str);
    let (name, version) = (text("name").filter(|name| !name.is_empty()), text("version"));
    if name.is_none() || version.is_none() {
        violations.push(Violation::ServerInfoInvalid);
    }
    name.map(|name| ServerIdentity {
        name: cuts::cut(name, cuts::SERVER_NAME).to_owned(),
        version: cuts::cut(version.unwrap_or_default(), cuts::SERVER_VERSION).to_owned(),
    })
}
