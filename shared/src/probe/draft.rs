//! The requests of a probe as published: which headers and bodies go where. (protocol sections 1.2 and 1.5)

use url::Url;

use super::exchange::Draft;
use super::plan::Deadlines;
use super::request::{Connection, Method, Purpose, Reading};
use crate::mcp::message::{self, method};
use crate::mcp::version;
use crate::methodology::limits;
use crate::outcome::Era;

const JSON: &str = "application/json";
/// Both types are required of a client; servers answer 406 to less.
const ACCEPTED: &str = "application/json, text/event-stream";
const VERSION_HEADER: &str = "mcp-protocol-version";
pub(super) const SESSION_HEADER: &str = "mcp-session-id";
const METHOD_HEADER: &str = "mcp-method";

/// How to speak within an opened conversation.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) era: Era,
    pub(super) version: &'static str,
    pub(super) session: Option<String>,
}

impl Context {
    fn headers(&self, method: &'static str) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", JSON.to_owned()),
            ("accept", ACCEPTED.to_owned()),
            (VERSION_HEADER, self.version.to_owned()),
        ];
        headers.extend(self.session.clone().map(|session| (SESSION_HEADER, session)));
        if self.era == Era::Modern {
            headers.push((METHOD_HEADER, method.to_owned()));
        }
        headers
    }
}

/// `initialize`; it carries no version header, which some servers refuse.
pub(super) fn initialize(endpoint: &Url, deadlines: &Deadlines, id: u32, version: &'static str) -> Draft {
    Draft {
        purpose: Purpose::Initialize,
        method: Method::Post,
        url: endpoint.clone(),
        headers: vec![("content-type", JSON.to_owned()), ("accept", ACCEPTED.to_owned())],
        body: Some(message::initialize(id, version)),
        connection: Connection::New,
        reading: Reading::Answer { id, cap: limits::HANDSHAKE_BYTES },
        limit_ms: deadlines.handshake_ms,
    }
}

/// `server/discover`.
pub(super) fn discover(endpoint: &Url, deadlines: &Deadlines, id: u32) -> Draft {
    let context = Context { era: Era::Modern, version: version::MODERN, session: None };
    Draft {
        purpose: Purpose::Discover,
        method: Method::Post,
        url: endpoint.clone(),
        headers: context.headers(method::DISCOVER),
        body: Some(message::discover(id)),
        connection: Connection::New,
        reading: Reading::Answer { id, cap: limits::HANDSHAKE_BYTES },
        limit_ms: deadlines.handshake_ms,
    }
}

/// `notifications/initialized`.
pub(super) fn initialized(endpoint: &Url, deadlines: &Deadlines, context: &Context) -> Draft {
    Draft {
        purpose: Purpose::Initialized,
        method: Method::Post,
        url: endpoint.clone(),
        headers: context.headers(method::INITIALIZED),
        body: Some(message::initialized()),
        connection: Connection::Reuse,
        reading: Reading::Headers,
        limit_ms: deadlines.initialized_ms,
    }
}

/// One page of `tools/list`, of at most `cap` bytes.
pub(super) fn tools_list(
    endpoint: &Url,
    deadlines: &Deadlines,
    context: &Context,
    id: u32,
    cursor: Option<&str>,
    cap: usize,
) -> Draft {
    Draft {
        purpose: Purpose::ToolsList,
        method: Method::Post,
        url: endpoint.clone(),
        headers: context.headers(method::TOOLS_LIST),
        body: Some(message::tools_list(id, cursor, context.era)),
        connection: Connection::Reuse,
        reading: Reading::Answer { id, cap },
        limit_ms: deadlines.request_ms,
    }
}

/// `DELETE` of the session; its answer is not read.
pub(super) fn end_session(endpoint: &Url, deadlines: &Deadlines, context: &Context, session: &str) -> Draft {
    Draft {
        purpose: Purpose::EndSession,
        method: Method::Delete,
        url: endpoint.clone(),
        headers: vec![(VERSION_HEADER, context.version.to_owned()), (SESSION_HEADER, session.to_owned())],
        body: None,
        connection: Connection::Reuse,
        reading: Reading::Headers,
        limit_ms: deadlines.end_session_ms,
    }
}

/// The GET of a metadata document. Servers of 2025-03-26 want the version header here.
pub(super) fn document(url: Url, deadlines: &Deadlines, purpose: Purpose) -> Draft {
    Draft {
        purpose,
        method: Method::Get,
        url,
        headers: vec![("accept", JSON.to_owned()), (VERSION_HEADER, version::ASKED_LEGACY.to_owned())],
        body: None,
        connection: Connection::Reuse,
        reading: Reading::Document { cap: limits::HANDSHAKE_BYTES },
        limit_ms: deadlines.request_ms,
    }
}
