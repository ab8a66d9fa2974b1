//! The rules of the Worker's API as far as a prober can tell: signatures, claims, a lease, and votes stored once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use shared::reading::document;
use shared::signature::{HEADER_NETWORK, HEADER_SIGNATURE, HEADER_TIME, Signed, verify};
use shared::vote::{Claim, ClaimAnswer, ClaimRequest, Vote, VoteAnswers, VoteBatch, VoteResult, VoteStatus};

use crate::client::{CLAIMS, KEY, NETWORK, now_ms};
use crate::hostile::request::Request;

/// How long a holder that does not call keeps the lease; published is a longer time, which no test waits for.
const LEASE: Duration = Duration::from_secs(3);

/// A Worker in memory.
#[derive(Debug, Default)]
pub struct Honest(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    clock_offset_ms: i64,
    claims: Vec<Claim>,
    lease: Option<(String, Instant)>,
    stored: BTreeMap<(u32, u32), Vote>,
    contradicted: Vec<(u32, u32)>,
}

impl Honest {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its time, which may be another than this machine's.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        now_ms().saturating_add(self.inner().clock_offset_ms)
    }

    /// Steps its clock to this distance from this machine's.
    pub fn set_clock_offset_ms(&self, offset_ms: i64) {
        self.inner().clock_offset_ms = offset_ms;
    }

    /// Slots to hand out, each once.
    pub fn offer(&self, claims: Vec<Claim>) {
        self.inner().claims.extend(claims);
    }

    /// Every vote that it has, by its key.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<(u32, u32), Vote> {
        self.inner().stored.clone()
    }

    /// Keys for which two different votes came.
    #[must_use]
    pub fn contradicted(&self) -> Vec<(u32, u32)> {
        self.inner().contradicted.clone()
    }

    /// Status and body of the right answer.
    #[must_use]
    pub fn answer(&self, request: &Request) -> (u16, String) {
        let header = |name| request.header(name).unwrap_or_default();
        let signed = Signed {
            network: header(HEADER_NETWORK),
            method: &request.method,
            path_and_query: &request.target,
            time_ms: header(HEADER_TIME).parse().unwrap_or_default(),
            body: &request.body,
        };
        let checked = verify(&[KEY.as_bytes()], &signed, header(HEADER_SIGNATURE), self.now_ms());
        if let Err(fault) = checked {
            return (401, json!({"title": "Not authorized", "detail": fault.to_string()}).to_string());
        }
        if signed.network != NETWORK {
            return (401, json!({"title": "Not authorized", "detail": "no such network"}).to_string());
        }
        let answer = if request.target == CLAIMS {
            document(&request.body).map(|claim| json!(self.claim(&claim)))
        } else {
            document(&request.body).map(|batch| json!(VoteAnswers { results: self.take(&batch) }))
        };
        match answer {
            Ok(answer) => (200, answer.to_string()),
            Err(fault) => (400, json!({"title": "Invalid request", "detail": fault.to_string()}).to_string()),
        }
    }

    fn claim(&self, request: &ClaimRequest) -> ClaimAnswer {
        let now_ms = self.now_ms();
        let mut inner = self.inner();
        let held_by_another = inner
            .lease
            .as_ref()
            .is_some_and(|(holder, since)| *holder != request.holder && since.elapsed() < LEASE);
        let claims = if held_by_another {
            Vec::new()
        } else {
            inner.lease = Some((request.holder.clone(), Instant::now()));
            std::mem::take(&mut inner.claims)
        };
        ClaimAnswer { now_ms, claims, held_elsewhere: u32::from(held_by_another), next_ms: 1_000 }
    }

    /// Stores the votes of a batch; the same one again is a duplicate.
    pub fn take(&self, batch: &VoteBatch) -> Vec<VoteResult> {
        let mut inner = self.inner();
        let take = |vote: &Vote| {
            let key = (vote.listing, vote.slot);
            let before = inner.stored.insert(key, vote.clone());
            if before.as_ref().is_some_and(|before| before != vote) {
                inner.contradicted.push(key);
            }
            let status = if before.is_some() { VoteStatus::Duplicate } else { VoteStatus::Accepted };
            VoteResult { listing: vote.listing, slot: vote.slot, status, reason: None }
        };
        batch.votes.iter().map(take).collect()
    }
}
