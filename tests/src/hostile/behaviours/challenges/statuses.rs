//! Challenges under other statuses, and what else may be in the answer.

use shared::outcome::{Class, FrontDoorNote as Note, Phase, Reason};

use super::{bare, fill, found, header, under, with_lines};
use crate::hostile::exchange::JSON;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let named = "Bearer error=\"insufficient_scope\", scope=\"a\", {document}";
    let forbidden = || Expected::headers(Class::Refused, Reason::Forbidden);
    let client_error = || Expected::is(Class::Http4xx).at(Phase::Headers);
    let mut all = vec![
        under(403, "under-403", "403 with a Bearer challenge.", found(&[]), named),
        under(
            403,
            "under-403-without-an-error",
            "403 with a Bearer challenge that names no error.",
            found(&[]),
            "Bearer {document}",
        ),
        under(403, "under-403-of-basic", "403 with a Basic challenge.", forbidden(), "Basic realm=\"x\""),
        under(403, "under-403-unreadable", "403 with a challenge that is none.", forbidden(), "\"Bearer"),
        under(407, "under-407", "407 with a Bearer challenge.", client_error(), named),
        under(404, "under-404", "404 with a Bearer challenge.", client_error(), named),
        under(400, "under-400", "400 with a Bearer challenge.", client_error(), named),
        under(
            402,
            "under-402",
            "402 with a Bearer challenge.",
            Expected::headers(Class::Refused, Reason::Payment),
            named,
        ),
        under(
            429,
            "under-429",
            "429 with a Bearer challenge.",
            Expected::headers(Class::RateLimited, Reason::TooManyRequests),
            named,
        ),
        under(
            503,
            "under-503",
            "503 with a Bearer challenge.",
            Expected::is(Class::Http5xx).at(Phase::Headers),
            named,
        ),
        with_lines(
            302,
            "under-302",
            "302 with a Bearer challenge.",
            Expected::headers(Class::Redirect, Reason::OffOrigin),
            [b"Location: http://{trap}/{astray}\r\n", header(named).as_slice()].concat(),
        ),
        Behaviour::at_handshake(
            "challenge-under-200",
            "The right answer with a challenge beside it.",
            Expected::up(),
            |exchange| {
                let (answer, named) =
                    (exchange.good_answer().to_string(), fill(exchange, "Bearer {elsewhere}"));
                exchange.answer(200, &[JSON, ("WWW-Authenticate", &named)], answer)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-the-answer-in-it",
            "401 with the right answer as its body.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                let answer = exchange.good_answer().to_string();
                exchange.answer(401, &[JSON, ("WWW-Authenticate", "Bearer")], answer)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-an-error-in-it",
            "401 with a JSON-RPC error as its body.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                let error = good::error(&exchange.request.id(), -32_001, "Unauthorized").to_string();
                exchange.answer(401, &[JSON, ("WWW-Authenticate", "Bearer")], error)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-an-endless-page",
            "401 with a page without end.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                exchange.open(401, &[("WWW-Authenticate", "Bearer"), ("Content-Type", "text/html")])?;
                exchange.endless("<p>sign in")
            },
        ),
    ];
    all.extend([401, 403, 402, 451, 429].map(|status| {
        Behaviour::at_tools(
            format!("challenge-for-tools-under-{status}"),
            format!("A good handshake, and {status} with a challenge for the tools."),
            Expected::up().because(Reason::ToolsRefused),
            move |exchange| {
                let named = fill(exchange, "Bearer {elsewhere}");
                exchange.answer(status, &[("WWW-Authenticate", &named)], "")
            },
        )
    }));
    all
}
