//! Drives the machine through one vector.

use serde::{Deserialize, Serialize};
use shared::outcome::Phase;
use shared::probe::{
    Body, BodyEnd, Connection, Deadlines, Fault, FaultKind, Flow, Intake, Plan, Probe, Purpose, Reply,
    Request, Response, Step,
};
use shared::verdict::{Learned, ProbeReport};
use url::Url;

use crate::answer;
use crate::chunking::Chunking;
use crate::vector::{Answer, End, FaultWord, PlanSpec, PurposeWord, Vector};

/// More requests than any probe may send: 4 POSTs with 3 hops each, 10 pages, 5 documents with 2 hops, and a DELETE.
const MOST_REQUESTS: usize = 64;
const TOOK_MS: u32 = 20;
/// Where the request ids come from; any number does.
const SEED: u64 = 0x5eed_0001;
/// Every vector plays at this time: Monday, 30 November 2026, 16:00:00 UTC.
const STARTED_MS: i64 = 1_796_054_400_000;

/// What came out of one vector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub report: ProbeReport,
    pub learned: Learned,
    pub sent: Vec<Sent>,
}

/// One request as the machine asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    pub purpose: PurposeWord,
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    /// Asked for on a connection of its own.
    pub new_connection: bool,
    pub deadline_ms: u32,
    /// The status it was answered with, if one came.
    pub status: Option<u16>,
    /// The session id it was answered with, if one came.
    pub session: Option<String>,
}

/// Why a vector could not be run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFault {
    #[error("{member} {value:?} is not a URL")]
    Url { member: &'static str, value: String },
    #[error("no rule answers request {number}: {purpose:?} {method} {url}")]
    Unanswered { number: usize, purpose: PurposeWord, method: &'static str, url: String },
    #[error("the answer to {purpose:?} stays open, and the machine wanted more after all of it")]
    WantedMore { purpose: PurposeWord },
    #[error("the machine sent more than {MOST_REQUESTS} requests")]
    Endless,
    #[error("an answer has more than one of json, events, body, parts and base64")]
    SeveralBodies,
    #[error("base64: {0}")]
    Base64(String),
    #[error("{0:?} was not put in place before the run")]
    NotExpanded(String),
}

/// Runs one vector with bodies cut in the given way.
///
/// # Errors
/// Where the vector has no answer to a request, an open answer was not enough for the machine, or it is malformed.
pub fn run(vector: &Vector, chunking: Chunking) -> Result<Outcome, RunFault> {
    if let Some(base) = &vector.base {
        return Err(RunFault::NotExpanded(base.clone()));
    }
    let (mut probe, mut step) = Probe::start(plan(&vector.plan)?);
    let mut clock_ms = 0;
    let mut sent: Vec<Sent> = Vec::new();
    loop {
        let request = match step {
            Step::Done(verdict) => {
                return Ok(Outcome { report: verdict.report(), learned: verdict.learned.clone(), sent });
            }
            Step::Send(request) => request,
        };
        if sent.len() == MOST_REQUESTS {
            return Err(RunFault::Endless);
        }
        let answer = find(vector, &request, &sent)?;
        let reply = reply(answer, &request, chunking, clock_ms)?;
        clock_ms = reply.ended_ms;
        sent.push(record(&request, &reply));
        step = probe.next(reply);
    }
}

fn plan(spec: &PlanSpec) -> Result<Plan, RunFault> {
    let url = |member, value: &str| {
        Url::parse(value).map_err(|_| RunFault::Url { member, value: value.to_owned() })
    };
    let optional =
        |member, value: &Option<String>| value.as_deref().map(|value| url(member, value)).transpose();
    Ok(Plan {
        endpoint: url("endpoint", &spec.endpoint)?,
        era: spec.era,
        resource_metadata: optional("resource_metadata", &spec.resource_metadata)?,
        authorization_server: optional("authorization_server", &spec.authorization_server)?,
        end_session: spec.end_session,
        precision: spec.precision,
        allow_private: spec.allow_private,
        deadlines: Deadlines::PUBLISHED,
        started_ms: STARTED_MS,
        seed: SEED,
    })
}

fn find<'a>(vector: &'a Vector, request: &Request, sent: &[Sent]) -> Result<&'a Answer, RunFault> {
    let purpose = PurposeWord::from(request.purpose);
    let nth = 1 + sent.iter().filter(|earlier| earlier.purpose == purpose).count();
    let fits = |rule: &&crate::vector::Rule| {
        rule.to.is_none_or(|to| to == purpose)
            && rule.url.as_deref().is_none_or(|url| url == request.url.as_str())
            && rule.nth.is_none_or(|wanted| usize::try_from(wanted) == Ok(nth))
            && rule.with.iter().all(|(name, wanted)| has_header(request, name, wanted.as_deref()))
    };
    let rule = vector.script.iter().find(fits).ok_or_else(|| RunFault::Unanswered {
        number: sent.len() + 1,
        purpose,
        method: request.method.word(),
        url: request.url.to_string(),
    })?;
    match &rule.answer.exchange {
        Some(exchange) => Err(RunFault::NotExpanded(exchange.clone())),
        None => Ok(&rule.answer),
    }
}

