//! Laws of the conversation, whatever a server answers: it ends, it sends only what is published, cuts between the
//! pieces of a body change nothing, and its verdict makes a vote that survives the wire and the packed history.
//!
//! Behind the feature `laws`, so that property tests and fuzzing share one home and no program carries it.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use super::{
    Body, BodyEnd, CertificateFault, Fault, FaultKind, Flow, Headers, Intake, Method, Plan, Probe, Reply,
    Request, Response, Step,
};
use crate::history::{self, Record};
use crate::methodology::cuts;
use crate::methodology::limits::{DOCUMENT_GETS, LATENCY_MS, REDIRECT_HOPS, TOOL_PAGES};
use crate::outcome::{Class, Counted, Phase};
use crate::reading::document;
use crate::shape::Shape;
use crate::verdict::Verdict;
use crate::vote::Vote;

/// Every fault of a transport.
pub const FAULTS: &[FaultKind] = &[
    FaultKind::Timeout,
    FaultKind::NoSuchName,
    FaultKind::NoAddress,
    FaultKind::DeadDelegation,
    FaultKind::ResolverFailed,
    FaultKind::PrivateAddress,
    FaultKind::NotHttps,
    FaultKind::NoIpv6,
    FaultKind::ConnectionRefused,
    FaultKind::Unreachable,
    FaultKind::ConnectionReset,
    FaultKind::ConnectionLost,
    FaultKind::LocalNetwork,
    FaultKind::Certificate(CertificateFault::Expired),
    FaultKind::Certificate(CertificateFault::NotYetValid),
    FaultKind::Certificate(CertificateFault::WrongHost),
    FaultKind::Certificate(CertificateFault::UnknownIssuer),
    FaultKind::Certificate(CertificateFault::IncompleteChain),
    FaultKind::Certificate(CertificateFault::Other),
    FaultKind::TlsHandshake,
    FaultKind::ClientCertificate,
    FaultKind::NotTls,
    FaultKind::EmptyReply,
    FaultKind::PartialHeaders,
    FaultKind::NotHttp,
    FaultKind::HeadersTooLarge,
    FaultKind::Unclear,
    FaultKind::Internal,
];

/// Far more requests than any conversation may take.
const ENDLESS: usize = 200;
/// In the body of an [`Answer`]: the id of the request.
const ID: &[u8] = b"{{id}}";

/// One answer of a server that says anything.
#[derive(Debug, Clone)]
pub enum Answer {
    Fault(FaultKind, Option<Phase>),
    /// In the body `{{id}}` stands for the id of the request that is answered.
    Response {
        status: u16,
        headers: Vec<(String, Vec<u8>)>,
        body: Vec<u8>,
        end: BodyEnd,
    },
}

/// What a server does, and when.
#[derive(Debug, Clone)]
pub struct Script {
    /// The first request gets the first answer, and so on; then over again.
    pub answers: Vec<Answer>,
    /// How long each answer takes; one that takes longer than its request may is a timeout.
    pub step_ms: u32,
}

/// Runs the conversation, with bodies whole and in pieces of `piece` bytes, and gives the verdict of both.
///
/// # Errors
/// The law that was broken.
pub fn hold(plan: &Plan, script: &Script, piece: usize) -> Result<Verdict, String> {
    let (verdict, requests) = converse(plan, script, usize::MAX)?;
    let (in_pieces, also_sent) = converse(plan, script, piece)?;
    if verdict != in_pieces || requests != also_sent {
        return Err(format!("pieces of {piece} bytes make {in_pieces:?} of {verdict:?}"));
    }
    check_requests(plan, &requests)?;
    let listed = verdict.requests.len();
    require(listed <= requests.len(), || format!("{listed} requests listed, {} sent", requests.len()))?;
    check_verdict(&verdict)?;
    check_vote(plan, &verdict)?;
    Ok(verdict)
}

fn require(holds: bool, law: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(law()) }
}

