//! Cursors of `tools/list`: what they are, where they lead, and pages that fail late.

use std::io;

use serde_json::{Value, json};
use shared::methodology::limits;
use shared::outcome::{Reason, Violation};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [endless(), ended(), cursors(), late()].concat()
}

fn truncated() -> Expected {
    Expected::up().because(Reason::ToolsTruncated)
}

/// The cursor of a request for a page; null for the first.
fn cursor(exchange: &Exchange<'_>) -> Value {
    exchange.request.json().pointer("/params/cursor").cloned().unwrap_or_default()
}

/// The number that a cursor of ours holds.
fn number(exchange: &Exchange<'_>) -> usize {
    cursor(exchange).as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A page with this tool, and this cursor to the next.
fn page(tool: &str, next: impl Into<Value>) -> Value {
    let mut page = good::tools(&[tool]);
    page["nextCursor"] = next.into();
    page
}

/// Pages by the number in their cursor.
fn pages(name: &str, says: &str, expected: Expected, page: fn(usize) -> Value) -> Behaviour {
    Behaviour::at_tools(name, says, expected, move |exchange| exchange.result(&page(number(exchange))))
}

fn endless() -> Vec<Behaviour> {
    let again = || Expected::breach(Violation::DuplicateTool).because(Reason::ToolsTruncated);
    vec![
        pages("cursors-without-end", "Each page has another tool and leads on.", truncated(), |at| {
            page(&format!("tool-{at}"), (at + 1).to_string())
        }),
        pages("cursors-to-the-same-tools", "Each page has the same tool and leads on.", again(), |at| {
            page("look", (at + 1).to_string())
        }),
        pages(
            "cursors-to-empty-pages",
            "Each page is empty and leads on.",
            truncated(),
            |at| json!({"tools": [], "nextCursor": (at + 1).to_string()}),
        ),
        pages("cursors-that-grow", "Each cursor is a kilobyte longer than the last.", truncated(), |at| {
            page(&format!("tool-{at}"), format!("{:0width$}", at + 1, width = 1_000 * (at + 1)))
        }),
        pages("cursor-repeated", "Each page leads to the same one.", truncated(), |_| page("look", "1")),
        pages(
            "cursors-that-alternate",
            "Two pages, each leading to the other.",
            truncated(),
            |at| match at {
                1 => page("one", "2"),
                _ => page("two", "1"),
            },
        ),
        pages("cursors-ten-pages", "Ten pages, as many as we read.", Expected::up(), |at| match at {
            9 => good::tools(&["last"]),
            _ => page(&format!("tool-{at}"), (at + 1).to_string()),
        }),
        pages("cursors-eleven-pages", "Eleven pages, one more than we read.", truncated(), |at| match at {
            10 => good::tools(&["last"]),
            _ => page(&format!("tool-{at}"), (at + 1).to_string()),
        }),
    ]
}

/// One page, and this for its cursor.
fn first(name: &str, says: &str, expected: Expected, next: Value) -> Behaviour {
    Behaviour::at_tools(format!("cursor-{name}"), says, expected, move |exchange| {
        let page =
            if cursor(exchange).is_null() { page("look", next.clone()) } else { good::tools(&["more"]) };
        exchange.result(&page)
    })
}

fn ended() -> Vec<Behaviour> {
    let invalid = || Expected::breach(Violation::CursorInvalid).because(Reason::ToolsTruncated);
    vec![
        first("of-null", "A cursor that is null, which ends the list.", Expected::up(), Value::Null),
        first("of-nothing", "A cursor without a letter, which ends the list.", Expected::up(), "".into()),
        first("of-a-number", "A cursor that is a number.", invalid(), 2.into()),
        first("of-zero", "A cursor that is zero.", invalid(), 0.into()),
        first("of-a-boolean", "A cursor that is false.", invalid(), false.into()),
        first("of-an-object", "A cursor that is an object.", invalid(), json!({"page": 2})),
        first("of-a-list", "A cursor that is a list.", invalid(), json!(["2"])),
        first("of-nine-kibibytes", "A cursor of 9 KiB.", truncated(), "c".repeat(9 * 1024).into()),
        first("of-a-mebibyte", "A cursor of 1 MiB.", truncated(), "c".repeat(1024 * 1024).into()),
    ]
}

/// Opaque, and sent back as they came.
fn cursors() -> Vec<Behaviour> {
    [
        ("as-long-as-we-send", "as long as we send", "c".repeat(limits::CURSOR_BYTES)),
        ("of-a-blank", "of a blank", " ".into()),
        ("of-controls", "of control characters", "\0\u{1}\t\r\n\u{1b}[2J\u{7f}".into()),
        ("of-quotes", "that would end a text of JSON", "\",\"method\":\"tools/call\",\"x\":\"\\".into()),
        ("of-a-header", "that would be a header", "1\r\nX-Injected: a\r\n\r\n".into()),
        ("that-turns-the-text", "of bidi controls", "\u{202e}\u{2066}abc\u{200f}".into()),
        ("beyond-ascii", "beyond ASCII", "\u{e9}\u{1f600}\u{ffff}".into()),
        ("of-a-url", "that is a URL", "http://127.0.0.9/astray".into()),
        ("of-a-path", "that is a path", "../../etc/passwd".into()),
        ("of-null-in-letters", "of the letters null", "null".into()),
    ]
    .into_iter()
    .map(|(name, says, text): (&str, &str, String)| {
        let says = format!("A cursor {says}, which must come back as it is.");
        Behaviour::at_tools(format!("cursor-{name}"), says, Expected::up(), move |exchange| {
            match cursor(exchange) {
                Value::Null => exchange.result(&page("look", text.as_str())),
                back if back == text.as_str() => exchange.result(&good::tools(&["more"])),
                _ => exchange.answer(400, &[], ""),
            }
        })
    })
    .chain([Behaviour::at_tools(
        "cursor-of-half-a-character",
        "A cursor that is half a surrogate pair.",
        Expected::breach(Violation::InvalidUnicode),
        |exchange| {
            if !cursor(exchange).is_null() {
                return exchange.result(&good::tools(&["more"]));
            }
            let (id, page) = (exchange.request.id(), page("look", "half").to_string());
            let page = page.replace("half", "\\ud800");
            exchange.answer(200, &[JSON], format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{page}}}"))
        },
    )])
    .collect()
}

