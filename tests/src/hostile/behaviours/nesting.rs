//! JSON that is deep, long or both.

use std::io;

use serde_json::Value;
use shared::outcome::{Class, Phase, Reason, Violation};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::{Behaviour, Expected};

const TEN_MEBIBYTES: usize = 10 * 1024 * 1024;
/// Well under the cap of a handshake answer.
const UNDER_THE_CAP: usize = 100_000;
/// Well under the cap of all tools.
const UNDER_THE_TOOLS_CAP: usize = 3 * 1024 * 1024;

/// The good answer with this text as one more member of its result.
fn with_member(exchange: &Exchange<'_>, member: &str) -> String {
    let answer = exchange.good_answer().to_string();
    answer.replacen("\"result\":{", &format!("\"result\":{{\"more\":{member},"), 1)
}

/// Another member in the result of `initialize`.
fn member(
    name: &str,
    says: &str,
    expected: Expected,
    member: impl Fn() -> String + Send + Sync + 'static,
) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = with_member(exchange, &member());
        exchange.answer(200, &[JSON], answer)
    })
}

fn arrays(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn objects(depth: usize) -> String {
    format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    let too_deep = Expected::body(Class::Malformed, Reason::TooDeep);
    let mut all = endless();
    all.extend([
        member("nesting-at-the-limit", "60 levels in the answer.", Expected::up(), || arrays(60)),
        member("arrays-in-arrays", "50,000 arrays in each other.", too_deep.clone(), || {
            arrays(UNDER_THE_CAP / 2)
        }),
        member("objects-in-objects", "10,000 objects in each other.", too_deep.clone(), || objects(10_000)),
        member("arrays-never-closed", "100,000 opening brackets and no closing one.", too_deep, || {
            "[".repeat(UNDER_THE_CAP)
        }),
        member(
            "brackets-in-a-text",
            "100,000 brackets within a text, which is no nesting.",
            Expected::up(),
            || format!("\"{}\"", "[{".repeat(UNDER_THE_CAP / 2)),
        ),
        member("quotes-in-a-text", "50,000 escaped quotes within a text.", Expected::up(), || {
            format!("\"{}\"", "\\\"".repeat(UNDER_THE_CAP / 2))
        }),
        member("a-number-of-100000-digits", "A number of 100,000 digits.", Expected::up(), || {
            "9".repeat(UNDER_THE_CAP)
        }),
        member("a-number-with-a-huge-exponent", "1e999999999.", Expected::up(), || "1e999999999".to_owned()),
        member("ten-thousand-members", "10,000 members beside ours.", Expected::up(), || {
            let members: Vec<String> = (0..10_000).map(|number| format!("\"{number}\":0")).collect();
            format!("{{{}}}", members.join(","))
        }),
        member(
            "one-member-twenty-thousand-times",
            "One member, 20,000 times.",
            Expected::breach(Violation::DuplicateKeys),
            || format!("{{{}\"a\":0}}", "\"a\":0,".repeat(20_000)),
        ),
        member("an-empty-name", "A member whose name is empty.", Expected::up(), || "{\"\":0}".to_owned()),
        member("a-member-named-proto", "Members named __proto__ and constructor.", Expected::up(), || {
            "{\"__proto__\":{\"a\":1},\"constructor\":{\"prototype\":1}}".to_owned()
        }),
    ]);
    all.extend(in_tools());
    all
}

fn endless() -> Vec<Behaviour> {
    let deep = |name: &str, says: &str, piece: &'static str| {
        Behaviour::at_handshake(name, says, Expected::too_large(), move |exchange: &mut Exchange<'_>| {
            exchange.answer(200, &[JSON], piece.repeat(TEN_MEBIBYTES / piece.len()))
        })
    };
    vec![
        deep("ten-mebibytes-of-nesting", "10 MiB of opening brackets.", "["),
        deep("ten-mebibytes-of-nested-objects", "10 MiB of objects in objects.", "{\"a\":"),
        deep("ten-mebibytes-of-a-text", "A text of 10 MiB.", "\"aaaaaaaa"),
        Behaviour::at_handshake(
            "ten-mebibytes-of-nesting-in-an-event",
            "10 MiB of opening brackets as the data of one event.",
            Expected::too_large(),
            |exchange| {
                exchange.open_stream()?;
                exchange.raw("data: ")?;
                exchange.raw("[".repeat(TEN_MEBIBYTES))
            },
        ),
        Behaviour::at_handshake(
            "nesting-in-an-event",
            "50,000 arrays in each other as the data of one event.",
            Expected::body(Class::Malformed, Reason::TooDeep),
            |exchange| {
                let answer = with_member(exchange, &arrays(UNDER_THE_CAP / 2));
                exchange.open_stream()?;
                exchange.raw(format!("data: {answer}\n\n"))
            },
        ),
        Behaviour::at_handshake(
            "endless-json",
            "A JSON text that never ends.",
            Expected::too_large(),
            |exchange| {
                exchange.open(200, &[JSON])?;
                exchange.raw("{\"jsonrpc\":\"2.0\",\"result\":[")?;
                exchange.endless("0,")
            },
        ),
        Behaviour::at_handshake(
            "endless-blanks",
            "Blanks that never end.",
            Expected::too_large(),
            |exchange| {
                exchange.open(200, &[JSON])?;
                exchange.endless(" ")
            },
        ),
        Behaviour::at_handshake(
            "endless-page",
            "A page that never ends: no answer of whatever size.",
            Expected::body(Class::NotMcp, Reason::Html),
            |exchange| {
                exchange.open(200, &[("Content-Type", "text/html")])?;
                exchange.raw("<!doctype html>")?;
                exchange.endless("<p>hello</p>")
            },
        ),
        Behaviour::at_handshake(
            "endless-error-page",
            "A page that never ends, under 500.",
            Expected::is(Class::Http5xx).at(Phase::Headers),
            |exchange| {
                exchange.open(500, &[("Content-Type", "text/html")])?;
                exchange.endless("<p>sorry</p>")
            },
        ),
    ]
}

fn in_tools() -> Vec<Behaviour> {
    let truncated = Expected::up().because(Reason::ToolsTruncated);
    let tools = |name: &str, says: &str, expected: Expected, value: fn() -> String| {
        Behaviour::at_tools(name, says, expected, move |exchange: &mut Exchange<'_>| -> io::Result<()> {
            let id: Value = exchange.request.id();
            exchange.answer(
                200,
                &[JSON],
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}", value()),
            )
        })
    };
    vec![
        tools(
            "tools-with-ten-mebibytes-of-nesting",
            "10 MiB of nesting in the list of tools.",
            truncated.clone(),
            || arrays(TEN_MEBIBYTES / 2),
        ),
        tools(
            "tools-with-three-mebibytes-of-nesting",
            "3 MiB of nesting in the list of tools.",
            Expected::tools_failed(Phase::Body),
            || arrays(UNDER_THE_TOOLS_CAP / 2),
        ),
        tools("tools-in-one-text-of-ten-mebibytes", "A description of 10 MiB.", truncated, || {
            let text = "a".repeat(TEN_MEBIBYTES);
            format!(
                "{{\"tools\":[{{\"name\":\"a\",\"description\":\"{text}\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}"
            )
        }),
    ]
}
