//! MCP over HTTP: the requests we send, JSON-RPC, the event-stream reader, eras and versions, the OAuth front door.

pub mod handshake;
pub mod json;
pub mod message;
pub mod oauth;
pub mod rpc;
pub mod sse;
pub mod tools;
pub mod version;
