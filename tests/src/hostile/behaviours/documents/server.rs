//! What the authorization-server metadata says, and at which of its places it is.

use serde_json::{Value, json};
use shared::outcome::FrontDoorNote as Note;

use super::{Document, ok, partial};
use crate::hostile::exchange::Exchange;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [issuers(), endpoints(), pkce(), places()].concat()
}

/// Right but for these members, in whose texts [`Exchange::fill`] fills in; null takes one away.
fn with(name: &str, says: &str, expected: Expected, members: Value) -> Behaviour {
    Document::Server.behaviour(name, says, expected, move |exchange| {
        let document = changed(exchange, &members);
        exchange.json(&document)
    })
}

fn changed(exchange: &Exchange<'_>, members: &Value) -> Value {
    let mut document = good::authorization_server(&exchange.base());
    for (name, value) in members.as_object().into_iter().flatten() {
        match (value, document.as_object_mut()) {
            (Value::Null, Some(all)) => drop(all.remove(name)),
            (Value::String(text), _) => document[name] = exchange.fill(text).into(),
            _ => document[name] = value.clone(),
        }
    }
    document
}

fn issuers() -> Vec<Behaviour> {
    let mismatch = || partial(&[Note::IssuerMismatch]);
    let invalid = || partial(&[Note::IssuerInvalid]);
    let none = || partial(&[Note::AuthorizationServerInvalid]);
    let of = |name: &str, says: &str, expected, issuer: Value| {
        let (name, says) = (format!("whose-issuer-{name}"), format!("whose issuer {says}."));
        with(&name, &says, expected, json!({"issuer": issuer}))
    };
    vec![
        with("right", "as it should be.", ok(&[]), json!({})),
        of("has-a-slash", "has a trailing slash", ok(&[]), "{base}/".into()),
        of("has-two-slashes", "has two trailing slashes", mismatch(), "{base}//".into()),
        of("is-the-origin", "is the whole origin", mismatch(), "http://{host}".into()),
        of("is-another-path", "is another path", mismatch(), "http://{host}/other".into()),
        of("is-another-host", "is another host", mismatch(), "https://login.example{path}".into()),
        of("is-another-port", "is another port", mismatch(), "http://127.0.0.1:1{path}".into()),
        of(
            "is-in-decimal",
            "is the same address as one number",
            mismatch(),
            "http://2130706433:{port}{path}".into(),
        ),
        of("is-in-capitals", "has its scheme in capitals", mismatch(), "HTTP://{host}{path}".into()),
        of("has-a-query", "has a query", mismatch(), "{base}?a=b".into()),
        of("is-a-script", "is a script", invalid(), "javascript:alert(1)".into()),
        of("is-plain-http", "is reached by plain http", invalid(), "http://login.example".into()),
        of("is-a-path", "is a path", invalid(), "{path}".into()),
        of("is-empty", "is empty", invalid(), "".into()),
        of("has-600-bytes", "has 600 bytes", invalid(), format!("{{base}}/{}", "a".repeat(600)).into()),
        of(
            "turns-the-text",
            "holds bidi controls and an escape",
            mismatch(),
            "{base}/\u{202e}\u{1b}[2J".into(),
        ),
        of("is-missing", "is missing", none(), Value::Null),
        of("is-a-number", "is a number", none(), 5.into()),
        of("is-a-list", "is a list", none(), json!(["{base}"])),
        Document::Server.text("empty", "without any member.", none(), "{}"),
    ]
}