/// A good first page, and a second one that does not come.
fn late() -> Vec<Behaviour> {
    let failed = || Expected::up().because(Reason::PageFailed);
    let fails = |name: &str, says: &str, expected, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        let says = format!("A good first page, and {says} for the second.");
        Behaviour::at_tools(format!("second-page-{name}"), says, expected, move |exchange| {
            if cursor(exchange).is_null() { exchange.result(&page("look", "2")) } else { act(exchange) }
        })
    };
    let mut all: Vec<Behaviour> = [400, 401, 403, 404, 429, 500, 503]
        .into_iter()
        .map(|status| {
            let says = format!("A good first page, and {status} for the second.");
            Behaviour::at_tools(format!("second-page-under-{status}"), says, failed(), move |exchange| {
                if cursor(exchange).is_null() {
                    return exchange.result(&page("look", "2"));
                }
                exchange.answer(status, &[("WWW-Authenticate", "Bearer")], "")
            })
        })
        .collect();
    all.extend([
        fails("refused", "an error of JSON-RPC", failed(), |exchange| {
            let error = good::error(&exchange.request.id(), -32_602, "Invalid cursor");
            exchange.json(&error)
        }),
        fails("unknown", "the error for an unknown method", failed(), |exchange| {
            let error = good::error(&exchange.request.id(), -32_601, "Method not found");
            exchange.json(&error)
        }),
        fails("for-another", "the answer to another request", failed(), |exchange| {
            exchange.json(&good::answer(&json!("another"), &good::tools(&["more"])))
        }),
        fails("without-tools", "a result without tools", failed(), |exchange| exchange.result(&json!({}))),
        fails("of-html", "a page of HTML", failed(), |exchange| {
            exchange.answer(200, &[("Content-Type", "text/html")], "<html></html>")
        }),
        fails("closed", "a closed connection", failed(), |exchange| {
            exchange.close();
            Ok(())
        }),
        fails("reset", "a reset", failed(), |exchange| exchange.reset()),
        fails("cut-short", "half an answer", failed(), |exchange| {
            exchange.open(200, &[JSON, ("Content-Length", "1000")])?;
            exchange.raw("{\"jsonrpc\":")
        }),
        fails("elsewhere", "a redirect to another address", failed(), |exchange| {
            let location = exchange.fill("http://{trap}/{astray}");
            exchange.answer(307, &[("Location", &location)], "")
        }),
        fails("without-end", "an answer without end", truncated(), |exchange| {
            exchange.open(200, &[JSON])?;
            exchange.endless(" ")
        }),
    ]);
    all
}
