//! Writes votes to the outbox, many in one commit when many come at once.
//!
//! Where the disk does not take them they are held in memory and tried again, and the prober takes no more work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

use crate::log::Trouble;
use crate::outbox::{Entry, Keeper};

/// Votes in one commit at most.
const COMMIT_ENTRIES: usize = 500;
/// Between two tries to write.
const RETRY: Duration = Duration::from_secs(2);

/// Where probes hand in their votes.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    queue: mpsc::UnboundedSender<Entry>,
    stuck: Arc<AtomicBool>,
}

impl Recorder {
    /// The recorder, and the queue for [`keep_recording`]. Unbounded, since what can be in it is bounded by the work
    /// that was taken.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Entry>) {
        let (queue, entries) = mpsc::unbounded_channel();
        (Self { queue, stuck: Arc::default() }, entries)
    }

    pub(crate) fn record(&self, entry: Entry) {
        // The receiver lives as long as any sender.
        let _ = self.queue.send(entry);
    }

    /// The flag that [`keep_recording`] raises.
    pub(crate) fn stuck(&self) -> Arc<AtomicBool> {
        self.stuck.clone()
    }

    /// Votes cannot be written now.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Relaxed)
    }
}

/// Writes what comes until every sender is gone, and says to `wake` that there are votes. `stuck` is up while they
/// cannot be written.
pub(crate) async fn keep_recording(
    mut entries: mpsc::UnboundedReceiver<Entry>,
    keeper: Keeper,
    wake: Arc<Notify>,
    stuck: Arc<AtomicBool>,
) {
    let mut trouble = Trouble::default();
    let mut batch = Vec::new();
    // What waits from an earlier run.
    wake.notify_one();
    while entries.recv_many(&mut batch, COMMIT_ENTRIES).await > 0 {
        let commit: Arc<[Entry]> = std::mem::take(&mut batch).into();
        loop {
            let committing = commit.clone();
            match keeper.with(move |outbox| outbox.add(&committing)).await {
                Ok(()) => break,
                Err(fault) => {
                    stuck.store(true, Ordering::Relaxed);
                    trouble.met(
                        fault.to_string(),
                        "votes are held in memory and no more work is taken until it passes",
                    );
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
        stuck.store(false, Ordering::Relaxed);
        trouble.over("votes are written again");
        wake.notify_one();
    }
}