fn endpoints() -> Vec<Behaviour> {
    let mut all = Vec::new();
    for (member, word) in [("authorization_endpoint", "authorization"), ("token_endpoint", "token")] {
        for (name, says, note, value) in [
            ("is-missing", "is missing", Note::EndpointMissing, Value::Null),
            ("is-a-number", "is a number", Note::EndpointMissing, 5.into()),
            ("is-a-list", "is a list", Note::EndpointMissing, json!(["https://login.example/"])),
            ("is-empty", "is empty", Note::EndpointMissing, "".into()),
            ("is-a-path", "is a path", Note::EndpointMissing, "{path}/{astray}".into()),
            (
                "is-plain-http",
                "is reached by plain http",
                Note::EndpointNotHttps,
                "http://login.example/".into(),
            ),
            ("is-a-script", "is a script", Note::EndpointNotHttps, "javascript:alert(1)".into()),
            ("has-a-password", "has a password", Note::EndpointNotHttps, "https://a:b@login.example/".into()),
        ] {
            let (name, says) =
                (format!("whose-{word}-endpoint-{name}"), format!("whose {word} endpoint {says}."));
            all.push(with(&name, &says, partial(&[note]), json!({member: value})));
        }
    }
    all.push(with(
        "whose-endpoints-are-elsewhere",
        "whose endpoints are where no probe may go, and are not asked.",
        ok(&[]),
        json!({
            "authorization_endpoint": "http://{trap}/{astray}", "token_endpoint": "{base}/{astray}",
            "registration_endpoint": "{base}/{astray}", "jwks_uri": "http://{trap}/{astray}",
            "revocation_endpoint": "{base}/{astray}", "service_documentation": "{base}/{astray}",
        }),
    ));
    all
}

fn pkce() -> Vec<Behaviour> {
    let none = || ok(&[Note::PkceNotAdvertised]);
    [
        ("is-missing", "says nothing of PKCE", Value::Null),
        ("is-empty", "names no method of PKCE", json!([])),
        ("is-plain", "names plain PKCE alone", json!(["plain"])),
        ("is-a-text", "has a text for the methods of PKCE", "S256".into()),
        ("is-in-small-letters", "names s256", json!(["s256"])),
    ]
    .map(|(name, says, methods)| {
        let (name, says) = (format!("whose-pkce-{name}"), format!("that {says}."));
        with(&name, &says, none(), json!({"code_challenge_methods_supported": methods}))
    })
    .into()
}

/// The places in the order to ask (RFC 8414, section 3.1; OpenID Connect Discovery, section 4).
fn place(exchange: &Exchange<'_>) -> usize {
    let path = exchange.request.path();
    match path.strip_prefix("/.well-known/") {
        Some(rest) if rest.starts_with("oauth-authorization-server/") => 1,
        Some(_) => 2,
        None => 3,
    }
}

fn places() -> Vec<Behaviour> {
    let mut all: Vec<Behaviour> =
        [(1, &[][..]), (2, &[Note::OpenidConfiguration]), (3, &[Note::OpenidConfiguration])]
            .into_iter()
            .map(|(right, notes)| {
                let (name, says) = (
                    format!("at-place-{right}-alone"),
                    format!("at place {right} of three, and 404 elsewhere."),
                );
                Document::Server.behaviour(&name, &says, ok(notes), move |exchange| {
                    if place(exchange) == right {
                        return exchange.gated();
                    }
                    exchange.answer(404, &[], "")
                })
            })
            .collect();
    let elsewhere = |name: &str, says: &str, notes: &[Note], first: Value| {
        let notes = [&[Note::OpenidConfiguration], notes].concat();
        Document::Server.behaviour(name, says, ok(&notes), move |exchange| {
            if place(exchange) > 1 {
                return exchange.gated();
            }
            let document = changed(exchange, &first);
            exchange.json(&document)
        })
    };
    all.extend([
        elsewhere(
            "of-another-issuer-first",
            "of another issuer at the first place, and right at the second.",
            &[Note::IssuerMismatch],
            json!({"issuer": "https://login.example"}),
        ),
        elsewhere(
            "without-endpoints-first",
            "without endpoints at the first place, and right at the second.",
            &[Note::EndpointMissing],
            json!({"token_endpoint": null}),
        ),
    ]);
    all
}
