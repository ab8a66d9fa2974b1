//! Event streams with too much in them, or too little.

use serde_json::json;
use shared::outcome::{Class, Phase, Reason, Violation};

use crate::hostile::exchange::{EVENTS, JSON};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = endless();
    all.extend(oddly_written());
    all.extend(without_an_answer());
    all
}

/// A stream that repeats this for ever before any answer, as fast as it can.
fn endlessly(name: &str, says: &str, piece: impl AsRef<[u8]> + Send + Sync + 'static) -> Behaviour {
    Behaviour::at_handshake(name, says, Expected::too_large(), move |exchange| {
        exchange.open_stream()?;
        exchange.endless(&piece)
    })
}

fn endless() -> Vec<Behaviour> {
    let late = Expected::is(Class::Timeout).at(Phase::Body);
    let notification =
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}});
    let ping = json!({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"});
    let other = json!({"jsonrpc": "2.0", "id": "somebody", "result": {}});
    let event = |message: &serde_json::Value| format!("event: message\ndata: {message}\n\n");
    vec![
        endlessly("endless-comments", "Comments without end.", ": keep-alive\n\n"),
        endlessly("endless-comment", "One comment that never ends its line.", ":".repeat(999)),
        endlessly("endless-blank-lines", "Blank lines without end.", "\n"),
        endlessly("endless-empty-events", "Events with empty data without end.", "data:\n\n"),
        endlessly("endless-data-lines", "One event with data lines without end.", "data: a\n"),
        endlessly("endless-event-names", "Names of events without an event.", "event: message\n"),
        endlessly("endless-retry-fields", "retry fields without end.", "retry: 1\n\n"),
        endlessly("endless-unknown-fields", "Fields that no stream has.", "field: value\n"),
        endlessly("heartbeat-notifications", "Notifications for ever.", event(&notification)),
        endlessly("heartbeat-requests", "Requests of its own for ever.", event(&ping)),
        endlessly("endless-answers-to-others", "Answers to other requests for ever.", event(&other)),
        endlessly("endless-events-of-prose", "Events that are no JSON for ever.", "data: hello\n\n"),
        Behaviour::at_handshake(
            "slow-comments",
            "A comment every 20 ms, and no answer.",
            late.clone(),
            |exchange| {
                exchange.open_stream()?;
                exchange.drip(": keep-alive\n\n")
            },
        )
        .waits(),
        Behaviour::at_handshake(
            "slow-heartbeat-notifications",
            "A notification every 20 ms, and no answer.",
            late,
            move |exchange| {
                exchange.open_stream()?;
                exchange.drip(event(&notification))
            },
        )
        .waits(),
    ]
}

/// A stream that is this, `{}` being the answer to us.
fn written(name: &str, says: &str, expected: Expected, text: &'static str) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        exchange.open_stream()?;
        exchange.raw(text.replace("{}", &answer))
    })
}

