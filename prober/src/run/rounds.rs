//! The rounds: claim, schedule, probe, hand in; over and over.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use shared::methodology::CLAIM_SLOTS;
use shared::vote::{ClaimAnswer, ClaimRequest};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::slot::Slot;
use super::tally::Tally;
use crate::backoff::{Backoff, random};
use crate::client::{CallFault, Client};
use crate::log::{Trouble, say};
use crate::outbox::Entry;
use crate::pace::{Next, Pace};
use crate::record::Recorder;
use crate::text::printable;
use crate::transport::Vantage;
use crate::worker_clock::Reading;

/// Slots that may wait here; more would be late before their turn.
const WAITING_MOST: usize = 4_000;
/// What a claim's `next_ms` is kept within: never hectic, and always in time for the lease.
const CLAIM_PAUSE: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(60);
/// How often a stuck recorder is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often the operator is told.
const TELL: Duration = Duration::from_secs(60);

type Claimed = Result<(ClaimAnswer, Reading), CallFault>;

/// Everything that is waiting or running.
pub(super) struct Rounds {
    client: Arc<Client>,
    vantage: Arc<Vantage>,
    recorder: Recorder,
    tally: Arc<Tally>,
    holder: String,
    /// The zero of the scheduler's clock.
    origin: Instant,
    pace: Pace<Slot>,
    probes: JoinSet<(String, Entry)>,
    hosts: HashMap<Id, String>,
    /// The claim under way, if one is.
    claiming: JoinSet<Claimed>,
    claim_at: Instant,
    tell_at: Instant,
    backoff: Backoff,
    trouble: Trouble,
    held_elsewhere: u32,
}

impl Rounds {
    pub(super) fn new(
        client: Arc<Client>,
        vantage: Arc<Vantage>,
        recorder: Recorder,
        tally: Arc<Tally>,
        holder: String,
        concurrency: usize,
    ) -> Self {
        let now = Instant::now();
        Self {
            client,
            vantage,
            recorder,
            tally,
            holder,
            origin: now,
            pace: Pace::new(concurrency),
            probes: JoinSet::new(),
            hosts: HashMap::new(),
            claiming: JoinSet::new(),
            claim_at: now,
            tell_at: now + TELL,
            backoff: Backoff::default(),
            trouble: Trouble::default(),
            held_elsewhere: 0,
        }
    }

    /// Goes on for good. May be dropped at any await.
    pub(super) async fn go_on(&mut self) {
        loop {
            let start_at = self.start_due();
            tokio::select! {
                Some(claimed) = self.claiming.join_next() => self.claimed(claimed),
                Some(ended) = self.probes.join_next_with_id() => self.ended(ended),
                () = sleep_until(self.claim_at), if self.claiming.is_empty() => self.claim(),
                () = sleep_until(self.tell_at) => self.tell(),
                () = at(start_at) => {}
            }
        }
    }

    /// Takes no more work and waits for what runs, until `deadline`; gives how many slots were given up.
    pub(super) async fn finish(&mut self, deadline: Instant) -> usize {
        self.claiming.abort_all();
        let waiting = self.pace.clear();
        while let Ok(Some(ended)) = tokio::time::timeout_at(deadline, self.probes.join_next_with_id()).await {
            self.ended(ended);
        }
        let running = self.probes.len();
        self.probes.abort_all();
        self.tally.tell(0, 0);
        waiting + running
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Starts every probe whose time has come; gives when to look again.
    fn start_due(&mut self) -> Option<Instant> {
        if self.recorder.is_stuck() {
            return Some(Instant::now() + LOOK_AGAIN);
        }
        loop {
            match self.pace.next(self.now_ms()) {
                Next::Start(job) => {
                    let probe = self.probes.spawn(job.task.probe(self.vantage.clone()));
                    self.hosts.insert(probe.id(), job.host);
                }
                Next::Missed(job) => self.tally.missed(job.task.slug(), job.task.number()),
                Next::At(at_ms) => return Some(self.origin + Duration::from_millis(at_ms)),
                Next::Idle => return None,
            }
        }
    }

    fn ended(&mut self, ended: Result<(Id, (String, Entry)), JoinError>) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        if let Some(host) = self.hosts.remove(&id) {
            let now_ms = self.now_ms();
            self.pace.finished(&host, now_ms);
        }
        match ended {
            Ok((_, (slug, entry))) => {
                self.tally.voted(&slug, &entry.vote);
                self.recorder.record(entry);
            }
            // A fault of ours in one probe costs its slot and no other.
            Err(error) => say(format_args!("a probe ended without a vote: {error}")),
        }
    }

    fn claim(&mut self) {
        let room =
            if self.recorder.is_stuck() { 0 } else { WAITING_MOST.saturating_sub(self.pace.waiting()) };
        // Without room the claim still renews the leases.
        let request = ClaimRequest { holder: self.holder.clone(), capacity: (room as u32).min(CLAIM_SLOTS) };
        let client = self.client.clone();
        self.claiming.spawn(async move { client.claims(&request).await });
    }

    fn claimed(&mut self, claimed: Result<Claimed, JoinError>) {
        let pause = match claimed {
            Ok(Ok((answer, reading))) => {
                self.backoff.succeeded();
                self.trouble.over("slots are claimed again");
                self.take(answer, reading)
            }
            Ok(Err(fault)) => {
                self.trouble.met(format!("no slots are claimed: {fault}"), "tried again later");
                self.backoff.failed(fault.retry_after, random())
            }
            Err(_) => self.backoff.failed(None, random()),
        };
        self.claim_at = Instant::now() + pause;
    }

    /// Takes in the claims; gives the pause before the next call.
    fn take(&mut self, answer: ClaimAnswer, reading: Reading) -> Duration {
        if answer.held_elsewhere != self.held_elsewhere {
            self.held_elsewhere = answer.held_elsewhere;
            say(match answer.held_elsewhere {
                0 => "no other prober holds a part of this network any more".to_owned(),
                shards => format!("another prober of this network holds {shards} shards; waiting for them"),
            });
        }
        for claim in answer.claims {
            let (slug, slot) = (claim.slug.clone(), claim.slot);
            match Slot::job(claim, reading, self.origin.into_std()) {
                Ok(job) => self.pace.add(job),
                Err(fault) => {
                    say(format_args!("listing {} cannot be probed: {fault}", printable(&slug)));
                    self.tally.missed(&slug, slot);
                }
            }
        }
        Duration::from_millis(u64::from(answer.next_ms)).clamp(*CLAIM_PAUSE.start(), *CLAIM_PAUSE.end())
    }

    fn tell(&mut self) {
        self.tally.tell(self.pace.waiting(), self.pace.running());
        self.tell_at = Instant::now() + TELL;
    }
}

/// That time, or never.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
