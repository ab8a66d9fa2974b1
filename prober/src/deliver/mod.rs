//! Delivers waiting votes to the Worker, oldest first, until it has acknowledged each by its key.
//!
//! Whatever goes wrong on the way, a vote stays in the outbox; sending it twice does no harm.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use shared::methodology::cuts::cut;
use shared::methodology::{OLDEST_VOTE_S, PROBE_DAYS};
use shared::schedule::slot_ms;
use shared::vote::{BATCH_VOTES, Rejection, VoteStatus};
use shared::words::Word;
use tokio::sync::{Notify, watch};

use crate::backoff::{Backoff, random};
use crate::client::{Answered, Answers, CallFault, CallFaultKind, Client};
use crate::log::{Trouble, say};
use crate::outbox::{Batch, Keeper, OutboxFault, Settlement, VoteKey};

/// Votes that come within this time of each other travel together.
const GATHER: Duration = Duration::from_secs(2);
/// How often shapes nobody refers to and old refusals are forgotten, in deliveries.
const PRUNE_EVERY: u32 = 256;
/// Refused votes stay visible for as long as the Worker keeps the others.
const KEEP_REFUSED_MS: i64 = PROBE_DAYS as i64 * 24 * 3_600 * 1_000;
/// What is kept of a later Worker's word.
const WORD_BYTES: usize = 64;

/// What one delivery moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// Votes the Worker has now, duplicates included.
    pub(crate) stored: usize,
    /// Votes it will never take.
    pub(crate) rejected: usize,
    /// Votes it wants again.
    pub(crate) again: usize,
}

impl Delivered {
    fn add(&mut self, more: Self) {
        self.stored += more.stored;
        self.rejected += more.rejected;
        self.again += more.again;
    }

    fn is_some(self) -> bool {
        self != Self::default()
    }
}

/// Why a delivery ended before the outbox was empty.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeliveryFault {
    #[error("votes are not delivered: {0}")]
    Worker(#[from] CallFault),
    #[error("votes are not delivered: {0}")]
    Outbox(#[from] OutboxFault),
    #[error("some votes are not delivered: the Worker's answer says nothing of use about them")]
    Unanswered,
    #[error(
        "some votes are not delivered: the Worker says {0:?} of them, which this version does not know: update it"
    )]
    UnknownStatus(String),
}

/// What came of delivering until the outbox was empty or something stood in the way.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) moved: Delivered,
    /// The first fault that repeating at once would not mend.
    pub(crate) fault: Option<DeliveryFault>,
}

/// The way of votes from the outbox to the Worker.
pub(crate) struct Delivery {
    keeper: Keeper,
    client: Arc<Client>,
    /// Votes in a body; halved where the Worker refuses a body as a whole, to find what it cannot take.
    most_votes: u32,
    deliveries: u32,
}

impl Delivery {
    pub(crate) fn new(keeper: Keeper, client: Arc<Client>) -> Self {
        Self { keeper, client, most_votes: BATCH_VOTES as u32, deliveries: 0 }
    }

    /// Delivers until the outbox is empty or a fault is met.
    pub(crate) async fn all(&mut self) -> Round {
        let mut moved = Delivered::default();
        loop {
            match self.once(&mut moved).await {
                Ok(true) => {}
                Ok(false) => return Round { moved, fault: None },
                Err(fault) => return Round { moved, fault: Some(fault) },
            }
        }
    }

    /// Delivers one batch and counts what it moved; false where nothing waits.
    async fn once(&mut self, moved: &mut Delivered) -> Result<bool, DeliveryFault> {
        let most_votes = self.most_votes;
        let prune = self.deliveries.is_multiple_of(PRUNE_EVERY);
        self.deliveries = self.deliveries.wrapping_add(1);
        let (now_ms, told_ms) = (self.client.now_ms(), self.client.told_ms());
        let next = self.keeper.with(move |outbox| {
            if prune {
                outbox.prune(told_ms.map(|told_ms| told_ms.saturating_sub(KEEP_REFUSED_MS)))?;
            }
            outbox.next_batch(most_votes, now_ms)
        });
        let Some(batch) = next.await? else {
            return Ok(false);
        };
        let body = serde_json::to_vec(&batch.batch).map_err(OutboxFault::from)?;
        match self.client.votes(body).await {
            Ok(answers) => self.settle(&batch, &answers, moved).await?,
            Err(fault) if fault.kind == CallFaultKind::BodyRefused => {
                self.narrow(&batch, fault, moved).await?;
            }
            Err(fault) => return Err(fault.into()),
        }
        Ok(true)
    }

    /// What was answered counts. Where something was not, the rest waits: a Worker that answers half a batch would
    /// otherwise be asked without a pause.
    async fn settle(
        &mut self,
        batch: &Batch,
        answers: &Answers,
        moved: &mut Delivered,
    ) -> Result<(), DeliveryFault> {
        let (settlements, fault) = settlements(batch, answers);
        let count =
            |wanted: fn(&Settlement) -> bool| settlements.iter().filter(|(_, one)| wanted(one)).count();
        let settled = Delivered {
            stored: count(|one| matches!(one, Settlement::Forget)),
            rejected: count(|one| matches!(one, Settlement::Reject(_))),
            again: count(|one| matches!(one, Settlement::CarryShape)),
        };
        let now_ms = self.client.now_ms();
        self.keeper.with(move |outbox| outbox.settle(&settlements, now_ms)).await?;
        moved.add(settled);
        match fault {
            Some(fault) => Err(fault),
            None => {
                self.most_votes = (self.most_votes * 2).min(BATCH_VOTES as u32);
                Ok(())
            }
        }
    }

