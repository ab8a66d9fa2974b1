//! The good answer to each request, which a text names as `{{ok}}`.

use serde_json::{Value, json};
use shared::probe::{Purpose, Request};

/// The name and version in every good answer.
fn server() -> Value {
    json!({"name": "example", "version": "1.2.3"})
}

fn tools() -> Value {
    json!([
        {
            "name": "echo",
            "description": "Says it again",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        },
        {
            "name": "add",
            "title": "Add",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number", "default": 1}},
                "required": ["a"],
            },
        },
    ])
}

/// The document at the endpoint's place, and the one of its authorization server.
fn document(purpose: Purpose) -> Value {
    if purpose == Purpose::ResourceMetadata {
        return json!({
            "resource": "https://tools.example.com/mcp",
            "authorization_servers": ["https://auth.example.com"],
        });
    }
    json!({
        "issuer": "https://auth.example.com",
        "authorization_endpoint": "https://auth.example.com/authorize",
        "token_endpoint": "https://auth.example.com/token",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}

/// Whether a request speaks the revision without `initialize`.
fn is_modern(request: &Request) -> bool {
    request.headers.iter().any(|(name, _)| *name == "mcp-method")
}

/// The text a good server would answer to `request`, whose id is `id`.
pub(crate) fn answer(request: &Request, id: u64) -> String {
    let result = match request.purpose {
        Purpose::Initialize => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server()})
        }
        Purpose::Discover => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": server()},
        }),
        Purpose::ToolsList if is_modern(request) => {
            json!({"resultType": "complete", "tools": tools(), "ttlMs": 3_600_000, "cacheScope": "public"})
        }
        Purpose::ToolsList => json!({"tools": tools()}),
        Purpose::Initialized | Purpose::EndSession => return String::new(),
        Purpose::ResourceMetadata | Purpose::AuthorizationServer => {
            return document(request.purpose).to_string();
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}
