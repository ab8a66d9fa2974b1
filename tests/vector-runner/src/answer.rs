//! Turns an [`Answer`] into the headers and bytes that a transport would receive.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use shared::probe::{Headers, Request};

use crate::good;
use crate::run::RunFault;
use crate::vector::{Answer, Part};

/// The id of a JSON-RPC request, 0 where it has none (notifications, GET and DELETE).
pub(crate) fn request_id(request: &Request) -> u64 {
    let body = request.body.as_deref().unwrap_or("null");
    serde_json::from_str::<Value>(body)
        .ok()
        .and_then(|body| body.get("id").and_then(Value::as_u64))
        .unwrap_or(0)
}

/// Headers as received, with the type that the kind of body brings.
pub(crate) fn headers(answer: &Answer) -> Headers {
    let named = answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let brought = match answer {
        _ if named => None,
        Answer { json: Some(_), .. } => Some("application/json"),
        Answer { events: Some(_), .. } => Some("text/event-stream"),
        _ => None,
    };
    let own = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    Headers::new(brought.map(|value| ("content-type", value.as_bytes())).into_iter().chain(own))
}

/// The bytes of the body.
pub(crate) fn body(answer: &Answer, request: &Request) -> Result<Vec<u8>, RunFault> {
    let id = request_id(request);
    let fill = |text: &str| {
        let text = text.replace("{{id}}", &id.to_string());
        if text.contains("{{ok}}") { text.replace("{{ok}}", &good::answer(request, id)) } else { text }
    };
    let mut bodies = Vec::new();
    if let Some(value) = &answer.json {
        bodies.push(fill(&value.to_string().replace("\"{{id}}\"", "{{id}}")).into_bytes());
    }
    bodies.extend(answer.events.as_deref().map(|text| fill(text).into_bytes()));
    bodies.extend(answer.body.as_deref().map(|text| fill(text).into_bytes()));
    if !answer.parts.is_empty() {
        bodies.push(answer.parts.iter().map(|part| fill(&repeated(part))).collect::<String>().into_bytes());
    }
    if let Some(text) = &answer.base64 {
        bodies.push(BASE64_STANDARD.decode(text).map_err(|error| RunFault::Base64(error.to_string()))?);
    }
    if bodies.len() > 1 {
        return Err(RunFault::SeveralBodies);
    }
    Ok(bodies.pop().unwrap_or_default())
}

fn repeated(part: &Part) -> String {
    let mut text = String::new();
    for round in 0..part.times.unwrap_or(1) {
        if round > 0 {
            text.push_str(part.between.as_deref().unwrap_or(""));
        }
        if part.text.contains("{{n}}") {
            text.push_str(&part.text.replace("{{n}}", &round.to_string()));
        } else {
            text.push_str(&part.text);
        }
    }
    text
}
