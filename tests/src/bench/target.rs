//! The target of both programs: a small MCP server without sessions, of a few dozen tools.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::serving;

/// The tools it lists.
pub const TOOLS: u32 = (SUBJECTS.len() * ACTIONS.len()) as u32;

/// What the tools are about, and what they do with it: names, descriptions and parameters as long as those of the
/// servers people run.
const SUBJECTS: [&str; 6] = ["issue", "pull_request", "repository", "release", "workflow_run", "discussion"];
const ACTIONS: [(&str, &str); 6] = [
    ("list", "Returns one page, newest first. Use `cursor` of the answer to ask for the next one."),
    ("get", "Returns all fields, with the names of labels and assignees, and a link for people."),
    ("create", "Needs write access. Returns what was created, with the number that the others ask for."),
    ("update", "Changes only the fields that are given; an empty list removes all values of a field."),
    ("search", "Takes the search syntax of the web site. At most 100 results for each page are returned."),
    ("close", "Needs write access. Does nothing where it is closed already, and says so in the answer."),
];

/// A running server.
pub struct Target {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    requests: AtomicU64,
    initialize: String,
    tools: String,
    held: Mutex<Option<Arc<Barrier>>>,
}

impl Target {
    /// Begins to serve every address of this machine: all of 127/8 leads here.
    ///
    /// # Errors
    /// A sentence, where no socket is to be had.
    pub fn start() -> Result<Self, String> {
        let (listener, port) = serving::listener(Ipv4Addr::UNSPECIFIED)
            .map_err(|error| format!("cannot listen on this machine: {error}"))?;
        let state = Arc::new(State {
            requests: AtomicU64::new(0),
            initialize: initialize().to_string(),
            tools: json!({"tools": tools()}).to_string(),
            held: Mutex::default(),
        });
        let served = state.clone();
        serving::serve(listener, move |request| answer(served.clone(), request));
        Ok(Self { port, state })
    }

    /// Requests that came so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::Relaxed)
    }

    /// From now on no list of tools is answered before this many are asked for.
    pub fn hold(&self, probes: u32) {
        let barrier = Arc::new(Barrier::new(probes as usize));
        *self.state.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(barrier);
    }
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    state.requests.fetch_add(1, Ordering::Relaxed);
    if request.method() != Method::POST {
        return serving::json(StatusCode::METHOD_NOT_ALLOWED, String::new());
    }
    let body = serving::whole(request.into_body()).await;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let id = &message["id"];
    let result = match message["method"].as_str() {
        Some("initialize") => &state.initialize,
        Some("tools/list") => {
            let held = state.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(held) = held {
                held.wait().await;
            }
            &state.tools
        }
        Some("notifications/initialized") => return serving::json(StatusCode::ACCEPTED, String::new()),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            let text = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
            return serving::json(StatusCode::OK, text);
        }
    };
    serving::json(StatusCode::OK, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
}

fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "bench", "version": "1.0.0"},
        "instructions": "Ask for a list first; numbers are those that people see.",
    })
}

fn tools() -> Vec<Value> {
    SUBJECTS
        .iter()
        .flat_map(|subject| ACTIONS.iter().map(|(action, what)| tool(subject, action, what)))
        .collect()
}

fn tool(subject: &str, action: &str, what: &str) -> Value {
    let things = subject.replace('_', " ");
    json!({
        "name": format!("{action}_{subject}"),
        "title": format!("{action} {things}"),
        "description": format!("{action} the {things} of a project. {what}"),
        "inputSchema": {
            "type": "object",
            "properties": {
                "owner": {"type": "string", "description": "The account that the project belongs to"},
                "project": {"type": "string", "description": "The name of the project, without its owner"},
                "number": {"type": "integer", "minimum": 1, "description": format!("The number of the {things}")},
                "state": {"type": "string", "enum": ["open", "closed", "all"], "default": "open",
                    "description": format!("Which {things} to consider")},
                "labels": {"type": "array", "items": {"type": "string"}, "description": "Names of labels"},
            },
            "required": ["owner", "project"],
            "additionalProperties": false,
        },
        "annotations": {"readOnlyHint": matches!(action, "list" | "get" | "search"), "openWorldHint": true},
    })
}
