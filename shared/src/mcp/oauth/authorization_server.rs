//! Reads authorization-server metadata (RFC 8414, OpenID Connect Discovery).

use serde_json::Value;
use url::Url;

use super::address;
use crate::outcome::FrontDoorNote;

/// What the document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationServer {
    /// A client could use it: the issuer is right and both endpoints are safe addresses. Whether PKCE is advertised
    /// is a note alone.
    pub valid: bool,
    /// Its own issuer, where that is an address we would keep.
    pub issuer: Option<String>,
    pub notes: Vec<FrontDoorNote>,
}

/// Reads the document. `issuer`: the one it was looked up for, None for the older discovery at the endpoint's root.
/// `allow_private`: http on loopback is as good as https.
#[must_use]
pub fn read(document: &Value, issuer: Option<&str>, allow_private: bool) -> AuthorizationServer {
    let mut notes = Vec::new();
    let Some(own) = document.get("issuer").and_then(Value::as_str) else {
        // Without its one identifying member this is some other document.
        let notes = vec![FrontDoorNote::AuthorizationServerInvalid];
        return AuthorizationServer { valid: false, issuer: None, notes };
    };
    let kept = address::parse(own, allow_private).map(|_| own.to_owned());
    let issuer_right = if kept.is_none() {
        notes.push(FrontDoorNote::IssuerInvalid);
        false
    } else if issuer.is_some_and(|expected| !address::same_issuer(expected, own)) {
        notes.push(FrontDoorNote::IssuerMismatch);
        false
    } else {
        true
    };
    let endpoints_right = read_endpoints(document, allow_private, &mut notes);
    if !advertises_pkce(document) {
        notes.push(FrontDoorNote::PkceNotAdvertised);
    }
    AuthorizationServer { valid: issuer_right && endpoints_right, issuer: kept, notes }
}

fn read_endpoints(document: &Value, allow_private: bool, notes: &mut Vec<FrontDoorNote>) -> bool {
    let (mut missing, mut not_https) = (false, false);
    for member in ["authorization_endpoint", "token_endpoint"] {
        match document.get(member).and_then(Value::as_str).map(Url::parse) {
            None | Some(Err(_)) => missing = true,
            Some(Ok(url)) => not_https |= !address::acceptable(&url, allow_private),
        }
    }
    if missing {
        notes.push(FrontDoorNote::EndpointMissing);
    }
    if not_https {
        notes.push(FrontDoorNote::EndpointNotHttps);
    }
    !missing && !not_https
}

/// Clients of MCP must refuse a server that does not say it supports S256.
fn advertises_pkce(document: &Value) -> bool {
    document
        .get("code_challenge_methods_supported")
        .and_then(Value::as_array)
        .is_some_and(|methods| methods.iter().any(|method| method.as_str() == Some("S256")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://login.example/t";

    fn document(member: &str, value: &Value) -> Value {
        let mut document = json!({
            "issuer": ISSUER, "authorization_endpoint": "https://login.example/authorize",
            "token_endpoint": "https://login.example/token", "code_challenge_methods_supported": ["plain", "S256"],
        });
        document[member] = value.clone();
        document
    }

    #[test]
    fn the_issuer_is_the_one_asked_for() {
        use FrontDoorNote::{AuthorizationServerInvalid, IssuerInvalid, IssuerMismatch};
        let long = format!("{ISSUER}/{}", "x".repeat(600));
        let table: &[(Value, Option<&str>, bool, &[FrontDoorNote])] = &[
            (json!(ISSUER), Some(ISSUER), true, &[]),
            (json!("https://login.example/t/"), Some(ISSUER), true, &[]),
            (json!(ISSUER), Some("https://login.example/t/"), true, &[]),
            (json!(ISSUER), None, true, &[]),
            (json!("https://login.example"), Some(ISSUER), false, &[IssuerMismatch]),
            (json!("https://LOGIN.example/t"), Some(ISSUER), false, &[IssuerMismatch]),
            (json!("https://login.example/t//"), Some(ISSUER), false, &[IssuerMismatch]),
            (json!("127.0.0.1:3000"), None, false, &[IssuerInvalid]),
            (json!("http://login.example/t"), None, false, &[IssuerInvalid]),
            (json!(long), None, false, &[IssuerInvalid]),
            (json!(null), Some(ISSUER), false, &[AuthorizationServerInvalid]),
            (json!(5), None, false, &[AuthorizationServerInvalid]),
        ];
        for (own, expected, valid, notes) in table {
            let found = read(&document("issuer", own), *expected, false);
            assert_eq!((found.valid, found.notes.as_slice()), (*valid, *notes), "{own} for {expected:?}");
            let kept = matches!(notes, [] | [IssuerMismatch]).then(|| own.as_str().unwrap().to_owned());
            assert_eq!(found.issuer, kept, "{own}");
        }
    }

    #[test]
    fn both_endpoints_are_there_and_safe() {
        use FrontDoorNote::{EndpointMissing, EndpointNotHttps};
        for member in ["authorization_endpoint", "token_endpoint"] {
            for (value, notes) in [
                (json!(null), [EndpointMissing]),
                (json!(["https://login.example/x"]), [EndpointMissing]),
                (json!("/token"), [EndpointMissing]),
                (json!("http://login.example/x"), [EndpointNotHttps]),
                (json!("http://127.0.0.1/x"), [EndpointNotHttps]),
                (json!("javascript:alert(1)"), [EndpointNotHttps]),
            ] {
                let found = read(&document(member, &value), Some(ISSUER), false);
                assert_eq!(
                    (found.valid, found.notes.as_slice()),
                    (false, notes.as_slice()),
                    "{member} {value}"
                );
            }
            let loopback = document(member, &json!("http://127.0.0.1:9/x"));
            assert!(read(&loopback, Some(ISSUER), true).valid, "where private targets are allowed");
        }
    }

    #[test]
    fn pkce_is_shown_and_not_required() {
        for methods in [json!(null), json!([]), json!(["plain"]), json!("S256")] {
            let found = read(&document("code_challenge_methods_supported", &methods), Some(ISSUER), false);
            assert_eq!(
                (found.valid, found.notes),
                (true, vec![FrontDoorNote::PkceNotAdvertised]),
                "{methods}"
            );
        }
    }

    #[test]
    fn what_is_no_object_is_invalid() {
        for document in [json!(null), json!([]), json!("x"), json!({})] {
            let notes = vec![FrontDoorNote::AuthorizationServerInvalid];
            assert_eq!(
                read(&document, None, true),
                AuthorizationServer { valid: false, issuer: None, notes }
            );
        }
    }
}
