//! Whose answer is it? Ids and envelopes of every shape.

use serde_json::{Value, json};
use shared::outcome::{Class, Reason, Violation};

use crate::hostile::exchange::JSON;
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = ids();
    all.extend(envelopes());
    all.extend(errors());
    all.extend(renegotiations());
    all
}

/// The good answer with another id, made of ours as text.
fn id(name: &str, says: &str, expected: Expected, make: fn(&str) -> String) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let result = exchange.good_result().unwrap_or_default();
        let id = make(&exchange.request.id().to_string());
        exchange.answer(200, &[JSON], format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"))
    })
}

fn ids() -> Vec<Behaviour> {
    let odd = || Expected::breach(Violation::IdType);
    let wrong = || Expected::is(Class::WrongId).at(shared::outcome::Phase::Body);
    let envelope = || Expected::body(Class::Malformed, Reason::Envelope);
    vec![
        id("id-with-a-fraction", "Our id with .0 behind it.", odd(), |id| format!("{id}.0")),
        id("id-as-text", "Our id as a text.", odd(), |id| format!("\"{id}\"")),
        id("id-with-an-exponent", "Our id with e0 behind it.", odd(), |id| format!("{id}e0")),
        id("id-one-more", "Our id and one.", wrong(), |id| format!("1{id}")),
        id("id-negative", "Our id below zero.", wrong(), |id| format!("-{id}")),
        id("id-with-half", "Our id and a half.", wrong(), |id| format!("{id}.5")),
        id("id-huge", "1e300.", wrong(), |_| "1e300".into()),
        id("id-beyond-doubles", "2^53 and one.", wrong(), |_| "9007199254740993".into()),
        id("id-of-ten-thousand-digits", "10,000 digits.", wrong(), |_| "9".repeat(10_000)),
        id("id-true", "true.", wrong(), |_| "true".into()),
        id("id-in-an-array", "Our id in an array.", wrong(), |id| format!("[{id}]")),
        id("id-in-an-object", "Our id in an object.", wrong(), |id| format!("{{\"id\":{id}}}")),
        id("id-empty", "An empty text.", wrong(), |_| "\"\"".into()),
        id("id-null", "A result whose id is null.", envelope(), |_| "null".into()),
        id("id-given-twice", "Another id, then ours.", Expected::breach(Violation::DuplicateKeys), |id| {
            format!("1,\"id\":{id}")
        }),
        id("id-of-an-error-for-a-result", "The id that some errors have.", wrong(), |_| {
            "\"server-error\"".into()
        }),
        Behaviour::at_handshake("id-missing", "A result without an id.", envelope(), |exchange| {
            let result = exchange.good_result();
            exchange.json(&json!({"jsonrpc": "2.0", "result": result}))
        }),
        Behaviour::at_handshake(
            "same-answer-for-everybody",
            "A canned answer with the id 1.",
            wrong(),
            |exchange| exchange.json(&good::answer(&json!(1), &good::initialize("canned"))),
        ),
    ]
}

/// The answer made of our id and the good result.
fn envelope(name: &str, says: &str, expected: Expected, make: fn(Value, Value) -> Value) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let result = exchange.good_result().unwrap_or_default();
        let answer = make(exchange.request.id(), result);
        exchange.json(&answer)
    })
}

fn envelopes() -> Vec<Behaviour> {
    let broken = || Expected::body(Class::Malformed, Reason::Envelope);
    let missing = || Expected::body(Class::Malformed, Reason::MissingMember);
    let jsonrpc = || Expected::breach(Violation::JsonrpcMember);
    vec![
        envelope(
            "version-missing",
            "No jsonrpc member.",
            jsonrpc(),
            |id, result| json!({"id": id, "result": result}),
        ),
        envelope(
            "version-1-0",
            "jsonrpc 1.0.",
            jsonrpc(),
            |id, result| json!({"jsonrpc": "1.0", "id": id, "result": result}),
        ),
        envelope(
            "version-as-number",
            "jsonrpc as a number.",
            jsonrpc(),
            |id, result| json!({"jsonrpc": 2.0, "id": id, "result": result}),
        ),
        envelope(
            "error-that-is-null",
            "A result, and an error that is null.",
            Expected::up(),
            |id, result| json!({"jsonrpc": "2.0", "id": id, "result": result, "error": null}),
        ),
        envelope(
            "result-and-error",
            "A result and an error.",
            broken(),
            |id, result| json!({"jsonrpc": "2.0", "id": id, "result": result, "error": {"code": 1, "message": ""}}),
        ),
        envelope(
            "neither-result-nor-error",
            "Neither a result nor an error.",
            broken(),
            |id, _| json!({"jsonrpc": "2.0", "id": id}),
        ),
        envelope(
            "result-that-is-null",
            "A result that is null.",
            broken(),
            |id, _| json!({"jsonrpc": "2.0", "id": id, "result": null}),
        ),
        envelope(
            "result-that-is-a-text",
            "A result that is a text.",
            missing(),
            |id, _| json!({"jsonrpc": "2.0", "id": id, "result": "ok"}),
        ),
        envelope(
            "result-that-is-an-array",
            "A result that is an array.",
            missing(),
            |id, result| json!({"jsonrpc": "2.0", "id": id, "result": [result]}),
        ),
        envelope(
            "result-that-is-empty",
            "A result without members.",
            missing(),
            |id, _| json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        ),
        envelope("batch-of-one", "The answer in an array.", Expected::up(), |id, result| {
            json!([good::answer(&id, &result)])
        }),
        envelope(
            "batch-with-others",
            "The answer among others in an array.",
            Expected::up(),
            |id, result| {
                let (other, call) =
                    (good::answer(&json!(1), &json!({})), json!({"jsonrpc": "2.0", "method": "x"}));
                json!([5, other, good::answer(&id, &result), call])
            },
        ),
        envelope(
            "batch-of-others",
            "Answers to others in an array.",
            Expected::is(Class::WrongId).at(shared::outcome::Phase::Body),
            |_, _| json!([{"jsonrpc": "2.0", "id": 1, "result": {}}]),
        ),
        envelope(
            "request-of-its-own",
            "A request of its own for an answer.",
            broken(),
            |_, _| json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        ),
        Behaviour::at_handshake("echo", "Our own request, sent back.", broken(), |exchange| {
            let body = exchange.request.json();
            exchange.json(&body)
        }),
        Behaviour::at_handshake(
            "version-of-the-future",
            "A revision that does not exist yet.",
            Expected::is(Class::Degraded).because(Reason::NoCommonVersion),
            |exchange| {
                let mut result = good::initialize("hostile");
                result["protocolVersion"] = "2099-01-01".into();
                exchange.result(&result)
            },
        ),
    ]
}