fn has_header(request: &Request, name: &str, wanted: Option<&str>) -> bool {
    let mut values =
        request.headers.iter().filter(|(field, _)| *field == name).map(|(_, value)| value.as_str());
    values.next().is_some_and(|value| wanted.is_none_or(|wanted| wanted == value))
}

fn reply(answer: &Answer, request: &Request, chunking: Chunking, now_ms: u32) -> Result<Reply, RunFault> {
    let took_ms = answer.took_ms.unwrap_or(TOOK_MS);
    let end = |after_ms: u32, outcome| Reply { started_ms: now_ms, ended_ms: now_ms + after_ms, outcome };
    if let Some(fault) = answer.fault {
        let after_ms = match (fault.kind, fault.phase) {
            (FaultWord::Timeout, Some(Phase::Dns | Phase::Connect | Phase::Tls)) => request.connect_ms,
            (FaultWord::Timeout, _) => request.deadline_ms,
            _ => took_ms.min(request.deadline_ms),
        };
        return Ok(end(after_ms, Err(Fault { kind: fault.kind.kind(), phase: fault.phase })));
    }
    if took_ms >= request.deadline_ms {
        let fault = Fault { kind: FaultKind::Timeout, phase: Some(Phase::Headers) };
        return Ok(end(request.deadline_ms, Err(fault)));
    }
    let status = answer.status.unwrap_or(200);
    let headers = answer::headers(answer);
    let bytes = answer::body(answer, request)?;
    let body = read(Intake::new(request, status, &headers), &bytes, answer.end, chunking)
        .ok_or(RunFault::WantedMore { purpose: request.purpose.into() })?;
    let after_ms = if body.end == BodyEnd::TimedOut { request.deadline_ms } else { took_ms };
    Ok(end(after_ms, Ok(Response { status, headers, body })))
}

/// Reads a body as every transport must: ask first, hand over pieces until told that it is enough, finish.
/// None where the body stays open and more was wanted.
fn read(mut intake: Intake, bytes: &[u8], end: End, chunking: Chunking) -> Option<Body> {
    let mut flow = intake.flow();
    for piece in chunking.cut(bytes) {
        if flow == Flow::Enough {
            break;
        }
        flow = intake.push(piece);
    }
    let end = match (flow, end) {
        (Flow::Enough, _) => BodyEnd::Enough,
        (Flow::More, End::Complete) => BodyEnd::Complete,
        (Flow::More, End::Broken) => BodyEnd::Broken,
        (Flow::More, End::Timeout) => BodyEnd::TimedOut,
        (Flow::More, End::Undecodable) => BodyEnd::Undecodable,
        (Flow::More, End::Open) => return None,
    };
    Some(intake.finish(end))
}

fn record(request: &Request, reply: &Reply) -> Sent {
    let response = reply.outcome.as_ref().ok();
    Sent {
        purpose: request.purpose.into(),
        method: request.method.word().to_owned(),
        url: request.url.to_string(),
        headers: request.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        body: request.body.clone(),
        new_connection: request.connection == Connection::New,
        deadline_ms: request.deadline_ms,
        status: response.map(|response| response.status),
        session: response
            .filter(|_| request.purpose == Purpose::Initialize)
            .and_then(|response| response.headers.get("mcp-session-id").map(str::to_owned)),
    }
}
