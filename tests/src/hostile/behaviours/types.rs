//! Media types that are wrong, odd or missing, and bodies that are no answer.

use shared::outcome::{Class, Phase, Reason, Violation};

use crate::hostile::exchange::JSON;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = right_answers();
    all.extend(other_bodies());
    all
}

/// Name, header fields of the answer, what it is called.
type Row = (&'static str, &'static [(&'static str, &'static str)], Expected);

fn right_answers() -> Vec<Behaviour> {
    let wrong = || Expected::breach(Violation::ContentType);
    let table: Vec<Row> = vec![
        ("type-missing", &[], wrong()),
        ("type-empty", &[("Content-Type", "")], wrong()),
        ("type-of-text", &[("Content-Type", "text/plain; charset=utf-8")], wrong()),
        ("type-of-a-page", &[("Content-Type", "text/html")], wrong()),
        ("type-of-bytes", &[("Content-Type", "application/octet-stream")], wrong()),
        ("type-of-other-json", &[("Content-Type", "application/vnd.api+json")], wrong()),
        ("type-of-a-script", &[("Content-Type", "application/javascript")], wrong()),
        ("type-without-a-slash", &[("Content-Type", "json")], wrong()),
        ("type-of-two", &[("Content-Type", "text/plain"), ("Content-Type", "application/json")], wrong()),
        ("type-in-capitals", &[("Content-Type", "APPLICATION/JSON")], Expected::up()),
        ("type-with-a-charset", &[("Content-Type", "application/json; charset=utf-8")], Expected::up()),
        ("type-with-blanks", &[("Content-Type", "  application/json  ;  charset=utf-8")], Expected::up()),
        (
            "type-with-another-charset",
            &[("Content-Type", "application/json; charset=iso-8859-1")],
            Expected::up(),
        ),
        ("type-with-odd-parameters", &[("Content-Type", "application/json; ;=;\"")], Expected::up()),
        (
            "type-forbidden-to-sniff",
            &[("Content-Type", "application/json"), ("X-Content-Type-Options", "nosniff")],
            Expected::up(),
        ),
    ];
    let behaviour = |(name, headers, expected): (&str, &'static [(&'static str, &'static str)], Expected)| {
        let type_: Vec<&str> = headers.iter().map(|(_, value)| *value).collect();
        let says = format!("A right answer, its media type given as {type_:?}.");
        Behaviour::at_handshake(name, says, expected, move |exchange| {
            let answer = exchange.good_answer().to_string();
            exchange.answer(200, headers, answer)
        })
    };
    table.into_iter().map(|(name, headers, expected)| behaviour((name, headers, expected))).collect()
}

fn body(
    name: &str,
    says: &str,
    expected: Expected,
    status: u16,
    type_: &'static str,
    body: &'static [u8],
) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        exchange.answer(status, &[("Content-Type", type_)], body)
    })
}

fn other_bodies() -> Vec<Behaviour> {
    let not_mcp = |reason| Expected::body(Class::NotMcp, reason);
    let json = JSON.1;
    vec![
        body("page", "A page.", not_mcp(Reason::Html), 200, "text/html", b"<!doctype html><title>Hi</title>"),
        body(
            "page-labelled-as-json",
            "A page under application/json.",
            not_mcp(Reason::Html),
            200,
            json,
            b"<html></html>",
        ),
        body(
            "prose-labelled-as-json",
            "Words under application/json.",
            Expected::body(Class::Malformed, Reason::NotJson),
            200,
            json,
            b"OK",
        ),
        body("prose", "Words.", not_mcp(Reason::OtherContent), 200, "text/plain", b"OK"),
        body(
            "image",
            "A picture.",
            not_mcp(Reason::OtherContent),
            200,
            "image/png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ),
        body("nothing", "200 without a body.", not_mcp(Reason::Empty), 200, json, b""),
        body(
            "nothing-accepted",
            "202 without a body.",
            not_mcp(Reason::AcceptedWithoutAnswer),
            202,
            json,
            b"",
        ),
        body(
            "health-page",
            "{\"status\":\"ok\"}.",
            not_mcp(Reason::OtherJson),
            200,
            json,
            b"{\"status\":\"ok\"}",
        ),
        body("empty-object", "{}.", not_mcp(Reason::OtherJson), 200, json, b"{}"),
        body("empty-array", "[].", not_mcp(Reason::OtherJson), 200, json, b"[]"),
        body("null-alone", "null.", not_mcp(Reason::OtherJson), 200, json, b"null"),
        body("number-alone", "42.", not_mcp(Reason::OtherJson), 200, json, b"42"),
        body(
            "missing-page",
            "A page under 404.",
            Expected::is(Class::Http4xx).at(Phase::Headers),
            404,
            "text/html",
            b"<h1>Not Found</h1>",
        ),
        body(
            "missing-page-of-a-host-nobody-knows",
            "421 without JSON-RPC.",
            Expected::headers(Class::Http4xx, Reason::HostNotAccepted),
            421,
            "text/plain",
            b"Invalid Host header",
        ),
        body(
            "broken-gateway",
            "A page under 502.",
            Expected::is(Class::Http5xx).at(Phase::Headers),
            502,
            "text/html",
            b"<h1>Bad Gateway</h1>",
        ),
        body(
            "bytes-of-every-value",
            "Bytes 0 to 31.",
            not_mcp(Reason::OtherContent),
            200,
            "application/octet-stream",
            b"\x01\x02\x03\x04\x05\x06\x07\x08\
\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\0",
        ),
    ]
}