fn errors() -> Vec<Behaviour> {
    let error = Expected::is(Class::RpcError).at(shared::outcome::Phase::Body);
    let limited = || Expected::body(Class::RateLimited, Reason::RpcRateLimit);
    let broken = Expected::body(Class::Malformed, Reason::Envelope);
    vec![
        envelope("error", "A JSON-RPC error.", error.clone(), |id, _| good::error(&id, -32_603, "no")),
        envelope("error-without-an-id", "An error whose id is null.", error.clone(), |_, _| {
            good::error(&Value::Null, -32_600, "no")
        }),
        envelope("error-of-the-server", "An error whose id is \"server-error\".", error.clone(), |_, _| {
            good::error(&json!("server-error"), -32_600, "no")
        }),
        envelope(
            "error-without-a-code",
            "An error without a code.",
            error.clone(),
            |id, _| json!({"jsonrpc": "2.0", "id": id, "error": {"message": "no"}}),
        ),
        envelope(
            "error-whose-code-is-a-text",
            "An error whose code is a text.",
            error.clone(),
            |id, _| json!({"jsonrpc": "2.0", "id": id, "error": {"code": "E1"}}),
        ),
        envelope(
            "error-that-is-a-text",
            "An error that is a text.",
            broken,
            |id, _| json!({"jsonrpc": "2.0", "id": id, "error": "no"}),
        ),
        envelope("error-of-a-rate-limit", "Error -32029.", limited(), |id, _| good::error(&id, -32_029, "")),
        envelope(
            "error-that-speaks-of-a-rate-limit",
            "Error -32000 that speaks of a rate limit.",
            limited(),
            |id, _| good::error(&id, -32_000, "RATE LIMIT exceeded"),
        ),
        envelope("error-that-speaks-of-keys", "Error -32000 that asks for a key.", error, |id, _| {
            good::error(&id, -32_000, "API key required")
        }),
    ]
}

fn renegotiations() -> Vec<Behaviour> {
    let unsupported = |id: &Value, supported: Value| {
        let data = json!({"supported": supported, "requested": "2025-11-25"});
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32_022, "message": "unsupported", "data": data}})
    };
    let error = Expected::is(Class::RpcError).at(shared::outcome::Phase::Body);
    let none = || Expected::is(Class::Degraded).because(Reason::NoCommonVersion);
    let always = move |name: &str, says: &str, expected: Expected, supported: fn() -> Value| {
        Behaviour::new(name, says, expected, move |exchange| match exchange.request.kind() {
            Kind::Initialize | Kind::Discover => {
                let answer = unsupported(&exchange.request.id(), supported());
                exchange.answer(400, &[JSON], answer.to_string())
            }
            _ => exchange.good(),
        })
    };
    vec![
        always(
            "versions-of-the-past-for-ever",
            "Names an older revision each time and takes none.",
            error.clone(),
            || json!(["2025-03-26"]),
        ),
        always(
            "version-of-today-for-ever",
            "Names 2026-07-28 each time and does not take it.",
            error.clone(),
            || json!(["2026-07-28"]),
        ),
        always("both-eras-for-ever", "Names every revision each time and takes none.", error, || {
            json!(["2024-11-05", "2025-11-25", "2026-07-28"])
        }),
        always("no-version-at-all", "Supports no revision.", none(), || json!([])),
        always(
            "ten-thousand-versions",
            "10,000 revisions that do not exist, an error body beyond its cap.",
            Expected::is(Class::Http4xx).at(shared::outcome::Phase::Headers),
            || (0..10_000).map(|number| format!("v{number}")).collect(),
        ),
        Behaviour::new(
            "modern-only",
            "Falls forward as a server of 2026-07-28 does.",
            Expected::up(),
            move |exchange| {
                let id = exchange.request.id();
                match exchange.request.kind() {
                    Kind::Initialize => {
                        exchange.answer(400, &[JSON], unsupported(&id, json!(["2026-07-28"])).to_string())
                    }
                    Kind::Discover => exchange.result(&good::discover()),
                    Kind::ToolsList => {
                        let mut page = good::tools(&["look"]);
                        for (name, value) in [
                            ("resultType", json!("complete")),
                            ("ttlMs", json!(0)),
                            ("cacheScope", json!("public")),
                        ] {
                            page[name] = value;
                        }
                        exchange.result(&page)
                    }
                    _ => exchange.good(),
                }
            },
        ),
    ]
}
