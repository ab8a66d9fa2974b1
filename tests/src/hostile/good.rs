//! What an honest endpoint answers, so that a behaviour has to spell out only where it is not one.

use serde_json::{Value, json};

/// The JSON-RPC answer to `id`.
#[must_use]
pub fn answer(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The JSON-RPC error for `id`.
#[must_use]
pub fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The result of `initialize`, by a server of this name.
#[must_use]
pub fn initialize(name: &str) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": name, "version": "1.0"},
    })
}

/// The result of `server/discover`.
#[must_use]
pub fn discover() -> Value {
    json!({
        "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "hostile", "version": "1.0"}},
    })
}

/// A tool.
#[must_use]
pub fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// A page of tools.
#[must_use]
pub fn tools(names: &[&str]) -> Value {
    let tools: Vec<Value> = names.iter().map(|name| tool(name)).collect();
    json!({"tools": tools})
}

/// Protected-resource metadata of the endpoint `base`, which is its own authorization server.
#[must_use]
pub fn resource_metadata(base: &str) -> Value {
    json!({"resource": base, "authorization_servers": [base]})
}

/// Authorization-server metadata of the issuer `base`.
#[must_use]
pub fn authorization_server(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}