/// Runs to the end; gives the verdict and every request sent.
fn converse(plan: &Plan, script: &Script, piece: usize) -> Result<(Verdict, Vec<Request>), String> {
    let (mut probe, mut step) = Probe::start(plan.clone());
    let mut answers = script.answers.iter().cycle();
    let mut requests = Vec::new();
    let mut now_ms = 0;
    loop {
        match step {
            Step::Done(verdict) => return Ok((*verdict, requests)),
            Step::Send(request) => {
                require(requests.len() < ENDLESS, || "the conversation does not end".to_owned())?;
                let answer = answers.next().ok_or("a script without an answer")?;
                let reply = reply(&request, answer, script.step_ms, now_ms, piece);
                now_ms = reply.ended_ms;
                requests.push(*request);
                step = probe.next(reply);
            }
        }
    }
}

fn reply(request: &Request, answer: &Answer, step_ms: u32, started_ms: u32, piece: usize) -> Reply {
    let in_time = step_ms <= request.deadline_ms;
    let outcome = match answer {
        _ if !in_time => Err(Fault { kind: FaultKind::Timeout, phase: None }),
        Answer::Fault(kind, phase) => Err(Fault { kind: *kind, phase: *phase }),
        Answer::Response { status, headers, body, end } => {
            let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())));
            let body =
                read_body(Intake::new(request, *status, &headers), &filled(body, request), *end, piece);
            Ok(Response { status: *status, headers, body })
        }
    };
    Reply { started_ms, ended_ms: started_ms + step_ms.min(request.deadline_ms), outcome }
}

/// As a transport does it.
fn read_body(mut intake: Intake, bytes: &[u8], end: BodyEnd, piece: usize) -> Body {
    let enough = intake.flow() == Flow::Enough
        || bytes.chunks(piece.max(1)).any(|piece| intake.push(piece) == Flow::Enough);
    intake.finish(if enough { BodyEnd::Enough } else { end })
}

/// The body with the id of the request in its places.
fn filled(body: &[u8], request: &Request) -> Vec<u8> {
    let id = sent_id(request);
    let mut filled = Vec::new();
    let mut rest = body;
    while let Some((first, after)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(ID) {
            filled.extend_from_slice(id.as_bytes());
            rest = behind;
        } else {
            filled.push(*first);
            rest = after;
        }
    }
    filled
}

/// `null` where the request has none.
fn sent_id(request: &Request) -> String {
    let body: serde_json::Value =
        request.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    body.get("id").unwrap_or(&serde_json::Value::Null).to_string()
}

fn check_requests(plan: &Plan, requests: &[Request]) -> Result<(), String> {
    let gets = requests.iter().filter(|request| request.method == Method::Get).count();
    require(gets <= DOCUMENT_GETS, || format!("{gets} documents"))?;
    let most = (3 + 1 + TOOL_PAGES + 1) * (1 + REDIRECT_HOPS) + DOCUMENT_GETS;
    require(requests.len() <= most, || format!("{} requests", requests.len()))?;
    for request in requests {
        check_request(plan, request).map_err(|law| format!("{law}: {request:?}"))?;
    }
    let mut ids = HashSet::new();
    let mut last = String::new();
    for id in requests.iter().map(sent_id).filter(|id| id != "null") {
        // A redirect repeats the id, a new question has a new one.
        require(id == last || ids.insert(id.clone()), || format!("id {id} came twice"))?;
        last = id;
    }
    let mut from_delete = requests.iter().skip_while(|request| request.method != Method::Delete);
    require(from_delete.all(|request| request.method == Method::Delete), || {
        "something follows the end of the session".to_owned()
    })
}

