//! Lists of tools made of as many small values as fit: what is read from them is far larger than what was sent.

use serde_json::Value;
use shared::methodology::limits;
use shared::outcome::Reason;

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::{Behaviour, Expected};

/// A value that is repeated, and what it costs of `limits::JSON_VALUES`.
struct Small {
    name: &'static str,
    value: &'static str,
    cost: usize,
}

const SMALL: [Small; 6] = [
    Small { name: "numbers", value: "1", cost: 1 },
    Small { name: "empty-texts", value: "\"\"", cost: 1 },
    Small { name: "empty-arrays", value: "[]", cost: 2 },
    Small { name: "empty-objects", value: "{}", cost: 3 },
    Small { name: "objects-with-one-member", value: "{\"a\":1}", cost: 3 },
    Small { name: "tools-without-a-schema", value: "{\"name\":\"a\"}", cost: 3 },
];
/// What the rest of a message costs, with room to spare.
const SPARE: usize = 100;

/// How the list is sent.
#[derive(Clone, Copy)]
enum Sent {
    Text,
    Event,
}

fn list(
    name: String,
    says: String,
    expected: Expected,
    sent: Sent,
    result: impl Fn() -> String + Send + Sync + 'static,
) -> Behaviour {
    Behaviour::at_tools(name, says, expected, move |exchange: &mut Exchange<'_>| {
        let id: Value = exchange.request.id();
        let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}", result());
        match sent {
            Sent::Text => exchange.answer(200, &[JSON], message),
            Sent::Event => {
                exchange.open_stream()?;
                exchange.raw(format!("event: message\ndata: {message}\n\n"))
            }
        }
    })
}

/// `count` of them, parted by commas.
fn many(value: &str, count: usize) -> String {
    format!("{}{value}", format!("{value},").repeat(count - 1))
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    let truncated = Expected::up().because(Reason::ToolsTruncated);
    let mut all = Vec::new();
    for Small { name, value, cost } in SMALL {
        let filling = (limits::TOOLS_BYTES - 1_000) / (value.len() + 1);
        let fitting = (limits::JSON_VALUES - SPARE) / cost;
        for (sent, place) in [(Sent::Text, ""), (Sent::Event, "-in-an-event")] {
            all.push(list(
                format!("tools-of-{name}{place}"),
                format!("4 MiB of `{value}` in the place of tools."),
                truncated.clone(),
                sent,
                move || format!("{{\"tools\":[{}]}}", many(value, filling)),
            ));
            all.push(list(
                format!("a-schema-of-{name}-at-the-limit{place}"),
                format!("As many `{value}` as we read, in the schema of a tool."),
                Expected::up(),
                sent,
                move || {
                    let values = many(value, fitting);
                    format!("{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{{\"type\":\"object\",\"enum\":[{values}]}}}}]}}")
                },
            ));
        }
    }
    all
}
