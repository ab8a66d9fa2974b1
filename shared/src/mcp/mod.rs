//! MCP over HTTP: the requests we send, JSON-RPC, the event-stream reader, eras and versions, the OAuth front door.

pub mod handshake;
pub mod json;
pub mod message;
pub mod oauth;
pub mod rpc;
pub mod sse;
pub mod tools;
pub mod version;

/// U+FEFF in UTF-8, which some servers put before a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A member of an object, unless it is null: null counts as absent.
fn present<'a>(object: &'a serde_json::Value, member: &str) -> Option<&'a serde_json::Value> {
    object.get(member).filter(|value| !value.is_null())
}