fn check_request(plan: &Plan, request: &Request) -> Result<(), &'static str> {
    let at_origin = request.url.origin() == plan.endpoint.origin();
    if request.method == Method::Get {
        let path = |url: &url::Url| percent_decode_str(url.path()).decode_utf8_lossy().into_owned();
        if at_origin && path(&request.url) == path(&plan.endpoint) {
            return Err("a document is fetched from the endpoint itself");
        }
        if !plan.allow_private && request.url.scheme() != "https" {
            return Err("a document is fetched without https");
        }
        if request.body.is_some() || request.headers.iter().any(|(name, _)| *name == "mcp-session-id") {
            return Err("a document's host learns of the conversation");
        }
    } else if !at_origin {
        return Err("a message leaves the endpoint's origin");
    }
    for (name, value) in &request.headers {
        if ["origin", "cookie", "authorization"].contains(name) {
            return Err("a header that no probe sends");
        }
        if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return Err("a header's value is not visible ASCII");
        }
    }
    if request.deadline_ms == 0 {
        return Err("a request without time");
    }
    if request.body.as_deref().is_some_and(|body| body.contains("tools/call")) {
        return Err("a tool is called");
    }
    Ok(())
}

/// What holds of every verdict.
fn check_verdict(verdict: &Verdict) -> Result<(), String> {
    let spoke = matches!(verdict.class, Class::Up | Class::Degraded);
    let success = verdict.class.counted() == Counted::Success;
    let fits = |text: &Option<String>, bytes: usize| text.as_ref().is_none_or(|text| text.len() <= bytes);
    let learned = &verdict.learned;
    let laws = [
        (spoke || verdict.tools.is_none(), "tools of an endpoint that did not speak"),
        (spoke || verdict.violations.is_empty(), "violations of an endpoint that did not speak"),
        (verdict.class != Class::Up || verdict.violations.is_empty(), "up with violations"),
        (verdict.class == Class::AuthRequired || verdict.front_door.is_none(), "a front door nobody met"),
        (!success || verdict.latency_ms.is_some(), "a success without latency"),
        (!success || verdict.http_status.is_some(), "a success without status"),
        (
            verdict.class != Class::Degraded || verdict.reason.is_some() || !verdict.violations.is_empty(),
            "degraded for nothing",
        ),
        (
            verdict.violations.iter().zip(verdict.violations.iter().skip(1)).all(|(one, next)| one < next),
            "violations out of order or repeated",
        ),
        (verdict.latency_ms.is_none_or(|latency| latency <= LATENCY_MS), "latency beyond every deadline"),
        (
            verdict.server.as_ref().is_none_or(|server| {
                server.name.len() <= cuts::SERVER_NAME && server.version.len() <= cuts::SERVER_VERSION
            }),
            "the server's name is not cut",
        ),
        (fits(&verdict.protocol_version, cuts::PROTOCOL_VERSION), "the protocol version is not cut"),
        (
            fits(&learned.resource_metadata, cuts::FRONT_DOOR_URL),
            "the resource metadata's address is not cut",
        ),
        (
            fits(&learned.authorization_server, cuts::FRONT_DOOR_URL),
            "the authorization server's address is not cut",
        ),
        (fits(&learned.issuer, cuts::FRONT_DOOR_URL), "the issuer is not cut"),
        (fits(&learned.redirect_host, cuts::REDIRECT_HOST), "the redirect's host is not cut"),
    ];
    for (holds, law) in laws {
        require(holds, || format!("{law}: {verdict:?}"))?;
    }
    Ok(())
}

/// The vote that the prober makes of the verdict is the vote that the Worker reads, keeps and reads again.
fn check_vote(plan: &Plan, verdict: &Verdict) -> Result<(), String> {
    let slot = u32::try_from(plan.started_ms / 60_000).map_err(|_| "a plan out of time")?;
    let vote = Vote::new(1, slot, plan.started_ms, None, verdict);
    let text = serde_json::to_vec(&vote).map_err(|error| error.to_string())?;
    require(document::<Vote>(&text).as_ref() == Ok(&vote), || format!("lost on the wire: {vote:?}"))?;
    if let Some(tools) = &verdict.tools {
        let text = serde_json::to_vec(&tools.shape).map_err(|error| error.to_string())?;
        require(document::<Shape>(&text).as_ref() == Ok(&tools.shape), || {
            format!("lost on the wire: {:?}", tools.shape)
        })?;
    }
    let record = Record::of(&vote);
    let kept = history::decode(history::chunk_of(slot), &history::encode(&[record]));
    require(kept == Ok(vec![record]), || format!("lost in the history: {record:?}"))
}
