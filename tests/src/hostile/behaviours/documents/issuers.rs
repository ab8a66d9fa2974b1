//! Where the resource metadata says that the authorization server is.
//!
//! The prober is allowed private targets here, so http on loopback is as good as https; what is led inward where it is
//! not allowed, by names and in every notation, is tested beside the prober's transport.

use name_server::{Answer, Zone};
use shared::outcome::FrontDoorNote as Note;

use super::{Document, ask, ok, partial};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

const HERE: &str = "127.0.0.1";

pub(super) fn behaviours() -> Vec<Behaviour> {
    [refused(), followed()].concat()
}

/// Names this issuer, in which [`crate::hostile::exchange::Exchange::fill`] fills in.
fn issuer(name: &str, says: &str, expected: Expected, issuer: &str) -> Behaviour {
    let text = format!("{{\"resource\":\"{{base}}\",\"authorization_servers\":[\"{issuer}\"]}}");
    Document::Resource.text(&format!("whose-issuer-{name}"), &format!("whose issuer {says}."), expected, text)
}

/// Never looked up.
fn refused() -> Vec<Behaviour> {
    let long = format!("{{base}}/{}", "a".repeat(600));
    let grows = format!("{{base}}/{}", "\u{e9}".repeat(200));
    [
        ("is-a-script", "is a script", "javascript:alert(1)"),
        ("is-data", "is data", "data:application/json,{}"),
        ("is-a-file", "is a file", "file:///etc/passwd"),
        ("is-ftp", "is reached by FTP", "ftp://{trap}/{astray}"),
        ("is-gopher", "is reached by Gopher", "gopher://{trap}/_GET"),
        ("is-relative", "is a path", "{path}"),
        ("is-without-a-scheme", "has no scheme", "//{trap}/{astray}"),
        ("is-no-url", "is no URL", "http://["),
        ("has-a-query", "has a query", "{base}?a=b"),
        ("has-a-fragment", "has a fragment", "{base}#a"),
        ("has-a-password", "has a user and a password", "http://me:secret@{trap}/{astray}"),
        ("hides-its-host", "has the endpoint for a user name", "http://{host}@{trap}/{astray}"),
        ("is-plain-http", "is reached by plain http", "http://mcp.example/{astray}"),
        (
            "is-the-metadata-service",
            "is a cloud's metadata service",
            "http://169.254.169.254/latest/meta-data/",
        ),
        ("is-the-metadata-service-in-decimal", "is the same as one number", "http://2852039166/{astray}"),
        ("is-the-metadata-service-in-octal", "is the same in octal", "http://0251.0376.0251.0376/{astray}"),
        (
            "is-the-metadata-service-in-hexadecimal",
            "is the same in hexadecimal",
            "http://0xa9fea9fe/{astray}",
        ),
        (
            "is-the-metadata-service-in-ipv6",
            "is the same in IPv6",
            "http://[::ffff:169.254.169.254]/{astray}",
        ),
        ("is-a-private-address", "is a private address", "http://10.0.0.1/{astray}"),
        ("is-a-link-local-address", "is a link-local address", "http://[fe80::1]/{astray}"),
        ("is-no-address", "is the unspecified address", "http://0.0.0.0:{port}/{astray}"),
        (
            "is-this-machine-mapped-into-ipv6",
            "is this machine in IPv6",
            "http://[::ffff:7f00:9]:{port}/{astray}",
        ),
        (
            "is-a-name-like-this-machine",
            "begins as a name of this machine",
            "http://localhost.mcp.example/{astray}",
        ),
        (
            "is-a-name-of-a-cloud",
            "is a name of a cloud's metadata service",
            "http://metadata.google.internal/{astray}",
        ),
        ("has-600-bytes", "has 600 bytes", &long),
        ("has-600-bytes-escaped", "has 600 bytes once it is escaped", &grows),
    ]
    .into_iter()
    .map(|(name, says, url)| issuer(name, says, partial(&[Note::IssuerInvalid]), url))
    .collect()
}

/// Looked up where they say.
fn followed() -> Vec<Behaviour> {
    let missing = || partial(&[Note::AuthorizationServerMissing]);
    let mismatch = || partial(&[Note::IssuerMismatch]);
    vec![
        issuer("ends-in-a-slash", "ends in a slash that its own document has not", ok(&[]), "{base}/"),
        issuer(
            "is-written-in-decimal",
            "is the same address as one number, and not the same text",
            mismatch(),
            "http://2130706433:{port}{path}",
        ),
        issuer(
            "is-written-in-capitals",
            "has its scheme in capitals, and is not the same text",
            mismatch(),
            "HTTP://{host}{path}",
        ),
        issuer(
            "is-a-port-nobody-listens-on",
            "is a port nobody listens on",
            missing(),
            "http://127.0.0.1:1/x",
        ),
        issuer(
            "is-an-https-port-that-is-http",
            "is reached by https, on a port that waits for more",
            unseen(),
            "https://{host}/{astray}",
        )
        .waits(),
        issuer(
            "is-a-name-that-is-not",
            "is a name that does not exist",
            missing(),
            "https://nowhere.example/x",
        )
        .resolved_by(Zone::new)
        .known_as(HERE),
        moves(),
    ]
}

/// The endpoint's port never answers a TLS handshake.
fn unseen() -> Expected {
    Expected::door_not_observed(&[Note::MetadataFromChallenge, Note::AuthorizationServerNotObserved])
}

/// The issuer's name is this machine for the first question and the trap for the next.
fn moves() -> Behaviour {
    let name = "resource-metadata-whose-issuer-moves";
    let says = "Resource metadata whose issuer has another address for each question; the first one is kept.";
    Behaviour::new(name, says, unseen(), |exchange| match exchange.request.kind() {
        Kind::Initialize => ask(exchange),
        Kind::ResourceMetadata => {
            let mut document = good::resource_metadata(&exchange.base());
            let issuer = exchange.fill("https://moves.example:{port}/{astray}");
            document["authorization_servers"] = serde_json::json!([issuer]);
            exchange.json(&document)
        }
        _ => exchange.good(),
    })
    .resolved_by(|| {
        let moving = |asked: &name_server::Question| match asked.number {
            1 => Answer::addresses(&[HERE]),
            _ => Answer::addresses(&["127.0.0.9"]),
        };
        Zone::new().decides("moves.example", moving)
    })
    .known_as(HERE)
    .waits()
}
