//! Where the documents of a front door may be, in the order to ask (RFC 9728 section 3.1, RFC 8414 section 3.1).

use url::Url;

use super::address::without_slash;

const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";
const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID_CONFIGURATION: &str = "/.well-known/openid-configuration";

/// Protected-resource metadata of an endpoint whose challenge names none: with the endpoint's path and query behind
/// the well-known part, then at the root. One candidate where both are the same.
#[must_use]
pub fn resource_candidates(endpoint: &Url) -> Vec<Url> {
    let mut inserted = at(endpoint, &format!("{PROTECTED_RESOURCE}{}", without_slash(endpoint.path())));
    inserted.set_query(endpoint.query());
    let root = at(endpoint, PROTECTED_RESOURCE);
    if inserted == root { vec![root] } else { vec![inserted, root] }
}

/// Authorization-server metadata of an issuer: three places where it has a path, else two.
#[must_use]
pub fn authorization_server_candidates(issuer: &Url) -> Vec<Url> {
    let path = without_slash(issuer.path());
    let mut candidates = vec![
        at(issuer, &format!("{AUTHORIZATION_SERVER}{path}")),
        at(issuer, &format!("{OPENID_CONFIGURATION}{path}")),
    ];
    if !path.is_empty() {
        candidates.push(at(issuer, &format!("{path}{OPENID_CONFIGURATION}")));
    }
    candidates
}

/// Authorization-server metadata as revision 2025-03-26 placed it: at the root of the endpoint's own origin.
#[must_use]
pub fn older_root(endpoint: &Url) -> Url {
    at(endpoint, AUTHORIZATION_SERVER)
}

/// Whether this is one of the OpenID Connect locations.
#[must_use]
pub fn is_openid(location: &Url) -> bool {
    location.path().contains(OPENID_CONFIGURATION)
}

/// Another path on the same origin, with nothing else of the address.
fn at(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    // Addresses with a host, as all of ours are, take these; there is nothing to lose where one does not.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: impl Fn(&Url) -> Vec<Url>, from: &str, expected: &[&str]) {
        let found: Vec<String> = function(&Url::parse(from).unwrap()).into_iter().map(String::from).collect();
        assert_eq!(found, expected, "{from}");
    }

    #[test]
    fn resource_metadata_is_sought_under_the_path_then_at_the_root() {
        let root = "https://a.example/.well-known/oauth-protected-resource";
        let table: &[(&str, &[&str])] = &[
            ("https://a.example/mcp", &["https://a.example/.well-known/oauth-protected-resource/mcp", root]),
            ("https://a.example/mcp/", &["https://a.example/.well-known/oauth-protected-resource/mcp", root]),
            (
                "https://a.example/v1/mcp",
                &["https://a.example/.well-known/oauth-protected-resource/v1/mcp", root],
            ),
            (
                "https://a.example/a%20b",
                &["https://a.example/.well-known/oauth-protected-resource/a%20b", root],
            ),
            (
                "https://a.example/mcp?k=v#f",
                &["https://a.example/.well-known/oauth-protected-resource/mcp?k=v", root],
            ),
            ("https://a.example/?k=v", &["https://a.example/.well-known/oauth-protected-resource?k=v", root]),
            ("https://a.example/", &[root]),
            ("https://a.example", &[root]),
            ("https://user:secret@a.example/", &[root]),
        ];
        for (endpoint, expected) in table {
            check(resource_candidates, endpoint, expected);
        }
        check(
            resource_candidates,
            "http://127.0.0.1:3000/mcp",
            &[
                "http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp",
                "http://127.0.0.1:3000/.well-known/oauth-protected-resource",
            ],
        );
    }

    #[test]
    fn an_issuer_with_a_path_has_three_places_and_one_without_two() {
        let table: &[(&str, &[&str])] = &[
            (
                "https://a.example/tenant1",
                &[
                    "https://a.example/.well-known/oauth-authorization-server/tenant1",
                    "https://a.example/.well-known/openid-configuration/tenant1",
                    "https://a.example/tenant1/.well-known/openid-configuration",
                ],
            ),
            (
                "https://a.example/x/y/?q=1#f",
                &[
                    "https://a.example/.well-known/oauth-authorization-server/x/y",
                    "https://a.example/.well-known/openid-configuration/x/y",
                    "https://a.example/x/y/.well-known/openid-configuration",
                ],
            ),
            (
                "https://a.example:8443/",
                &[
                    "https://a.example:8443/.well-known/oauth-authorization-server",
                    "https://a.example:8443/.well-known/openid-configuration",
                ],
            ),
        ];
        for (issuer, expected) in table {
            check(authorization_server_candidates, issuer, expected);
        }
        let places = authorization_server_candidates(&Url::parse("https://a.example/t").unwrap());
        assert_eq!(places.iter().map(is_openid).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn the_older_place_drops_the_path() {
        check(
            |url| vec![older_root(url)],
            "https://a.example/v1/mcp?k=v",
            &["https://a.example/.well-known/oauth-authorization-server"],
        );
    }
}
