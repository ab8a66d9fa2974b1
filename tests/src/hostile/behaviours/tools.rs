//! Lists of tools: their names, their number, and what stands in their place.

use std::io;

use serde_json::{Value, json};
use shared::methodology::limits;
use shared::outcome::{Class, Phase, Reason, Violation};

use crate::hostile::exchange::Exchange;
use crate::hostile::{Behaviour, Expected, good};

/// Where nobody may go.
const ELSEWHERE: &str = "http://127.0.0.9/astray";

pub(super) fn behaviours() -> Vec<Behaviour> {
    [names(), entries(), schemas(), numbers(), results()].concat()
}

/// Answers with these tools.
fn listing(name: &str, says: &str, expected: Expected, tools: impl Into<Value>) -> Behaviour {
    let tools = tools.into();
    Behaviour::at_tools(name, says, expected, move |exchange| exchange.result(&json!({"tools": tools})))
}

fn names() -> Vec<Behaviour> {
    [
        ("with-escapes", "terminal escapes", "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m".to_owned()),
        ("with-controls", "control characters", "a\0b\r\nc\td\u{7f}\u{85}".into()),
        ("that-turns-the-text", "bidi controls", "\u{202e}elif\u{2066}\u{200f}\u{61c}".into()),
        ("that-cannot-be-seen", "characters that cannot be seen", "\u{200b}\u{feff}\u{2060}\u{e0041}".into()),
        ("with-markup", "markup", "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;".into()),
        ("with-a-template", "what templates fill in", "{{7*7}}${7*7}<%= 7 %>{{constructor}}".into()),
        ("with-sql", "SQL", "'; DROP TABLE votes; --".into()),
        (
            "with-a-link",
            "a link of Markdown",
            "[x](javascript:alert(1)) ![y](http://127.0.0.9/astray)".into(),
        ),
        ("with-a-formula", "a formula", "=HYPERLINK(\"http://127.0.0.9/astray\")".into()),
        ("of-a-path", "a path", "../../../etc/passwd".into()),
        ("of-a-blank", "a blank", " ".into()),
        ("beyond-ascii", "characters beyond ASCII", "\u{e9}\u{1f468}\u{200d}\u{1f469}\u{fffe}".into()),
        ("of-marks", "a letter below a thousand marks", format!("a{}", "\u{301}".repeat(1_000))),
        ("cut-within-a-character", "200 characters of four bytes", "\u{1f600}".repeat(200)),
        ("of-a-mebibyte", "1 MiB", "a".repeat(1024 * 1024)),
        ("of-a-word-of-ours", "a word that JavaScript knows", "__proto__".into()),
    ]
    .into_iter()
    .map(|(name, says, text)| {
        let says = format!("A tool whose name is {says}.");
        listing(&format!("tool-name-{name}"), &says, Expected::up(), json!([good::tool(&text)]))
    })
    .collect()
}

fn entries() -> Vec<Behaviour> {
    let invalid = || Expected::breach(Violation::ToolInvalid);
    let twice = || Expected::breach(Violation::DuplicateTool);
    let beside = |entry: Value| json!([good::tool("look"), entry]);
    vec![
        listing("tools-none", "An empty list of tools.", Expected::up(), json!([])),
        listing(
            "tool-without-a-name",
            "A tool without a name.",
            invalid(),
            beside(json!({"inputSchema": {}})),
        ),
        listing("tool-name-empty", "A tool whose name has no letter.", invalid(), beside(good::tool(""))),
        listing(
            "tool-name-of-a-number",
            "A tool whose name is a number.",
            invalid(),
            beside(json!({"name": 5})),
        ),
        listing("tool-name-of-null", "A tool whose name is null.", invalid(), beside(json!({"name": null}))),
        listing("tool-of-null", "A tool that is null.", invalid(), beside(Value::Null)),
        listing("tool-of-a-text", "A tool that is a text.", invalid(), beside("look".into())),
        listing("tool-of-a-list", "A tool that is a list.", invalid(), beside(json!([good::tool("a")]))),
        listing("tools-of-nothing-else", "No entry is a tool.", invalid(), json!([null, 5, "a", [], {}])),
        listing("tool-twice", "The same tool twice.", twice(), beside(good::tool("look"))),
        listing(
            "tool-twice-differently",
            "Two tools of one name.",
            twice(),
            beside(json!({"name": "look", "description": "other", "inputSchema": {"type": "object"}})),
        ),
        listing("tool-two-hundred-times", "The same tool 200 times.", twice(), vec![good::tool("look"); 200]),
        listing(
            "tools-that-look-alike",
            "Two tools whose names look the same and are not.",
            Expected::up(),
            json!([good::tool("caf\u{e9}"), good::tool("cafe\u{301}")]),
        ),
        Behaviour::at_tools(
            "tools-that-change-each-time",
            "Other tools for each question.",
            Expected::up(),
            |exchange| {
                let name = format!("tool-{}", exchange.number);
                exchange.result(&good::tools(&[&name]))
            },
        ),
    ]
}