fn oddly_written() -> Vec<Behaviour> {
    vec![
        written("stream-with-crlf", "Lines that end in CR LF.", Expected::up(), "data: {}\r\n\r\n"),
        written("stream-with-cr", "Lines that end in CR alone.", Expected::up(), "data: {}\r\r"),
        written("stream-without-blanks", "No blank behind the colon.", Expected::up(), "data:{}\n\n"),
        written(
            "stream-with-a-primer",
            "An event with empty data first.",
            Expected::up(),
            "id: 0\ndata:\n\ndata: {}\n\n",
        ),
        written(
            "stream-with-data-first",
            "The event's name behind its data.",
            Expected::up(),
            "data: {}\nid: 7\nevent: message\n\n",
        ),
        written(
            "stream-with-another-event-name",
            "An event of a name nobody gave.",
            Expected::up(),
            "event: surprise\ndata: {}\n\n",
        ),
        written(
            "stream-with-a-byte-order-mark",
            "A byte order mark first, which streams may have.",
            Expected::up(),
            "\u{feff}data: {}\n\n",
        ),
        written(
            "stream-with-a-byte-order-mark-in-the-data",
            "A byte order mark within the data.",
            Expected::breach(Violation::ByteOrderMark),
            "data: \u{feff}{}\n\n",
        ),
        written(
            "stream-without-its-last-line-feed",
            "The stream ends within the event that answers us.",
            Expected::breach(Violation::SseUnterminated),
            "data: {}",
        ),
        written(
            "stream-with-two-answers",
            "Two answers to us, the second one an error.",
            Expected::up(),
            "data: {}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"no\"}}\n\n",
        ),
        written(
            "stream-with-rubbish-first",
            "An event that is no JSON before the answer.",
            Expected::up(),
            "data: hello\n\ndata: {}\n\n",
        ),
        Behaviour::at_handshake(
            "stream-with-a-thousand-notifications-first",
            "A thousand notifications before the answer.",
            Expected::up(),
            |exchange| {
                exchange.open_stream()?;
                for number in 0..1_000 {
                    let params = json!({"progressToken": 1, "progress": number});
                    exchange.event(
                        &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
                    )?;
                }
                let answer = exchange.good_answer();
                exchange.event(&answer)
            },
        ),
        Behaviour::at_handshake(
            "stream-in-many-data-lines",
            "The answer over a data line for each member.",
            Expected::up(),
            |exchange| {
                let answer = serde_json::to_string_pretty(&exchange.good_answer())?;
                exchange.open_stream()?;
                exchange.raw(format!("data: {}\n\n", answer.replace('\n', "\ndata: ")))
            },
        ),
        Behaviour::at_handshake(
            "stream-labelled-as-json",
            "An event stream under application/json.",
            Expected::breach(Violation::ContentType),
            |exchange| {
                let answer = exchange.good_answer();
                exchange.answer(200, &[JSON], format!("event: message\ndata: {answer}\n\n"))
            },
        ),
        Behaviour::at_handshake(
            "json-labelled-as-stream",
            "A JSON text under text/event-stream.",
            Expected::breach(Violation::ContentType),
            |exchange| {
                let answer = exchange.good_answer().to_string();
                exchange.answer(200, &[EVENTS], answer)
            },
        ),
    ]
}

fn without_an_answer() -> Vec<Behaviour> {
    let ended = Expected::body(Class::Closed, Reason::StreamEnded);
    vec![
        written("empty-stream", "A stream that ends at once.", ended.clone(), ""),
        written("stream-of-comments-that-ends", "Comments, then the end.", ended.clone(), ": a\n\n: b\n\n"),
        written(
            "stream-that-ends-after-a-primer",
            "An empty event, then the end.",
            ended.clone(),
            "id: 0\nretry: 2000\ndata:\n\n",
        ),
        written(
            "stream-that-ends-after-a-notification",
            "A notification, then the end.",
            ended.clone(),
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
        ),
        written(
            "stream-of-the-retired-transport",
            "An endpoint event, as the transport of 2024-11-05 sends it.",
            ended.clone(),
            "event: endpoint\ndata: /messages?sessionId=1\n\n",
        ),
        written("stream-of-prose", "Words under text/event-stream.", ended, "hello\nworld\n\n"),
        written(
            "stream-of-html",
            "A page under text/event-stream.",
            Expected::body(Class::NotMcp, Reason::Html),
            "<!doctype html><p>hello</p>",
        ),
        written(
            "stream-with-an-event-of-prose",
            "One event that is no JSON.",
            Expected::body(Class::Malformed, Reason::NotJson),
            "data: hello\n\n",
        ),
        written(
            "stream-with-other-json",
            "One event that is JSON and nothing else.",
            Expected::body(Class::NotMcp, Reason::OtherJson),
            "data: {\"status\":\"ok\"}\n\n",
        ),
        written(
            "stream-with-half-an-answer",
            "The stream ends within the JSON of the answer.",
            Expected::body(Class::Malformed, Reason::NotJson),
            "data: {\"jsonrpc\":\"2.0\",\"id\":",
        ),
    ]
}
