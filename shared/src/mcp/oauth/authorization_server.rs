//! Reads authorization-server metadata (RFC 8414, OpenID Connect Discovery).

use serde_json::Value;

use crate::outcome::FrontDoorNote;

/// What the document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationServer {
    /// A client could use it.
    pub valid: bool,
    /// Its own issuer, where that is one.
    pub issuer: Option<String>,
    pub notes: Vec<FrontDoorNote>,
}

/// Reads the document. `issuer`: the one it was looked up for, None for the older discovery at the endpoint's root.
#[must_use]
pub fn read(document: &Value, issuer: Option<&str>, allow_private: bool) -> AuthorizationServer {
    let _ = (document, issuer, allow_private);
    AuthorizationServer { valid: false, issuer: None, notes: vec![FrontDoorNote::AuthorizationServerInvalid] }
}
