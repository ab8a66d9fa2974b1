//! The one place that makes a platform response: status, headers that every answer carries, body.

use serde::Serialize;
use wasm_bindgen::JsValue;
use worker::js_sys::Uint8Array;
use worker::web_sys::{Headers, Response, ResponseInit};

use crate::problem::Problem;

/// Only what we serve ourselves: no inline script or style, no third party, no framing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const SECURITY_HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cross-origin-opener-policy", "same-origin"),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
];

/// How long an answer may be kept by browsers and caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// Never: secrets, errors, answers to one caller.
    No,
    /// 30 seconds: documents that follow the votes.
    Short,
    /// A year: content under an address that changes with it.
    Immutable,
}

impl Cache {
    const fn header(self) -> &'static str {
        match self {
            Self::No => "no-store",
            Self::Short => "public, max-age=30",
            Self::Immutable => "public, max-age=31536000, immutable",
        }
    }
}

/// An answer, before the platform sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub cache: Cache,
    /// Other headers; names in lower case.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// A body with its type, status 200.
    pub fn new(content_type: &'static str, cache: Cache, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, content_type, cache, headers: Vec::new(), body: body.into() }
    }

    /// A page.
    #[must_use]
    pub fn html(html: String) -> Self {
        Self::new("text/html; charset=utf-8", Cache::Short, html)
    }

    /// Plain text.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::new("text/plain; charset=utf-8", Cache::Short, text)
    }

    /// A JSON document for one caller.
    #[must_use]
    pub fn json(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::new("application/json", Cache::No, body),
            // Only maps with keys that are no text can fail, and we have none.
            Err(_) => Self::problem(&Problem::internal()),
        }
    }

    /// A JSON document for everybody, readable from any origin.
    #[must_use]
    pub fn public_json(value: &impl Serialize) -> Self {
        let mut reply = Self::json(value);
        if reply.status == 200 {
            reply.cache = Cache::Short;
            reply.headers.push(("access-control-allow-origin", "*".to_owned()));
        }
        reply
    }

    /// A problem document.
    #[must_use]
    pub fn problem(problem: &Problem) -> Self {
        let body = serde_json::to_vec(problem).unwrap_or_default();
        Self::new("application/problem+json", Cache::No, body).for_problem(problem)
    }

    /// The same answer with status and headers of `problem`: an error page.
    #[must_use]
    pub fn for_problem(mut self, problem: &Problem) -> Self {
        self.status = problem.status;
        self.cache = Cache::No;
        if let Some(allow) = problem.allow {
            self.headers.push(("allow", allow.to_owned()));
        }
        if let Some(challenge) = problem.challenge {
            self.headers.push(("www-authenticate", challenge.to_owned()));
        }
        self
    }

    /// The platform's response. `head` leaves the body out and keeps its length.
    ///
    /// # Errors
    /// A header the platform does not accept.
    pub fn respond(self, head: bool) -> Result<Response, JsValue> {
        let headers = Headers::new()?;
        headers.set("content-type", self.content_type)?;
        headers.set("cache-control", self.cache.header())?;
        for (name, value) in SECURITY_HEADERS {
            headers.set(name, value)?;
        }
        for (name, value) in &self.headers {
            headers.set(name, value)?;
        }
        if head {
            headers.set("content-length", &self.body.len().to_string())?;
        }
        let init = ResponseInit::new();
        init.set_status(self.status);
        init.set_headers(&headers);
        let body = (!head).then(|| Uint8Array::from(self.body.as_slice()));
        Response::new_with_opt_buffer_source_and_init(body.as_deref(), &init)
    }
}
