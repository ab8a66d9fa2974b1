//! Answers that send elsewhere: loops, chains, changed methods, and addresses where no probe may go.

mod answers;
mod chains;
mod elsewhere;
mod followed;
mod later;
mod locations;

use shared::outcome::{Class, Reason};

use crate::hostile::exchange::Exchange;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [
        followed::behaviours(),
        chains::behaviours(),
        elsewhere::behaviours(),
        locations::behaviours(),
        answers::behaviours(),
        later::behaviours(),
    ]
    .concat()
}

fn stopped(reason: Reason) -> Expected {
    Expected::headers(Class::Redirect, reason)
}

/// Sends its own URL elsewhere by this status and this `Location`, in which [`Exchange::fill`] fills in; is honest
/// below.
fn leads(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    status: u16,
    location: impl AsRef<[u8]>,
) -> Behaviour {
    leads_by(name, says, expected, status, header(location))
}

/// The same by these header lines, each with its end.
fn leads_by(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    status: u16,
    lines: impl Into<Vec<u8>>,
) -> Behaviour {
    let lines = lines.into();
    Behaviour::new(name, says, expected, move |exchange| {
        if exchange.request.path() == format!("/{}", exchange.request.behaviour()) {
            send_away_by(exchange, status, &lines)
        } else {
            exchange.good()
        }
    })
}

fn header(location: impl AsRef<[u8]>) -> Vec<u8> {
    [b"Location: ", location.as_ref(), b"\r\n"].concat()
}

fn send_away(exchange: &mut Exchange<'_>, status: u16, location: impl AsRef<[u8]>) -> std::io::Result<()> {
    send_away_by(exchange, status, &header(location))
}

fn send_away_by(exchange: &mut Exchange<'_>, status: u16, lines: &[u8]) -> std::io::Result<()> {
    exchange.raw(format!("HTTP/1.1 {status} Hostile\r\nContent-Length: 0\r\n"))?;
    // Bytes beyond ASCII stay what they are.
    match std::str::from_utf8(lines) {
        Ok(text) => exchange.raw(exchange.fill(text))?,
        Err(_) => exchange.raw(lines)?,
    }
    exchange.raw("\r\n")
}
