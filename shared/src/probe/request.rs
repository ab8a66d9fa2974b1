//! What the machine asks a transport to send.

use url::Url;

/// One HTTP request of a probe. The transport sends exactly this, with [`crate::methodology::USER_AGENT`],
/// `Accept-Encoding: gzip, br`, `Host` and `Content-Length`, and follows no redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub purpose: Purpose,
    pub method: Method,
    /// The transport checks the resolved addresses of every URL before it connects.
    pub url: Url,
    /// Lower-case names.
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<String>,
    pub connection: Connection,
    /// To resolve, connect and finish TLS, in milliseconds from the start of the request.
    pub connect_ms: u32,
    /// For the whole request, in milliseconds from its start; already cut to what is left of the probe's budget.
    pub deadline_ms: u32,
    /// How the answer's body is to be read.
    pub(crate) reading: Reading,
}

impl Request {
    /// Decoded bytes of the answer's body that are read at most.
    #[must_use]
    pub const fn body_cap(&self) -> usize {
        match self.reading {
            Reading::Headers => 0,
            Reading::Answer { cap, .. } | Reading::Document { cap } => cap,
        }
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Initialize,
    Discover,
    Initialized,
    ToolsList,
    EndSession,
    ResourceMetadata,
    AuthorizationServer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Delete,
}

impl Method {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// Which connection a request may use. Nothing is ever kept from one probe to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// A new one: handshake requests, so that latency includes set-up, and other origins.
    New,
    /// The one the handshake left open, where it is still usable; else a new one.
    Reuse,
}

/// How the body of an answer is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Headers are enough.
    Headers,
    /// A JSON-RPC answer with this id, as JSON or as an event stream.
    Answer { id: u32, cap: usize },
    /// A metadata document.
    Document { cap: usize },
}
