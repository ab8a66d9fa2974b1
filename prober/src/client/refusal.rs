//! What an answer other than 200 means for us, in words that say what to do.

use std::time::Duration;

use reqwest::StatusCode;

use super::{Answer, CallFault, CallFaultKind};
use crate::text::printable;

/// Characters of the Worker's own words shown in a message.
const WORDS_SHOWN: usize = 200;

pub(super) fn refusal(path: &str, answer: &Answer) -> CallFault {
    let kind = match answer.status {
        StatusCode::UNAUTHORIZED => CallFaultKind::Unauthorized,
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
            CallFaultKind::BodyRefused
        }
        _ => CallFaultKind::Passing,
    };
    let words = words(&answer.body);
    let asked = answer.retry_after.map(asked).unwrap_or_default();
    let advice = advice(answer);
    let message = format!("{path} answered {}{words}{asked} ({advice})", answer.status.as_u16());
    CallFault { kind, retry_after: answer.retry_after, message }
}

fn asked(wait: Duration) -> String {
    format!(", and to be left alone for {} s", wait.as_secs())
}

/// What the operator can do about it.
fn advice(answer: &Answer) -> String {
    match answer.status.as_u16() {
        300..=399 => {
            let to = answer.location.as_deref().map(|to| format!(" {}", shown(to))).unwrap_or_default();
            format!(
                "a redirect is not followed with a signature: set `worker` to the address it leads to{to}"
            )
        }
        401 => "check that network and key are those of the Worker's NETWORK_KEYS".to_owned(),
        403 => "something in front of the Worker forbids it: check its firewall rules".to_owned(),
        404 | 405 | 410 => "no Worker that this version knows is there: check `worker`".to_owned(),
        400 | 413 | 422 => "it does not take what is sent: update the prober or the Worker".to_owned(),
        429 => "it, or what stands in front of it, is asked too often".to_owned(),
        500..=599 => "it has trouble: see its log".to_owned(),
        _ => "check `worker`, and what stands in front of it".to_owned(),
    }
}

/// The Worker's own explanation, if its body is a problem document (RFC 9457).
fn words(body: &[u8]) -> String {
    let problem: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let said = problem.get("detail").or_else(|| problem.get("title")).and_then(|text| text.as_str());
    said.map(|text| format!(": {}", shown(text))).unwrap_or_default()
}

/// A text of the Worker's, short and safe to print.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(WORDS_SHOWN).collect();
    printable(&short).into_owned()
}
