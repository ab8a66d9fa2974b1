//! Where the documents of a front door may be, in the order to ask (RFC 9728 section 3.1, RFC 8414 section 3.1).

use url::Url;

/// Protected-resource metadata of an endpoint whose challenge names none.
#[must_use]
pub fn resource_candidates(endpoint: &Url) -> Vec<Url> {
    vec![endpoint.clone()]
}

/// Authorization-server metadata of an issuer.
#[must_use]
pub fn authorization_server_candidates(issuer: &Url) -> Vec<Url> {
    vec![issuer.clone()]
}

/// Authorization-server metadata as revision 2025-03-26 placed it: at the root of the endpoint's own origin.
#[must_use]
pub fn older_root(endpoint: &Url) -> Url {
    endpoint.clone()
}
