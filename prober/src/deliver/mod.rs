//! Delivers waiting votes to the Worker, oldest first, until it has acknowledged each by its key.
//!
//! Whatever goes wrong on the way, a vote stays in the outbox; sending it twice does no harm.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use shared::vote::{BATCH_VOTES, Rejection, VoteAnswers, VoteStatus};
use tokio::sync::{Notify, watch};

use crate::backoff::{Backoff, random};
use crate::client::{CallFault, CallFaultKind, Client};
use crate::log::{Trouble, say};
use crate::outbox::{Batch, Keeper, OutboxFault, Settlement, VoteKey};

/// Votes that come within this time of each other travel together.
const GATHER: Duration = Duration::from_secs(2);
/// How often shapes nobody refers to are forgotten, in deliveries.
const PRUNE_EVERY: u32 = 256;

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

/// Why a delivery moved nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeliveryFault {
    #[error("votes are not delivered: {0}")]
    Worker(#[from] CallFault),
    #[error("votes are not delivered: {0}")]
    Outbox(#[from] OutboxFault),
    #[error("votes are not delivered: the Worker answered without a word about any of them")]
    Unanswered,
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

    /// Delivers until the outbox is empty; gives what was moved.
    ///
    /// # Errors
    /// The first fault that repeating at once would not mend.
    pub(crate) async fn all(&mut self) -> Result<Delivered, DeliveryFault> {
        let mut sum = Delivered::default();
        while let Some(moved) = self.once().await? {
            sum.stored += moved.stored;
            sum.rejected += moved.rejected;
            sum.again += moved.again;
        }
        Ok(sum)
    }

    /// Delivers one batch; None where nothing waits.
    async fn once(&mut self) -> Result<Option<Delivered>, DeliveryFault> {
        let most_votes = self.most_votes;
        let prune = self.deliveries.is_multiple_of(PRUNE_EVERY);
        self.deliveries = self.deliveries.wrapping_add(1);
        let next = self.keeper.with(move |outbox| {
            if prune {
                outbox.prune()?;
            }
            outbox.next_batch(most_votes)
        });
        let Some(batch) = next.await? else {
            return Ok(None);
        };
        let body = serde_json::to_vec(&batch.batch).map_err(OutboxFault::from)?;
        match self.client.votes(body).await {
            Ok(answers) => self.settle(&batch, &answers).await.map(Some),
            Err(fault) if fault.kind == CallFaultKind::BodyRefused => {
                self.narrow(&batch, fault).await.map(Some)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    async fn settle(&mut self, batch: &Batch, answers: &VoteAnswers) -> Result<Delivered, DeliveryFault> {
        let settlements = settlements(batch, answers);
        if settlements.is_empty() {
            return Err(DeliveryFault::Unanswered);
        }
        let count =
            |wanted: fn(&Settlement) -> bool| settlements.iter().filter(|(_, one)| wanted(one)).count();
        let moved = Delivered {
            stored: count(|one| matches!(one, Settlement::Forget)),
            rejected: count(|one| matches!(one, Settlement::Reject(_))),
            again: count(|one| matches!(one, Settlement::CarryShape)),
        };
        self.most_votes = (self.most_votes * 2).min(BATCH_VOTES as u32);
        let now_ms = self.client.now_ms();
        self.keeper.with(move |outbox| outbox.settle(&settlements, now_ms)).await?;
        Ok(moved)
    }

    /// The Worker refused the body as a whole: half as many votes next time, and a vote that is refused alone lets
    /// the others go first.
    async fn narrow(&mut self, batch: &Batch, fault: CallFault) -> Result<Delivered, DeliveryFault> {
        if let [alone] = batch.keys.as_slice() {
            let key = *alone;
            self.keeper.with(move |outbox| outbox.settle(&[(key, Settlement::Postpone)], 0)).await?;
            return Err(fault.into());
        }
        self.most_votes = (batch.keys.len() as u32 / 2).max(1);
        Ok(Delivered::default())
    }
}

/// What the answers mean for the votes of this batch. Answers about other votes, and second ones about the same, mean
/// nothing; a vote without an answer waits on.
fn settlements(batch: &Batch, answers: &VoteAnswers) -> Vec<(VoteKey, Settlement)> {
    let mut waiting: HashMap<VoteKey, ()> = batch.keys.iter().map(|key| (*key, ())).collect();
    let mut settled = Vec::with_capacity(batch.keys.len());
    for result in &answers.results {
        let key = VoteKey { listing: result.listing, slot: result.slot };
        let settlement = match (result.status, result.reason) {
            (VoteStatus::Accepted | VoteStatus::Duplicate, _) => Settlement::Forget,
            (VoteStatus::Rejected, Some(Rejection::UnknownShape)) => Settlement::CarryShape,
            (VoteStatus::Rejected, Some(reason)) => Settlement::Reject(reason),
            // A refusal without a reason is no answer to rely on.
            (VoteStatus::Rejected, None) => continue,
        };
        if waiting.remove(&key).is_some() {
            settled.push((key, settlement));
        }
    }
    settled
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
        let delivered = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return delivery,
            delivered = delivery.all() => delivered,
        };
        let pause = match delivered {
            Ok(moved) => {
                backoff.succeeded();
                if moved.stored > 0 {
                    trouble.over("votes are delivered again");
                }
                if moved.rejected > 0 {
                    say(format_args!("{} votes were refused for good; `check` tells why", moved.rejected));
                }
                stored(moved);
                None
            }
            Err(fault) => {
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
