//! What one HTTP answer to a JSON-RPC request says: one order of decisions, the same for both vantages.
//! (protocol section 6.4, methodology section 4)

use serde_json::Value;

use super::cloudflare;
use super::finding::Finding;
use super::intake::{Stream, media_type};
use super::refusal::{is_missing_route, refusal_reason};
use super::reply::{Body, BodyEnd, Headers, Response};
use crate::mcp::BYTE_ORDER_MARK;
use crate::mcp::json::{self, JsonFault};
use crate::mcp::oauth::challenge::{self, Challenges};
use crate::mcp::rpc::{self, Answer, Incoming, Payload, RpcError};
use crate::outcome::{Class, Phase, Precision, Reason, Violation};

/// An answer, judged. Redirects are judged before, in [`super::redirect`].
#[derive(Debug)]
pub(super) enum Judged {
    /// 401, or 403 with a Bearer challenge.
    AuthRequired,
    /// A JSON-RPC result for us.
    Result { value: Value, violations: Vec<Violation> },
    /// A JSON-RPC error for us; `finding` is what it means where nothing better comes of it.
    Error { error: RpcError, finding: Finding },
    /// Anything else.
    Other(Finding),
}

/// JSON-RPC codes by which a modern server tells that it does not speak the legacy era, whatever the status.
const MODERN_CODES: [i64; 3] = [UNSUPPORTED_VERSION, -32_020, -32_021];
/// UnsupportedProtocolVersion of 2026-07-28.
pub(super) const UNSUPPORTED_VERSION: i64 = -32_022;
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
pub(super) const INVALID_PARAMS: i64 = -32_602;

/// Judges `response` as the answer to our request `id`. What an event stream answered is taken out of it.
pub(super) fn judge(response: &mut Response, id: u32, precision: Precision) -> Judged {
    let Response { status, headers, body } = response;
    let status = *status;
    let minted = cloudflare::judge(status, headers, &body.bytes, precision);
    if let Some(finding) = minted.filter(|finding| finding.class == Class::VantageError) {
        return Judged::Other(finding);
    }
    if status == 401 || (status == 403 && challenges(headers).bearer) {
        return Judged::AuthRequired;
    }
    if let Some(reason) = refusal_reason(status, headers) {
        return Judged::Other(Finding::headers(Class::Refused, Some(reason), status));
    }
    if status == 429 {
        return Judged::Other(Finding::headers(Class::RateLimited, Some(Reason::TooManyRequests), status));
    }
    match read_body(status, headers, body, id) {
        Ok((Answer { payload: Payload::Error(error), .. }, _)) => judge_error(status, headers, error),
        Ok((Answer { payload: Payload::Result(value), violations: of_envelope }, mut violations))
            if status < 500 =>
        {
            violations.extend(of_envelope);
            if !(200..300).contains(&status) {
                violations.push(Violation::StatusMismatch);
            }
            Judged::Result { value, violations }
        }
        Ok(_) => Judged::Other(by_status(status, headers)),
        // An answer to another request says more than its status does.
        Err(finding) if (200..300).contains(&status) || (status < 500 && finding.class == Class::WrongId) => {
            Judged::Other(finding)
        }
        Err(_) => Judged::Other(minted.unwrap_or_else(|| by_status(status, headers))),
    }
}

/// The challenges of an answer.
pub(super) fn challenges(headers: &Headers) -> Challenges {
    let values: Vec<&str> = headers.all("www-authenticate").collect();
    challenge::read(&values)
}

fn judge_error(status: u16, headers: &Headers, error: RpcError) -> Judged {
    if is_rate_limit(&error) {
        return Judged::Other(Finding::body(Class::RateLimited, Some(Reason::RpcRateLimit), status));
    }
    let fall_forward = is_fall_forward(status, error.code);
    let finding = if status >= 500 {
        by_status(status, headers)
    } else {
        let reason = (status == 421).then_some(Reason::HostNotAccepted);
        Finding::body(Class::RpcError, reason, status)
    };
    // Under a 5xx only a code that says how to ask again is worth reading.
    if status < 500 || fall_forward { Judged::Error { error, finding } } else { Judged::Other(finding) }
}

/// Whether an error to `initialize` tells of a modern server.
pub(super) fn is_fall_forward(status: u16, code: Option<i64>) -> bool {
    code.is_some_and(|code| {
        MODERN_CODES.contains(&code)
            || (status == 404 && code == METHOD_NOT_FOUND)
            || (status == 400 && code == INVALID_PARAMS)
    })
}

/// A rate limit told by JSON-RPC: -32029, or a server error whose message says so in one of three fixed ways.
fn is_rate_limit(error: &RpcError) -> bool {
    const WORDS: [&str; 3] = ["rate limit", "too many requests", "quota exceeded"];
    match error.code {
        Some(-32_029) => true,
        Some(-32_099..=-32_000) => {
            let message = error.message.to_lowercase();
            WORDS.iter().any(|words| message.contains(words))
        }
        _ => false,
    }
}

