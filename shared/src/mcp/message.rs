//! The JSON bodies of every message a probe sends, and the names of their members.

use serde::Serialize;

use super::version;
use crate::methodology;
use crate::outcome::Era;

/// Method names, as in bodies and in `Mcp-Method`.
pub mod method {
    pub const INITIALIZE: &str = "initialize";
    pub const INITIALIZED: &str = "notifications/initialized";
    pub const DISCOVER: &str = "server/discover";
    pub const TOOLS_LIST: &str = "tools/list";
}

/// Where a modern result names its server, within `_meta`.
pub const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";

#[derive(Serialize)]
struct Message<P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

/// `{}`: what we declare, always (methodology section 4); servers may show fewer tools for it.
#[derive(Serialize)]
struct ClientCapabilities {}

#[derive(Serialize)]
struct ClientInfo {
    name: &'static str,
    version: &'static str,
}

const CLIENT_INFO: ClientInfo =
    ClientInfo { name: methodology::CLIENT_NAME, version: methodology::CLIENT_VERSION };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: &'static str,
    capabilities: ClientCapabilities,
    client_info: ClientInfo,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    protocol_version: &'static str,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    client_capabilities: ClientCapabilities,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client_info: ClientInfo,
}

const META: Meta = Meta {
    protocol_version: version::MODERN,
    client_capabilities: ClientCapabilities {},
    client_info: CLIENT_INFO,
};

#[derive(Serialize)]
struct Params<'a> {
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
}

fn body<P: Serialize>(id: Option<u32>, method: &'static str, params: Option<P>) -> String {
    // These structures have no map with a non-text key and no fallible serializer: an error cannot occur.
    serde_json::to_string(&Message { jsonrpc: "2.0", id, method, params }).unwrap_or_default()
}

/// `initialize`, the legacy handshake.
#[must_use]
pub fn initialize(id: u32, version: &'static str) -> String {
    let params = InitializeParams {
        protocol_version: version,
        capabilities: ClientCapabilities {},
        client_info: CLIENT_INFO,
    };
    body(Some(id), method::INITIALIZE, Some(params))
}

/// `notifications/initialized`, without which several servers refuse to list their tools.
#[must_use]
pub fn initialized() -> String {
    body::<Params<'_>>(None, method::INITIALIZED, None)
}

/// `server/discover`, the modern handshake.
#[must_use]
pub fn discover(id: u32) -> String {
    body(Some(id), method::DISCOVER, Some(Params { meta: Some(META), cursor: None }))
}

/// `tools/list`, for the first page or the one at `cursor`.
#[must_use]
pub fn tools_list(id: u32, cursor: Option<&str>, era: Era) -> String {
    let meta = (era == Era::Modern).then_some(META);
    let params = (meta.is_some() || cursor.is_some()).then_some(Params { meta, cursor });
    body(Some(id), method::TOOLS_LIST, params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_bodies_are_exactly_these() {
        assert_eq!(
            initialize(7, version::ASKED_LEGACY),
            r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"IsItStillUp-Probe","version":"1.0"}}}"#
        );
        assert_eq!(initialized(), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(tools_list(8, None, Era::Legacy), r#"{"jsonrpc":"2.0","id":8,"method":"tools/list"}"#);
        assert_eq!(
            tools_list(9, Some("a\"b"), Era::Legacy),
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"a\"b"}}"#
        );
    }

    #[test]
    fn modern_bodies_describe_themselves() {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"IsItStillUp-Probe","version":"1.0"}}"#;
        assert_eq!(
            discover(3),
            format!(r#"{{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{{{meta}}}}}"#)
        );
        assert_eq!(
            tools_list(4, None, Era::Modern),
            format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{{{meta}}}}}"#)
        );
        assert_eq!(
            tools_list(4, Some(""), Era::Modern),
            format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{{{meta},"cursor":""}}}}"#)
        );
    }
}
