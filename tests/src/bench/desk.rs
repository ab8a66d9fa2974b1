//! Stands in for the Worker: hands out slots and takes votes, and holds every vote to what the target is.

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use shared::methodology::OPEN_INTERVAL_MINUTES;
use shared::outcome::Class;
use shared::reading::document;
use shared::schedule::minute_of;
use shared::shape::Digest;
use shared::signature::{HEADER_NETWORK, HEADER_NOW, HEADER_SIGNATURE, HEADER_TIME, Signed, verify};
use shared::vote::{Claim, ClaimAnswer, ClaimRequest, Vote, VoteAnswers, VoteBatch, VoteResult, VoteStatus};
use tokio::sync::Notify;

use super::hosts::{self, HOSTS};
use super::serving;
use super::target::TOOLS;

/// The network whose prober may ask.
pub const NETWORK: &str = "bench";
/// Its key.
pub const KEY: &str = "a-key-for-the-benchmark-and-no-secret";
/// Until the prober asks again: the shortest pause that it keeps.
const NEXT_MS: u32 = 1_000;

/// A running desk.
pub struct Desk {
    pub port: u16,
    state: Arc<State>,
}

struct State {
    target_port: u16,
    book: Mutex<Book>,
    changed: Notify,
}

/// What was handed out and what came back.
#[derive(Default)]
struct Book {
    /// Slots to hand out when they are asked for.
    wanted: u32,
    /// Slots handed out so far; the next one has this number.
    handed_out: u32,
    /// Keys of votes that are still awaited.
    awaited: HashSet<(u32, u32)>,
    /// What is known of each listing's tools, as the Worker remembers it.
    shapes: HashMap<u32, Digest>,
    fault: Option<String>,
}

impl Desk {
    /// Opens, for probes of the target at this port.
    ///
    /// # Errors
    /// A sentence, where no socket is to be had.
    pub fn open(target_port: u16) -> Result<Self, String> {
        let (listener, port) = serving::listener(Ipv4Addr::LOCALHOST)
            .map_err(|error| format!("cannot listen on this machine: {error}"))?;
        let state = Arc::new(State { target_port, book: Mutex::default(), changed: Notify::new() });
        let served = state.clone();
        serving::serve(listener, move |request| answer(served.clone(), request));
        Ok(Self { port, state })
    }

    /// Hands out so many slots and waits until there is a vote for each.
    ///
    /// # Errors
    /// What is wrong with a vote or a request, or that votes are missing after `limit`.
    pub async fn hand_out(&self, slots: u32, limit: Duration) -> Result<(), String> {
        self.state.book().wanted = slots;
        let finished = async {
            loop {
                let changed = self.state.changed.notified();
                {
                    let book = self.state.book();
                    if let Some(fault) = &book.fault {
                        return Err(fault.clone());
                    }
                    if book.wanted == 0 && book.awaited.is_empty() {
                        return Ok(());
                    }
                }
                changed.await;
            }
        };
        tokio::time::timeout(limit, finished).await.unwrap_or_else(|_| {
            let book = self.state.book();
            Err(format!(
                "after {limit:?} {} slots were not asked for and {} votes not delivered",
                book.wanted,
                book.awaited.len()
            ))
        })
    }
}

impl State {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Milliseconds since the epoch.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let body = serving::whole(body).await;
    let path = parts.uri.path();
    let answered = signed(&parts, path, &body).and_then(|()| match path {
        "/api/v2/claims" => claims(&state, &body),
        "/api/v2/votes" => votes(&state, &body),
        _ => Err(format!("the Worker has no {path}")),
    });
    let mut response = match answered {
        Ok(text) => serving::json(StatusCode::OK, text),
        Err(fault) => {
            state.book().fault.get_or_insert(fault);
            serving::json(StatusCode::BAD_REQUEST, String::new())
        }
    };
    response.headers_mut().insert(HEADER_NOW, now_ms().into());
    state.changed.notify_waiters();
    response
}

/// Whether the network's key has signed this, as the Worker asks of every request.
fn signed(parts: &hyper::http::request::Parts, path: &str, body: &[u8]) -> Result<(), String> {
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let time_ms = header(HEADER_TIME).parse().map_err(|error| format!("{HEADER_TIME}: {error}"))?;
    let signed = Signed {
        network: header(HEADER_NETWORK),
        method: Method::as_str(&parts.method),
        path_and_query: path,
        time_ms,
        body,
    };
    verify(&[KEY.as_bytes()], &signed, header(HEADER_SIGNATURE), now_ms()).map_err(|fault| fault.to_string())
}

fn claims(state: &State, body: &[u8]) -> Result<String, String> {
    let request: ClaimRequest = document(body).map_err(|fault| fault.to_string())?;
    let now_ms = now_ms();
    let mut book = state.book();
    let most = book.wanted.min(request.capacity);
    book.wanted -= most;
    let mut claims = Vec::with_capacity(most as usize);
    for _ in 0..most {
        let number = book.handed_out;
        book.handed_out += 1;
        let listing = 1 + number % HOSTS;
        // No listing has a slot twice; slots to come are never too late.
        let slot = minute_of(now_ms) + number / HOSTS;
        book.awaited.insert((listing, slot));
        claims.push(Claim {
            listing,
            slug: format!("bench-{listing}"),
            url: hosts::url(number, state.target_port),
            slot,
            due_ms: now_ms,
            interval_minutes: OPEN_INTERVAL_MINUTES,
            era: Some(shared::outcome::Era::Legacy),
            resource_metadata: None,
            authorization_server: None,
            end_session: true,
            known_shape: book.shapes.get(&listing).copied(),
        });
    }
    text(&ClaimAnswer { now_ms, claims, held_elsewhere: 0, next_ms: NEXT_MS })
}

fn votes(state: &State, body: &[u8]) -> Result<String, String> {
    let batch: VoteBatch = document(body).map_err(|fault| fault.to_string())?;
    let mut book = state.book();
    let mut results = Vec::with_capacity(batch.votes.len());
    for vote in &batch.votes {
        let digest = judge(vote)?;
        let key = (vote.listing, vote.slot);
        if !book.awaited.remove(&key) {
            return Err(format!("a vote that nobody asked for: {}", text(vote)?));
        }
        if book.shapes.insert(vote.listing, digest) != Some(digest) && !batch.shapes.contains(&digest) {
            return Err(format!("a vote with an unknown shape: {}", text(vote)?));
        }
        results.push(VoteResult {
            listing: vote.listing,
            slot: vote.slot,
            status: VoteStatus::Accepted,
            reason: None,
        });
    }
    text(&VoteAnswers { results })
}

/// The digest of the target's tools, which every vote must have seen.
fn judge(vote: &Vote) -> Result<Digest, String> {
    let shape = vote.shape.filter(|shape| shape.complete && shape.count == TOOLS);
    match shape {
        Some(shape) if vote.class == Class::Up && vote.tools_ok == Some(true) => Ok(shape.digest),
        _ => Err(format!("a probe that saw something else than the target: {}", text(vote)?)),
    }
}

fn text(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
