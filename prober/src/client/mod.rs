//! Signed calls to the Worker: slots to take, votes to give.
//!
//! Every try is signed anew, by the Worker's time. A machine whose clock is wrong learns the right time from the
//! first refusal, which carries it.

mod answers;
mod refusal;

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, LOCATION, RETRY_AFTER};
use serde::de::DeserializeOwned;
use shared::methodology::cuts::FRONT_DOOR_URL;
use shared::methodology::{CLAIM_SLOTS, ENDPOINT_BYTES};
use shared::retry_after;
use shared::signature::{HEADER_NETWORK, HEADER_NOW, HEADER_SIGNATURE, HEADER_TIME, Signed, sign};
use shared::vote::{ClaimAnswer, ClaimRequest};
use url::Url;

use crate::config::Key;
use crate::text::printable;
use crate::transport::Tls;
use crate::worker_clock::{Reading, WorkerClock};
pub(crate) use answers::{Answered, Answers};
use refusal::refusal;

const CLAIMS: &str = "/api/v2/claims";
const VOTES: &str = "/api/v2/votes";
/// For one call, its answer included.
const CALL: Duration = Duration::from_secs(30);
/// What a claim takes besides its URLs.
const CLAIM_FRAME_BYTES: usize = 512;
/// The largest answer read: as many claims as we may ask for, each with the longest URLs.
const ANSWER_BYTES: usize = CLAIM_SLOTS as usize * (ENDPOINT_BYTES + 2 * FRONT_DOOR_URL + CLAIM_FRAME_BYTES);
/// Where what answers may not be our Worker.
const ADVICE: &str = "check `worker`, and what stands in front of it";

/// The Worker, as one network sees it.
pub(crate) struct Client {
    http: reqwest::Client,
    worker: Url,
    network: String,
    key: Key,
    clock: Arc<WorkerClock>,
}

/// A call that did not bring what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CallFault {
    pub(crate) kind: CallFaultKind,
    /// What the Worker asked us to wait.
    pub(crate) retry_after: Option<Duration>,
    /// Safe to print.
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFaultKind {
    /// The Worker does not accept our signature.
    Unauthorized,
    /// The body as a whole was refused: too large, or something in it that this Worker does not take.
    BodyRefused,
    /// Everything that may pass: no connection, 429, 5xx, an answer that does not parse.
    Passing,
}

impl Client {
    /// Sets `clock` by what the Worker says, and signs by it.
    ///
    /// # Errors
    /// A sentence, where the HTTP client cannot be set up.
    pub(crate) fn new(
        worker: Url,
        network: String,
        key: Key,
        tls: &Tls,
        clock: Arc<WorkerClock>,
    ) -> Result<Self, String> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls.for_the_worker())
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(CALL)
            .build()
            .map_err(|error| format!("cannot set up the HTTP client: {error}"))?;
        Ok(Self { http, worker, network, key, clock })
    }

    /// Asks for slots. The reading is the Worker's time with the claims.
    pub(crate) async fn claims(&self, request: &ClaimRequest) -> Result<(ClaimAnswer, Reading), CallFault> {
        let body =
            serde_json::to_vec(request).map_err(|error| passing(format!("cannot write a claim: {error}")))?;
        let answer: ClaimAnswer = self.call(CLAIMS, body).await?;
        let reading = Reading { worker_ms: answer.now_ms, at: Instant::now() };
        self.clock.set(reading);
        Ok((answer, reading))
    }

    /// Delivers the body of a `VoteBatch`.
    pub(crate) async fn votes(&self, body: Vec<u8>) -> Result<Answers, CallFault> {
        self.call(VOTES, body).await
    }

    /// The Worker's time now; None before it has told it.
    pub(crate) fn told_ms(&self) -> Option<i64> {
        self.clock.told_ms()
    }

    /// The Worker's time now, as well as we know it.
    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    async fn call<T: DeserializeOwned>(&self, path: &str, body: Vec<u8>) -> Result<T, CallFault> {
        let mut answer = self.post(path, body.clone()).await?;
        if answer.status == StatusCode::UNAUTHORIZED && answer.tells_time {
            answer = self.post(path, body).await?;
        }
        if answer.status != StatusCode::OK {
            return Err(refusal(path, &answer));
        }
        serde_json::from_slice(&answer.body).map_err(|error| {
            passing(format!("{path} answered 200 with something else than we know: {error} ({ADVICE})"))
        })
    }

    /// One try, signed with the time it is made at.
    async fn post(&self, path: &str, body: Vec<u8>) -> Result<Answer, CallFault> {
        let time_ms = self.clock.now_ms();
        let signed =
            Signed { network: &self.network, method: "POST", path_and_query: path, time_ms, body: &body };
        let signature = sign(self.key.bytes(), &signed);
        let mut url = self.worker.clone();
        url.set_path(path);
        let sent = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(HEADER_NETWORK, &self.network)
            .header(HEADER_TIME, time_ms)
            .header(HEADER_SIGNATURE, signature)
            .body(body)
            .send()
            .await;
        let mut response = sent.map_err(|error| passing(format!("{path}: {}", chain(&error))))?;
        let told_ms = number(response.headers(), HEADER_NOW);
        if let Some(worker_ms) = told_ms {
            self.clock.set(Reading { worker_ms, at: Instant::now() });
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let now_s = self.clock.now_ms() / 1_000;
        let retry_after = header(RETRY_AFTER)
            .and_then(|value| retry_after::wait_s(value.trim(), header(DATE), now_s))
            .map(|seconds| Duration::from_secs(seconds.into()));
        let location = header(LOCATION).map(str::to_owned);
        let mut bytes = Vec::new();
        while let Some(piece) =
            response.chunk().await.map_err(|error| passing(format!("{path}: {}", chain(&error))))?
        {
            if bytes.len() + piece.len() > ANSWER_BYTES {
                return Err(passing(format!("{path} answered more than {ANSWER_BYTES} bytes ({ADVICE})")));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Answer {
            status: response.status(),
            tells_time: told_ms.is_some(),
            retry_after,
            location,
            body: bytes,
        })
    }
}

struct Answer {
    status: StatusCode,
    tells_time: bool,
    retry_after: Option<Duration>,
    location: Option<String>,
    body: Vec<u8>,
}

fn passing(message: String) -> CallFault {
    CallFault { kind: CallFaultKind::Passing, retry_after: None, message }
}

fn number(headers: &HeaderMap, name: &str) -> Option<i64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// The error with its causes, without the URL in front.
fn chain(error: &reqwest::Error) -> String {
    let mut text = String::from("no answer");
    let mut next = std::error::Error::source(error);
    if error.is_timeout() {
        let _ = write!(text, " within {} s", CALL.as_secs());
    }
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&printable(&cause.to_string()));
        next = cause.source();
    }
    text.push_str(" (check the network and `worker`)");
    text
}

#[cfg(test)]
mod tests;
