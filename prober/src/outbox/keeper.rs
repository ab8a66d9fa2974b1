//! The outbox for several tasks: its work off the async threads, and damage that shows while running dealt with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Outbox, OutboxFault, OutboxFaultKind};
use crate::log::say;

/// A shared outbox.
#[derive(Debug, Clone)]
pub(crate) struct Keeper {
    outbox: Arc<Mutex<Outbox>>,
    path: Arc<PathBuf>,
}

impl Keeper {
    pub(crate) fn new(outbox: Outbox, path: PathBuf) -> Self {
        Self { outbox: Arc::new(Mutex::new(outbox)), path: Arc::new(path) }
    }

    /// Does `work` on the outbox. Where the file turns out damaged, it is moved aside and a new one begun, now or, where
    /// that fails, at the next try; the work still fails, and may be tried again.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Outbox) -> Result<T, OutboxFault> + Send + 'static,
    ) -> Result<T, OutboxFault> {
        let keeper = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Every piece of work is one transaction: a panic elsewhere left none half done.
            let mut outbox = keeper.outbox.lock().unwrap_or_else(PoisonError::into_inner);
            if outbox.damage.is_some() {
                outbox.begin_anew(&keeper.path, |moved| say(moved))?;
            }
            let result = work(&mut outbox);
            if let Err(fault) = &result
                && fault.kind == OutboxFaultKind::Corrupt
            {
                outbox.damage = Some(fault.to_string());
                outbox.begin_anew(&keeper.path, |moved| say(moved))?;
            }
            result
        });
        done.await.unwrap_or_else(|error| {
            Err(OutboxFault::new(
                OutboxFaultKind::Internal,
                format!("the outbox's work ended early ({error})"),
            ))
        })
    }
}