/// 4xx and 5xx without a JSON-RPC body; statuses HTTP does not know say that this is not HTTP as we know it.
fn by_status(status: u16, headers: &Headers) -> Finding {
    match status {
        403 if is_missing_route(headers) => Finding::headers(Class::Http4xx, Some(Reason::NoRoute), status),
        421 => Finding::headers(Class::Http4xx, Some(Reason::HostNotAccepted), status),
        400..500 => Finding::headers(Class::Http4xx, None, status),
        500..600 => Finding::headers(Class::Http5xx, None, status),
        _ => Finding::headers(Class::NotMcp, Some(Reason::NotHttp), status),
    }
}

/// The answer for us in a body, with violations of the text around it, or what the body is instead.
fn read_body(
    status: u16,
    headers: &Headers,
    body: &mut Body,
    id: u32,
) -> Result<(Answer, Vec<Violation>), Finding> {
    match &mut body.stream {
        Some(stream) => read_stream(status, stream, body.end),
        None => read_text(status, headers, body, id),
    }
}

fn read_stream(status: u16, stream: &mut Stream, end: BodyEnd) -> Result<(Answer, Vec<Violation>), Finding> {
    let finding = |class, reason| Finding::body(class, Some(reason), status);
    if let Some((answer, mut violations)) = stream.answer.take() {
        violations.extend(stream.mislabelled.then_some(Violation::ContentType));
        violations.extend(stream.unterminated.then_some(Violation::SseUnterminated));
        return Ok((answer, violations));
    }
    if stream.broken {
        return Err(finding(Class::Malformed, Reason::Envelope));
    }
    if let Some(cut_off) = cut_off(status, end) {
        return Err(cut_off);
    }
    if stream.other_answer {
        return Err(Finding::body(Class::WrongId, None, status));
    }
    Err(match stream.unreadable {
        Some(fault) => unreadable(status, fault),
        None if stream.not_json_rpc => finding(Class::NotMcp, Reason::OtherJson),
        None => finding(Class::Closed, Reason::StreamEnded),
    })
}

/// What an unfinished body means; None for a finished one.
fn cut_off(status: u16, end: BodyEnd) -> Option<Finding> {
    match end {
        BodyEnd::Complete | BodyEnd::Enough => None,
        BodyEnd::Capped => Some(Finding::body(Class::TooLarge, None, status)),
        BodyEnd::Broken => Some(Finding::body(Class::Closed, Some(Reason::PartialAnswer), status)),
        BodyEnd::TimedOut => Some(Finding {
            http_status: Some(status),
            ..Finding::new(Class::Timeout, None, Some(Phase::Body))
        }),
        BodyEnd::Undecodable => Some(Finding::body(Class::Malformed, Some(Reason::Encoding), status)),
    }
}

fn read_text(
    status: u16,
    headers: &Headers,
    body: &Body,
    id: u32,
) -> Result<(Answer, Vec<Violation>), Finding> {
    let finding = |class, reason| Finding::body(class, Some(reason), status);
    let media_type = media_type(headers).to_ascii_lowercase();
    let text = body.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&body.bytes).trim_ascii();
    match cut_off(status, body.end) {
        // A long page is still a page: no answer of whatever size.
        Some(too_large) if too_large.class == Class::TooLarge && text.starts_with(b"<") => {
            return Err(finding(Class::NotMcp, Reason::Html));
        }
        Some(cut_off) => return Err(cut_off),
        None => {}
    }
    let parsed = match json::read(&body.bytes) {
        Ok(parsed) => parsed,
        Err(_) if status == 202 => return Err(finding(Class::NotMcp, Reason::AcceptedWithoutAnswer)),
        Err(_) if text.is_empty() => return Err(finding(Class::NotMcp, Reason::Empty)),
        Err(_) if text.starts_with(b"<") || media_type.contains("html") => {
            return Err(finding(Class::NotMcp, Reason::Html));
        }
        Err(fault) if media_type.contains("json") || matches!(text.first(), Some(b'{' | b'[')) => {
            return Err(unreadable(status, fault));
        }
        Err(_) if media_type == "text/event-stream" => return Err(finding(Class::Malformed, Reason::NotSse)),
        Err(_) => return Err(finding(Class::NotMcp, Reason::OtherContent)),
    };
    let mut violations = parsed.violations();
    if media_type != "application/json" {
        violations.push(Violation::ContentType);
    }
    match rpc::read(parsed.value, id) {
        Incoming::Answer(answer) => Ok((answer, violations)),
        Incoming::OtherAnswer => Err(Finding::body(Class::WrongId, None, status)),
        Incoming::RequestOrNotification | Incoming::Broken => {
            Err(finding(Class::Malformed, Reason::Envelope))
        }
        Incoming::NotJsonRpc => Err(finding(Class::NotMcp, Reason::OtherJson)),
    }
}

/// What a text means that claims to be JSON and cannot be read.
fn unreadable(status: u16, fault: JsonFault) -> Finding {
    match fault {
        JsonFault::TooManyValues => Finding::body(Class::TooLarge, None, status),
        JsonFault::TooDeep => Finding::body(Class::Malformed, Some(Reason::TooDeep), status),
        JsonFault::Empty | JsonFault::NotJson => {
            Finding::body(Class::Malformed, Some(Reason::NotJson), status)
        }
    }
}
