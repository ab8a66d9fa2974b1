//! `WWW-Authenticate` in every legal shape and in many illegal ones. The document that a challenge names lies where
//! only a reader of the challenge looks.

mod addresses;
mod legal;
mod nameless;
mod statuses;
mod unreadable;

use shared::outcome::{FrontDoor, FrontDoorNote as Note};

use crate::hostile::exchange::Exchange;
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [
        legal::behaviours(),
        nameless::behaviours(),
        unreadable::behaviours(),
        addresses::behaviours(),
        statuses::behaviours(),
    ]
    .concat()
}

/// Asks for authorization with this value of `WWW-Authenticate`, in which [`fill`] fills in.
fn challenge(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    value: impl AsRef<[u8]>,
) -> Behaviour {
    under(401, name, says, expected, value)
}

/// The same under another status.
fn under(
    status: u16,
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    value: impl AsRef<[u8]>,
) -> Behaviour {
    with_lines(status, name, says, expected, header(value))
}

/// The header line of a challenge.
fn header(value: impl AsRef<[u8]>) -> Vec<u8> {
    [b"WWW-Authenticate: ", value.as_ref(), b"\r\n"].concat()
}

/// Answers the handshake with this status and these header lines, each with its end.
fn with_lines(
    status: u16,
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    lines: impl Into<Vec<u8>>,
) -> Behaviour {
    let lines = lines.into();
    Behaviour::new(format!("challenge-{}", name.into()), says, expected, move |exchange| {
        match exchange.request.kind() {
            Kind::Initialize => ask(exchange, status, &lines),
            Kind::AuthorizationServer if exchange.request.path().contains("oauth-authorization-server/") => {
                let base = exchange.base();
                exchange.json(&good::authorization_server(&base))
            }
            _ if exchange.request.path().ends_with("/named") => {
                let base = exchange.base();
                exchange.json(&good::resource_metadata(&base))
            }
            _ => exchange.good(),
        }
    })
}

fn ask(exchange: &mut Exchange<'_>, status: u16, lines: &[u8]) -> std::io::Result<()> {
    exchange.raw(format!("HTTP/1.1 {status} Hostile\r\nContent-Length: 0\r\n"))?;
    match std::str::from_utf8(lines) {
        Ok(text) => exchange.raw(fill(exchange, text))?,
        // Bytes beyond text stay what they are.
        Err(_) => exchange.raw(lines)?,
    }
    exchange.raw("\r\n")
}

/// As [`Exchange::fill`]; besides `{document}` is the parameter that names the document, and `{elsewhere}` one that
/// names what nobody may fetch.
fn fill(exchange: &Exchange<'_>, text: &str) -> String {
    let text = text
        .replace("{document}", "resource_metadata=\"{base}/named\"")
        .replace("{elsewhere}", "resource_metadata=\"{base}/{astray}\"");
    exchange.fill(&text)
}

/// The challenge was read, and the documents are right.
fn found(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Ok, &[&[Note::MetadataFromChallenge], notes].concat())
}

/// Nothing was read that names a document, and nothing is published.
fn bare(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Bare, &[&[Note::MetadataMissing], notes].concat())
}
