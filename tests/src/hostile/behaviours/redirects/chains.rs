//! Loops, and hops without end.

use shared::outcome::Reason;

use super::{send_away, stopped};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let looped = || stopped(Reason::RedirectLoop);
    let too_many = || stopped(Reason::TooManyHops);
    let same = |name: &str, says: &str, location: &'static str| {
        Behaviour::new(name, says, looped(), move |exchange| send_away(exchange, 307, location))
    };
    vec![
        same("redirect-to-itself", "307 to where it came from.", "{path}"),
        same("redirect-to-a-fragment-of-itself", "307 to a fragment of itself.", "#top"),
        same(
            "redirect-to-a-moving-fragment",
            "307 to itself in another notation.",
            "http://127.1:{port}{path}#x",
        ),
        same(
            "redirect-to-itself-with-a-password",
            "307 to itself with a user and a password.",
            "http://a:b@{host}{path}",
        ),
        Behaviour::new(
            "redirect-to-and-fro",
            "Two addresses, each leading to the other.",
            looped(),
            |exchange| {
                let there = exchange.request.path().ends_with("/there");
                let location = if there { "{path}" } else { "{path}/there" };
                send_away(exchange, 308, location)
            },
        ),
        same(
            "redirect-that-wants-its-cookie-back",
            "307 to itself until a cookie comes back.",
            "{path}\r\nSet-Cookie: a=b",
        ),
        chain("redirect-three-times", "Three hops, then an honest endpoint.", Expected::up(), 3),
        chain("redirect-four-times", "Four hops, then an honest endpoint.", too_many(), 4),
        chain("redirect-without-end", "Each address leads to another one.", too_many(), usize::MAX),
        Behaviour::new(
            "redirect-with-a-growing-query",
            "The query grows with each hop.",
            too_many(),
            |exchange| {
                let more = format!("{}{}", exchange.request.target, "?x".repeat(10));
                send_away(exchange, 307, more)
            },
        ),
    ]
}

/// Each address leads to the next, up to the last of `hops`, which is honest.
fn chain(name: &str, says: &str, expected: Expected, hops: usize) -> Behaviour {
    Behaviour::new(name, says, expected, move |exchange| {
        let at: usize =
            exchange.request.path().rsplit_once("/hop").map_or(0, |(_, hop)| hop.parse().unwrap_or(0));
        if at < hops { send_away(exchange, 307, format!("{{path}}/hop{}", at + 1)) } else { exchange.good() }
    })
}
