//! Documents that are sent elsewhere.

use std::io;

use super::{Document, ask, ok};
use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = Vec::new();
    for document in Document::BOTH {
        all.extend(followed(document));
        all.extend(hops(document));
        all.extend(left(document));
        all.extend(inward(document));
    }
    all
}

fn send(exchange: &mut Exchange<'_>, status: u16, location: &str) -> io::Result<()> {
    let location = exchange.fill(location);
    exchange.answer(status, &[("Location", &location)], "")
}

/// Sends the request for this document elsewhere; there, below its own path, it is right.
fn sent(
    document: Document,
    name: &str,
    says: &str,
    expected: Expected,
    status: u16,
    location: &str,
) -> Behaviour {
    let location = location.to_owned();
    served(document, name, says, expected, move |exchange, hop| match hop {
        None => send(exchange, status, &location),
        Some(_) => right(document, exchange),
    })
}

/// The document's own request has no hop; requests below `/hop` have their number.
fn served(
    document: Document,
    name: &str,
    says: &str,
    expected: Expected,
    act: impl Fn(&mut Exchange<'_>, Option<usize>) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    let (name, says) = (format!("{}-{name}", document.word()), format!("{} {says}", document.title()));
    Behaviour::new(name, says, expected, move |exchange| {
        let hop = exchange.request.path().rsplit_once("/hop").and_then(|(_, hop)| hop.parse().ok());
        match exchange.request.kind() {
            Kind::Initialize => ask(exchange),
            kind if kind == document.kind() || hop.is_some() => act(exchange, hop),
            _ => exchange.gated(),
        }
    })
}

fn right(document: Document, exchange: &mut Exchange<'_>) -> io::Result<()> {
    let text = document.right(exchange);
    exchange.answer(200, &[JSON], text)
}

fn followed(document: Document) -> Vec<Behaviour> {
    let mut all: Vec<Behaviour> = [301, 302, 303, 307, 308]
        .map(|status| {
            let (name, says) = (format!("moved-with-{status}"), format!("moved on its origin by {status}."));
            sent(document, &name, &says, ok(&[]), status, "{path}/hop1")
        })
        .into();
    all.extend([300, 304, 305, 306, 399].map(|status| {
        let (name, says) = (
            format!("moved-with-{status}"),
            format!("moved on its origin by {status}, which leads nowhere."),
        );
        sent(document, &name, &says, document.missing(), status, "{path}/{astray}")
    }));
    all
}

fn hops(document: Document) -> Vec<Behaviour> {
    let chain = |name: &str, says: &str, expected, last: usize| {
        served(document, name, says, expected, move |exchange, hop| {
            let at = hop.unwrap_or(0);
            if at < last {
                return send(exchange, 302, &format!("{{path}}/hop{}", at + 1));
            }
            right(document, exchange)
        })
    };
    // Of the five GETs one is the resource metadata's; the first place of the server takes three, and the last one
    // leaves nothing for its redirect.
    let too_far = || match document {
        Document::Resource => document.missing(),
        Document::Server => document.not_observed(),
    };
    vec![
        chain("moved-twice", "moved twice.", ok(&[]), 2),
        chain("moved-three-times", "moved three times, which is once too often.", too_far(), 3),
        chain("moved-without-end", "moved without end.", too_far(), usize::MAX),
        served(
            document,
            "moved-to-and-fro",
            "at two places, each leading to the other.",
            too_far(),
            |exchange, hop| send(exchange, 302, if hop == Some(1) { "{path}/hop2" } else { "{path}/hop1" }),
        ),
    ]
}

/// Off the origin, or nowhere.
fn left(document: Document) -> Vec<Behaviour> {
    [
        ("another-address", "http://{trap}/{astray}"),
        ("another-address-in-decimal", "http://2130706441:{port}/{astray}"),
        ("another-address-without-a-scheme", "//{trap}/{astray}"),
        ("another-address-with-backslashes", "/\\{trap}/{astray}"),
        ("another-address-with-a-password", "http://{host}@{trap}/{astray}"),
        ("another-port", "http://127.0.0.1:1/{astray}"),
        ("another-scheme", "https://{host}/{astray}"),
        ("a-name-of-this-machine", "http://localhost:{port}/{astray}"),
        ("the-metadata-service", "http://169.254.169.254/latest/meta-data/"),
        ("a-link-local-address", "http://[fe80::1]:{port}/{astray}"),
        ("a-private-address", "http://10.0.0.1/{astray}"),
        ("a-script", "javascript:alert(1)"),
        ("a-file", "file:///etc/passwd"),
        ("what-is-no-url", "http://["),
        ("nowhere", ""),
    ]
    .into_iter()
    .map(|(name, location)| {
        let shown = location.replace("{astray}", "x").replace("{trap}", "127.0.0.9:1").replace("{port}", "1");
        let shown = shown.replace("{host}", "127.0.0.1:1").escape_debug().to_string();
        let says =
            if shown.is_empty() { "moved, and not said where.".into() } else { format!("moved to {shown}.") };
        sent(document, &format!("moved-to-{name}"), &says, document.missing(), 302, location)
    })
    .chain([sent(
        document,
        "moved-to-a-login-path",
        "moved to where people sign in.",
        document.not_observed(),
        302,
        "http://{trap}/cdn-cgi/access/login/{astray}",
    )])
    .collect()
}

/// To the endpoint itself, which is never sent a GET.
fn inward(document: Document) -> Vec<Behaviour> {
    let to = |name: &str, location: &str| {
        let says = format!("moved to the endpoint {name}.")
            .replace('-', " ")
            .replace("the endpoint itself", "the endpoint");
        sent(document, &format!("moved-to-the-endpoint-{name}"), &says, document.missing(), 302, location)
    };
    let escaped = format!("http://{{host}}/%{:02x}{}", document.word().as_bytes()[0], &document.word()[1..]);
    vec![
        to("itself", "{path}"),
        to("with-a-query", "{path}?a=b"),
        to("with-a-fragment", "{path}#a"),
        to("with-dots", "/x/..{path}"),
        to("escaped", &format!("{escaped}-moved-to-the-endpoint-escaped")),
    ]
}
