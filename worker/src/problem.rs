//! Errors as a caller sees them: RFC 9457 problem documents, or the same content as a page.

use serde::Serialize;

/// One error answer. `title` is fixed per kind; `detail` says what was wrong this time and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub title: &'static str,
    pub status: u16,
    pub detail: String,
    /// The member or parameter that broke a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The slug of the listing that stands in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<Box<str>>,
    /// The value of the `Allow` header of a 405.
    #[serde(skip)]
    pub allow: Option<&'static str>,
    /// The value of the `WWW-Authenticate` header of a 401: the scheme that would be accepted.
    #[serde(skip)]
    pub challenge: Option<&'static str>,
}

impl Problem {
    fn new(status: u16, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            title,
            status,
            detail: detail.into(),
            field: None,
            existing: None,
            allow: None,
            challenge: None,
        }
    }

    /// 400: a rule about the request is broken; `field` names where.
    pub fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(400, "Invalid request", detail) }
    }

    /// 401; `scheme` is what the address accepts.
    pub fn unauthorized(scheme: &'static str, detail: impl Into<String>) -> Self {
        Self { challenge: Some(scheme), ..Self::new(401, "Not authorized", detail) }
    }

    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(404, "Not found", detail)
    }

    /// 405 with the methods that are allowed.
    #[must_use]
    pub fn method_not_allowed(allow: &'static str) -> Self {
        let detail = format!("This address answers {allow}.");
        Self { allow: Some(allow), ..Self::new(405, "Method not allowed", detail) }
    }

    /// 409: `existing` is the listing that holds the value of `field` already.
    pub fn taken(field: &'static str, existing: String) -> Self {
        let detail = format!("{field} is taken by the listing {existing:?}.");
        Self {
            field: Some(field.to_owned()),
            existing: Some(existing.into_boxed_str()),
            ..Self::new(409, "Conflict", detail)
        }
    }

    #[must_use]
    pub fn too_large(cap: usize) -> Self {
        Self::new(413, "Body too large", format!("The body must have at most {cap} bytes."))
    }

    #[must_use]
    pub fn unsupported_media_type() -> Self {
        Self::new(415, "Unsupported media type", "Send the body with Content-Type: application/json.")
    }

    /// 500: our own fault. What happened goes to the log, not to the caller.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(500, "Internal error", "The fault is ours and is in our log.")
    }

    /// 503: not now, or not configured; `detail` says what to do.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(503, "Unavailable", detail)
    }
}
