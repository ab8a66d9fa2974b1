//! Carries one probe's conversation: the machine's requests to the transport, the replies back, until the verdict.

use shared::outcome::{Era, Precision};
use shared::probe::{Deadlines, Plan, Probe, Reply, Request, Step};
use shared::verdict::Verdict;
use url::Url;

use crate::backoff::random;
use crate::transport::{Peer, Transport};

/// Looks on while a conversation runs.
pub(crate) trait Witness {
    /// The request is about to be sent.
    fn sending(&mut self, request: &Request);
    /// What came of it, and which connection it went over, if one came up.
    fn arrived(&mut self, request: &Request, reply: &Reply, peer: Option<Peer>);
}

/// Nobody looks.
impl Witness for () {
    fn sending(&mut self, _: &Request) {}
    fn arrived(&mut self, _: &Request, _: &Reply, _: Option<Peer>) {}
}

/// Runs the conversation to its end. Bounded by the plan's deadlines.
pub(crate) async fn converse(plan: Plan, mut transport: Transport, witness: &mut impl Witness) -> Verdict {
    let (mut probe, mut step) = Probe::start(plan);
    loop {
        match step {
            Step::Done(verdict) => return *verdict,
            Step::Send(request) => {
                witness.sending(&request);
                let reply = transport.send(&request).await;
                witness.arrived(&request, &reply, transport.peer());
                step = probe.next(reply);
            }
        }
    }
}

/// What a listing's earlier probes taught, as far as this probe uses it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    pub(crate) era: Option<Era>,
    pub(crate) resource_metadata: Option<Url>,
    pub(crate) authorization_server: Option<Url>,
}

/// The plan of a native probe: it sees every phase and keeps the published deadlines.
///
/// `started_ms` is now, in milliseconds since the epoch.
pub(crate) fn plan(
    endpoint: Url,
    memory: Memory,
    end_session: bool,
    allow_private: bool,
    started_ms: i64,
) -> Plan {
    Plan {
        endpoint,
        era: memory.era,
        resource_metadata: memory.resource_metadata,
        authorization_server: memory.authorization_server,
        end_session,
        precision: Precision::Exact,
        allow_private,
        deadlines: Deadlines::PUBLISHED,
        started_ms,
        // Without a random source ids are merely predictable, which weakens no promise of the method.
        seed: random(),
    }
}
