//! `POST /api/v2/votes`: a signed batch in, an answer for each vote out.

use shared::vote::{BATCH_VOTES, VoteAnswers, VoteBatch};

use super::plan;
use crate::config::Network;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::store::{Store, StoreFault};

/// How often a batch is planned anew where rows changed under it.
const ATTEMPTS: u32 = 10;

/// Stores a batch, all of it or nothing.
///
/// # Errors
/// 400 for a batch that is too long; 503 where other deliveries kept changing the same rows: send it again.
pub async fn take(
    store: &Store,
    batch: &VoteBatch,
    network: &Network,
    now_ms: i64,
) -> Result<Reply, Problem> {
    if batch.votes.len() > BATCH_VOTES {
        return Err(Problem::invalid("votes", format!("A batch has at most {BATCH_VOTES} votes.")));
    }
    if batch.shapes.len() > BATCH_VOTES {
        return Err(Problem::invalid("shapes", format!("A batch has at most {BATCH_VOTES} shapes.")));
    }
    for _ in 0..ATTEMPTS {
        let known = store.known(batch, network.id).await?;
        let plan = plan::plan(batch, network, &known, now_ms).map_err(|fault| {
            worker::console_error!("votes: a stored chunk does not decode: {fault}");
            Problem::internal()
        })?;
        match store.write(&plan.writes, network.id).await {
            Ok(()) => return Ok(Reply::json(&VoteAnswers { results: plan.results })),
            Err(StoreFault::Conflict) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Err(Problem::unavailable("Other deliveries kept changing the same rows. Send the batch again."))
}
