//! One claimed slot: when its probe may start, and the vote that comes of it.

use std::sync::Arc;
use std::time::Instant;

use shared::listing::Endpoint;
use shared::methodology::LATEST_START_INTERVALS;
use shared::schedule::{MINUTE_MS, slot_ms};
use shared::vote::{Claim, Vote};
use url::Url;

use crate::conversation::{Memory, converse, plan};
use crate::outbox::Entry;
use crate::pace::Job;
use crate::transport::{Transport, Vantage};
use crate::worker_clock::Reading;

/// A slot to probe, with the Worker's time it came with.
#[derive(Debug)]
pub(super) struct Slot {
    claim: Claim,
    endpoint: Url,
    reading: Reading,
}

impl Slot {
    /// The job of a claim. `origin` is the zero of the scheduler's clock.
    ///
    /// # Errors
    /// Where the claim's URL is none that a prober could ever use.
    pub(super) fn job(claim: Claim, reading: Reading, origin: Instant) -> Result<Job<Self>, String> {
        // Whether the address may be probed is the transport's question; its answer is a vote.
        let endpoint = Endpoint::parse(&claim.url, true).map_err(|fault| fault.to_string())?;
        let local = |worker_ms: i64| {
            let arrived_ms =
                u64::try_from(reading.at.saturating_duration_since(origin).as_millis()).unwrap_or(0);
            arrived_ms.saturating_add(u64::try_from(worker_ms.saturating_sub(reading.worker_ms)).unwrap_or(0))
        };
        let patience_ms = i64::from(LATEST_START_INTERVALS) * i64::from(claim.interval_minutes) * MINUTE_MS;
        Ok(Job {
            host: endpoint.host().to_owned(),
            due_ms: local(claim.due_ms),
            last_start_ms: local(slot_ms(claim.slot).saturating_add(patience_ms)),
            task: Self { endpoint: endpoint.url().clone(), claim, reading },
        })
    }

    pub(super) fn slug(&self) -> &str {
        &self.claim.slug
    }

    pub(super) fn number(&self) -> u32 {
        self.claim.slot
    }

    /// Probes now. The vote's time is the Worker's: of the claim, and the monotonic time since.
    pub(super) async fn probe(self, vantage: Arc<Vantage>) -> (String, Entry) {
        let started_ms = self.reading.time_ms(Instant::now());
        let claim = self.claim;
        let url = |text: Option<&String>| text.and_then(|text| Url::parse(text).ok());
        let memory = Memory {
            era: claim.era,
            resource_metadata: url(claim.resource_metadata.as_ref()),
            authorization_server: url(claim.authorization_server.as_ref()),
        };
        let plan = plan(self.endpoint, memory, claim.end_session, vantage.guard.allows_private(), started_ms);
        let verdict = converse(plan, Transport::new(vantage), &mut ()).await;
        let vote = Vote::new(claim.listing, claim.slot, started_ms, None, &verdict);
        let carry_shape = vote.shape.is_some_and(|shape| Some(shape.digest) != claim.known_shape);
        let shape = verdict.tools.map(|tools| tools.shape);
        (claim.slug, Entry { vote, shape, carry_shape })
    }
}

/// A listing's slot as far as the scheduler's tests need one.
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn claim(url: &str) -> Claim {
        Claim {
            listing: 1,
            slug: "one".into(),
            url: url.into(),
            slot: 1_000,
            due_ms: 60_000_000 + 30_000,
            interval_minutes: 5,
            era: None,
            resource_metadata: None,
            authorization_server: None,
            end_session: true,
            known_shape: None,
        }
    }

    #[test]
    fn a_claim_is_placed_on_the_monotonic_clock() {
        let origin = Instant::now();
        let reading = Reading { worker_ms: 60_000_000, at: origin + Duration::from_secs(100) };
        let job = Slot::job(claim("https://mcp.example/mcp"), reading, origin).unwrap();
        assert_eq!(job.host, "mcp.example");
        assert_eq!(job.due_ms, 100_000 + 30_000);
        // The slot is at the reading; its vote may start two intervals later.
        assert_eq!(job.last_start_ms, 100_000 + 2 * 5 * 60_000);
        let late = Reading { worker_ms: 60_040_000, ..reading };
        assert_eq!(Slot::job(claim("https://mcp.example/mcp"), late, origin).unwrap().due_ms, 100_000);
    }

    #[test]
    fn a_claim_that_is_no_url_is_told() {
        let reading = Reading { worker_ms: 0, at: Instant::now() };
        assert!(Slot::job(claim("mcp.example"), reading, reading.at).is_err());
    }
}