    /// The Worker refused the body as a whole: half as many votes next time. A vote that is refused alone lets the
    /// others go first, and is given up where it is older than the Worker takes any.
    async fn narrow(
        &mut self,
        batch: &Batch,
        fault: CallFault,
        moved: &mut Delivered,
    ) -> Result<(), DeliveryFault> {
        let [alone] = batch.keys.as_slice() else {
            self.most_votes = (batch.keys.len() as u32 / 2).max(1);
            return Ok(());
        };
        let oldest_ms = self.client.told_ms().map(|told_ms| told_ms.saturating_sub(OLDEST_VOTE_S * 1_000));
        let too_old = oldest_ms.is_some_and(|oldest_ms| slot_ms(alone.slot) < oldest_ms);
        let settlement =
            if too_old { Settlement::Reject(Rejection::TooOld.word().into()) } else { Settlement::Postpone };
        let (key, now_ms) = (*alone, self.client.now_ms());
        self.keeper.with(move |outbox| outbox.settle(&[(key, settlement)], now_ms)).await?;
        moved.rejected += usize::from(too_old);
        Err(fault.into())
    }
}

/// What the answers mean for each vote of this batch, and the fault where they do not settle all of them. Answers about
/// other votes, and second ones about the same, mean nothing.
fn settlements(batch: &Batch, answers: &Answers) -> (Vec<(VoteKey, Settlement)>, Option<DeliveryFault>) {
    let mut waiting: HashMap<VoteKey, ()> = batch.keys.iter().map(|key| (*key, ())).collect();
    let mut settled = Vec::with_capacity(batch.keys.len());
    let mut unknown = None;
    for result in &answers.results {
        let key = VoteKey { listing: result.listing, slot: result.slot };
        let settlement = match settlement(result) {
            Ok(settlement) => settlement,
            Err(word) => {
                unknown = unknown.or(word.filter(|_| waiting.contains_key(&key)));
                continue;
            }
        };
        if waiting.remove(&key).is_some() {
            settled.push((key, settlement));
        }
    }
    let fault = unknown.map(|word| DeliveryFault::UnknownStatus(cut(word, WORD_BYTES).to_owned()));
    let fault = fault.or_else(|| (!waiting.is_empty()).then_some(DeliveryFault::Unanswered));
    settled.extend(waiting.into_keys().map(|key| (key, Settlement::Postpone)));
    (settled, fault)
}

/// What one answer means; where it settles nothing, the word that a later version may know.
fn settlement(result: &Answered) -> Result<Settlement, Option<&str>> {
    match (&result.status, &result.reason) {
        (Word::Known(VoteStatus::Accepted | VoteStatus::Duplicate), _) => Ok(Settlement::Forget),
        (Word::Known(VoteStatus::Rejected), Some(Word::Known(Rejection::UnknownShape))) => {
            Ok(Settlement::CarryShape)
        }
        (Word::Known(VoteStatus::Rejected), Some(Word::Known(reason))) => {
            Ok(Settlement::Reject(reason.word().into()))
        }
        // Whatever the reason is: the same bytes would be refused again.
        (Word::Known(VoteStatus::Rejected), Some(Word::Unknown(reason))) => {
            Ok(Settlement::Reject(cut(reason, WORD_BYTES).to_owned().into()))
        }
        // A refusal without a reason is no answer to rely on.
        (Word::Known(VoteStatus::Rejected), None) => Err(None),
        (Word::Unknown(status), _) => Err(Some(status)),
    }
}

/// Delivers whenever `wake` says that there are votes, and after a while when the Worker could not take them.
/// `stored` is told how many got there. Ends when `stop` turns true.
pub(crate) async fn keep_delivering(
    mut delivery: Delivery,
    wake: Arc<Notify>,
    mut stop: watch::Receiver<bool>,
    mut stored: impl FnMut(Delivered),
) -> Delivery {
    let mut backoff = Backoff::default();
    let mut trouble = Trouble::default();
    loop {
        let Round { moved, fault } = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return delivery,
            round = delivery.all() => round,
        };
        if moved.is_some() || fault.is_none() {
            backoff.succeeded();
        }
        if moved.rejected > 0 {
            say(format_args!("{} votes were refused for good; `check` tells why", moved.rejected));
        }
        stored(moved);
        let pause = match fault {
            None => {
                if moved.stored > 0 {
                    trouble.over("votes are delivered again");
                }
                None
            }
            Some(fault) => {
                let asked = match &fault {
                    DeliveryFault::Worker(call) => call.retry_after,
                    _ => None,
                };
                let pause = backoff.failed(asked, random());
                trouble.met(fault.to_string(), "they are kept and tried again");
                Some(pause)
            }
        };
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return delivery,
            () = wait(pause, &wake) => {}
        }
    }
}

/// The pause after a failure, or until votes have come and gathered.
async fn wait(pause: Option<Duration>, wake: &Notify) {
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => {
            wake.notified().await;
            tokio::time::sleep(GATHER).await;
        }
    }
}

#[cfg(test)]
mod tests;
