//! What an answer other than 200 means for us, in words that say what to do.

use std::time::Duration;

use reqwest::StatusCode;

use super::{ADVICE, Answer, CallFault, CallFaultKind};
use crate::backoff::LONGEST_ASKED;
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
    let left_alone = answer.retry_after.map(left_alone).unwrap_or_default();
    let advice = advice(answer);
    let message = format!("{path} answered {}{words} ({advice}{left_alone})", answer.status.as_u16());
    CallFault { kind, retry_after: answer.retry_after, message }
}

/// The pause that it asks for, as far as it is kept.
fn left_alone(asked: Duration) -> String {
    format!("; it asks for it and is left alone for {} s", asked.min(LONGEST_ASKED).as_secs())
}

/// What the operator can do about it.
fn advice(answer: &Answer) -> String {
    match answer.status.as_u16() {
        300..=399 => {
            let to = answer
                .location
                .as_deref()
                .map_or_else(|| " nowhere".to_owned(), |to| format!(" {}", shown(to)));
            format!("a redirect is not followed with a signature: check `worker`; it leads to{to}")
        }
        401 => "check that network and key are those of the Worker's NETWORK_KEYS".to_owned(),
        403 => "something in front of the Worker forbids it: check its firewall rules".to_owned(),
        404 | 405 | 410 => "no Worker that this version knows is there: check `worker`".to_owned(),
        400 | 413 | 422 => "it does not take what is sent: update the prober or the Worker".to_owned(),
        429 => "it, or what stands in front of it, is asked too often".to_owned(),
        500..=599 => "it has trouble: see its log".to_owned(),
        _ => ADVICE.to_owned(),
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
