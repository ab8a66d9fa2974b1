//! Servers that take their time, or have none.

use serde_json::json;
use shared::outcome::{Class, Phase, Reason, Violation};

use crate::hostile::exchange::{EVENTS, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

fn late(phase: Phase) -> Expected {
    Expected::is(Class::Timeout).at(phase)
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = before_the_answer();
    all.extend(after_the_answer());
    all.into_iter().map(Behaviour::waits).collect()
}

fn before_the_answer() -> Vec<Behaviour> {
    vec![
        Behaviour::at_handshake(
            "slow-drip-of-header-bytes",
            "A header value that grows by a byte every 20 ms.",
            late(Phase::Headers),
            |exchange| {
                exchange.raw("HTTP/1.1 200 OK\r\nX-Drip: ")?;
                exchange.drip("a")
            },
        ),
        Behaviour::at_handshake(
            "slow-drip-of-headers",
            "One more header every 20 ms.",
            late(Phase::Headers),
            |exchange| {
                exchange.raw("HTTP/1.1 200 OK\r\n")?;
                exchange.drip("X-Drip: a\r\n")
            },
        ),
        Behaviour::at_handshake(
            "slow-drip-of-interim-answers",
            "A 100 Continue every 20 ms, and no final answer.",
            late(Phase::Headers),
            |exchange| exchange.drip("HTTP/1.1 100 Continue\r\n\r\n"),
        ),
        Behaviour::at_handshake(
            "slow-drip-of-body-bytes",
            "A body that grows by a byte every 20 ms.",
            late(Phase::Body),
            |exchange| {
                exchange.answer(
                    200,
                    &[JSON, ("Content-Length", "100000")],
                    "{\"jsonrpc\":\"2.0\",\"x\":\"",
                )?;
                exchange.drip("a")
            },
        ),
        Behaviour::at_handshake(
            "slow-drip-of-chunks",
            "A chunk of one byte every 20 ms.",
            late(Phase::Body),
            |exchange| {
                exchange.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")?;
                exchange.drip("1\r\n \r\n")
            },
        ),
        Behaviour::at_handshake(
            "slow-drip-of-an-event",
            "An event whose data grows by a byte every 20 ms.",
            late(Phase::Body),
            |exchange| {
                exchange.open_stream()?;
                exchange.raw("data: ")?;
                exchange.drip("a")
            },
        ),
        Behaviour::at_handshake(
            "silence-after-the-request",
            "Takes the request and never answers.",
            late(Phase::Headers),
            |exchange| exchange.hang(),
        ),
        Behaviour::at_handshake(
            "silence-after-the-headers",
            "Headers, and never a body.",
            late(Phase::Body),
            |exchange| {
                exchange.answer(200, &[JSON, ("Content-Length", "100")], "")?;
                exchange.hang()
            },
        ),
        Behaviour::at_handshake(
            "silence-after-half-an-event",
            "The answer to us as an event that is never ended.",
            late(Phase::Body),
            |exchange| {
                let answer = exchange.good_answer();
                exchange.answer(200, &[EVENTS, ("Content-Length", "100000")], format!("data: {answer}\n"))?;
                exchange.hang()
            },
        ),
        Behaviour::at_handshake(
            "silence-before-the-last-byte",
            "A whole answer, announced as one byte longer.",
            late(Phase::Body),
            |exchange| {
                let answer = exchange.good_answer().to_string();
                let length = (answer.len() + 1).to_string();
                exchange.answer(200, &[JSON, ("Content-Length", &length)], answer)?;
                exchange.hang()
            },
        ),
    ]
}

fn after_the_answer() -> Vec<Behaviour> {
    vec![
        Behaviour::new(
            "streams-that-stay-open",
            "Each answer is an event of a stream that is never closed.",
            Expected::up(),
            |exchange| match exchange.request.kind() {
                Kind::Initialize | Kind::ToolsList => {
                    exchange.open_stream()?;
                    let answer = exchange.good_answer();
                    exchange.event(&answer)?;
                    exchange.drip(": still here\n\n")
                }
                _ => exchange.good(),
            },
        ),
        Behaviour::new(
            "notification-never-answered",
            "Never answers notifications/initialized.",
            Expected::breach(Violation::InitializedUnanswered),
            |exchange| match exchange.request.kind() {
                Kind::Initialized => exchange.hang(),
                _ => exchange.good(),
            },
        ),
        Behaviour::new(
            "notification-answered-with-an-endless-body",
            "Answers notifications/initialized with 200 and a body that never ends.",
            Expected::up(),
            |exchange| match exchange.request.kind() {
                Kind::Initialized => {
                    exchange.open(200, &[JSON])?;
                    exchange.drip(" ")
                }
                _ => exchange.good(),
            },
        ),
        Behaviour::at_tools(
            "silence-when-asked-for-tools",
            "A good handshake, and no answer to tools/list.",
            Expected::tools_failed(Phase::Headers),
            |exchange| exchange.hang(),
        ),
        Behaviour::at_tools(
            "slow-drip-of-tools",
            "A list of tools that grows by a byte every 20 ms.",
            Expected::tools_failed(Phase::Body),
            |exchange| {
                exchange.open(200, &[JSON])?;
                exchange.drip(" ")
            },
        ),
        Behaviour::at_tools(
            "silence-before-the-second-page",
            "A first page of tools, and no second one.",
            Expected::up().because(Reason::PageFailed),
            |exchange| match exchange.request.json().pointer("/params/cursor") {
                None => exchange.result(&json!({"tools": [good::tool("look")], "nextCursor": "2"})),
                Some(_) => exchange.hang(),
            },
        ),
        Behaviour::new(
            "session-whose-end-is-never-answered",
            "Opens a session and never answers its DELETE.",
            Expected::up(),
            |exchange| match exchange.request.kind() {
                Kind::Initialize => {
                    let answer = exchange.good_answer().to_string();
                    exchange.answer(200, &[JSON, ("Mcp-Session-Id", "s-1")], answer)
                }
                Kind::EndSession => exchange.hang(),
                _ => exchange.good(),
            },
        ),
    ]
}