fn schemas() -> Vec<Behaviour> {
    let invalid = || Expected::breach(Violation::ToolSchemaInvalid);
    let properties = |count: usize| -> Value {
        (0..count).map(|number| (format!("p{number}"), json!({}))).collect::<serde_json::Map<_, _>>().into()
    };
    let with = |name: &str, says: &str, expected, members: Value| {
        let mut tool = good::tool("look");
        for (member, value) in members.as_object().into_iter().flatten() {
            tool[member] = value.clone();
        }
        listing(&format!("tool-with-{name}"), &format!("A tool with {says}."), expected, json!([tool]))
    };
    let schema = |schema: Value| json!({"inputSchema": schema});
    vec![
        with("null-for-a-schema", "null for a schema", invalid(), schema(Value::Null)),
        with("a-text-for-a-schema", "a text for a schema", invalid(), schema("object".into())),
        with("a-schema-of-a-text", "a schema of a text", invalid(), schema(json!({"type": "string"}))),
        with(
            "a-schema-of-all-types",
            "a schema of all types",
            invalid(),
            schema(json!({"type": ["object"]})),
        ),
        with(
            "a-list-of-properties",
            "a list for the properties",
            invalid(),
            schema(json!({"type": "object", "properties": []})),
        ),
        with("a-title-of-a-number", "a number for a title", invalid(), json!({"title": 5})),
        with("a-description-of-null", "null for a description", invalid(), json!({"description": null})),
        with(
            "a-description-of-a-mebibyte",
            "a description of 1 MiB",
            Expected::up(),
            json!({"description": "a".repeat(1024 * 1024)}),
        ),
        with(
            "a-schema-of-itself",
            "a schema that refers to itself",
            Expected::up(),
            schema(json!({"type": "object", "$ref": "#", "properties": {"a": {"$ref": "#"}}})),
        ),
        with(
            "a-schema-from-elsewhere",
            "a schema that refers to another address, which is not asked",
            Expected::up(),
            schema(json!({"type": "object", "$ref": ELSEWHERE, "$schema": ELSEWHERE})),
        ),
        with(
            "ten-thousand-parameters",
            "10,000 parameters, as many as we keep",
            Expected::up(),
            schema(json!({"type": "object", "properties": properties(limits::PARAMETERS)})),
        ),
        with(
            "more-than-ten-thousand-parameters",
            "one parameter more than we keep",
            Expected::up().because(Reason::ToolsTruncated),
            schema(json!({"type": "object", "properties": properties(limits::PARAMETERS + 1)})),
        ),
    ]
}

fn numbers() -> Vec<Behaviour> {
    let many = |name: &str, says: &str, expected, count: usize| {
        let tools: Vec<Value> = (0..count).map(|number| good::tool(&format!("tool-{number}"))).collect();
        listing(name, says, expected, tools)
    };
    let truncated = || Expected::up().because(Reason::ToolsTruncated);
    vec![
        many("tools-a-thousand", "1,000 tools, as many as we keep.", Expected::up(), limits::TOOLS),
        many("tools-one-more", "One tool more than we keep.", truncated(), limits::TOOLS + 1),
        many("tools-ten-thousand", "10,000 tools.", truncated(), 10_000),
    ]
}

/// What is no list of tools.
fn results() -> Vec<Behaviour> {
    let failed = || Expected::tools_failed(Phase::Body);
    let of = |name: &str, says: &str, tools: Value| {
        listing(&format!("tools-of-{name}"), &format!("{says} for the list of tools."), failed(), tools)
    };
    let answers = |name: &str, says: &str, expected, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        Behaviour::at_tools(name, says, expected, act)
    };
    let refused = || Expected::up().because(Reason::ToolsRefused);
    vec![
        of("null", "Null", Value::Null),
        of("an-object", "An object", json!({"look": good::tool("look")})),
        of("a-text", "A text", "look".into()),
        of("a-number", "A number", 5.into()),
        answers("tools-missing", "A result without tools.", failed(), |exchange| exchange.result(&json!({}))),
        answers("tools-for-a-result", "The tools themselves for a result.", failed(), |exchange| {
            exchange.result(&json!([good::tool("look")]))
        }),
        answers("tools-of-another-era", "The answer to initialize again.", failed(), |exchange| {
            exchange.result(&good::initialize("hostile"))
        }),
        answers(
            "tools-unknown",
            "Tools are offered, and their method is unknown.",
            Expected::is(Class::Up).because(Reason::ToolsNotOffered),
            |exchange| {
                let error = good::error(&exchange.request.id(), -32_601, "Method not found");
                exchange.json(&error)
            },
        ),
        answers("tools-broken", "An internal error for the tools.", failed(), |exchange| {
            let error = good::error(&exchange.request.id(), -32_603, "Internal error");
            exchange.json(&error)
        }),
        answers("tools-limited", "A rate limit, told by JSON-RPC.", refused(), |exchange| {
            let error = good::error(&exchange.request.id(), -32_000, "Rate limit exceeded");
            exchange.json(&error)
        }),
        answers("tools-behind-a-bot-wall", "A bot wall for the tools.", refused(), |exchange| {
            exchange.answer(403, &[("cf-mitigated", "challenge")], "<html></html>")
        }),
    ]
}
