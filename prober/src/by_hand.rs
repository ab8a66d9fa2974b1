//! One probe of one URL, as the command `probe` makes it; also for programs that want it at deadlines of their own.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use shared::listing::{Endpoint, EndpointFault};
use shared::outcome::Era;
use shared::probe::Deadlines;
use shared::verdict::{ProbeReport, Verdict};

use crate::address_guard::Guard;
use crate::conversation::{Memory, Witness, converse, plan};
use crate::explain::Narrator;
use crate::resolve::Names;
use crate::text::{printable, printable_json};
use crate::transport::{HostGaps, Tls, Transport, Vantage};
use crate::worker_clock::WorkerClock;

/// What is probed, and from where.
pub struct ByHand {
    endpoint: Endpoint,
    vantage: Vantage,
    clock: Arc<WorkerClock>,
    era: Option<Era>,
    deadlines: Deadlines,
}

impl ByHand {
    /// `url` as a client would use it; `trust` is a PEM file with further authorities.
    ///
    /// # Errors
    /// A sentence that names what cannot be used. An address that is not public is no fault here: the probe says so.
    pub fn new(url: &str, allow_private: bool, trust: Option<&Path>) -> Result<Self, String> {
        // The shape of the URL alone is judged here, so private targets pass.
        let endpoint = Endpoint::parse(url, true).map_err(|fault| {
            let rule = match fault {
                EndpointFault::Scheme => "the URL must begin with https:// or http://".to_owned(),
                other => other.to_string(),
            };
            format!("URL: {rule}, got \"{}\"", printable(&without_userinfo(url)))
        })?;
        let names = Names::new(&[])?;
        // Nobody tells us another time than this machine's.
        let clock = Arc::<WorkerClock>::default();
        let tls = Tls::new(trust, clock.clone())?;
        let vantage = Vantage { names, tls, gaps: HostGaps::default(), guard: Guard::new(allow_private) };
        Ok(Self { endpoint, vantage, clock, era: None, deadlines: Deadlines::PUBLISHED })
    }

    /// Asking these name servers in place of the system's.
    ///
    /// # Errors
    /// A sentence, where the resolver cannot be set up at all.
    pub fn with_name_servers(mut self, servers: &[SocketAddr]) -> Result<Self, String> {
        self.vantage.names = Names::new(servers)?;
        Ok(self)
    }

    /// Opening in this era, as if the endpoint's were remembered.
    #[must_use]
    pub fn with_era(mut self, era: Option<Era>) -> Self {
        self.era = era;
        self
    }

    /// At other deadlines than the published ones.
    #[must_use]
    pub fn with_deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// Probes.
    pub async fn probe(&self) -> Verdict {
        self.converse(&mut ()).await
    }

    /// Probes, and tells `out` what is sent, what comes and what it means.
    pub async fn explain(&self, out: impl Write, network: Option<&str>) -> Verdict {
        let mut narrator = Narrator::new(out);
        narrator.begin(self.endpoint.url(), network);
        let verdict = self.converse(&mut narrator).await;
        narrator.end(&verdict);
        verdict
    }

    async fn converse(&self, witness: &mut impl Witness) -> Verdict {
        let (endpoint, guard) = (self.endpoint.url().clone(), self.vantage.guard);
        let memory = Memory { era: self.era, ..Memory::default() };
        let mut plan = plan(endpoint, memory, true, guard.allows_private(), self.clock.now_ms());
        plan.deadlines = self.deadlines;
        converse(plan, Transport::new(Arc::new(self.vantage.clone())), witness).await
    }
}

/// Writes the report as one line of JSON in which nothing can fool a terminal.
///
/// # Errors
/// Where `out` does not take it.
pub fn write_json(mut out: impl Write, report: &ProbeReport) -> io::Result<()> {
    let text = serde_json::to_string(report)?;
    writeln!(out, "{}", printable_json(&text))
}

/// The text without what stands before an `@`: it may hold a password, and error messages are kept in logs.
fn without_userinfo(text: &str) -> String {
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://...@{rest}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_a_client_could_use_are_probed() {
        for good in [
            "https://mcp.example/mcp",
            "http://localhost:3000/mcp",
            "https://[::1]/mcp?a=b",
            "http://10.0.0.1",
        ] {
            assert_eq!(ByHand::new(good, false, None).err(), None, "{good}");
        }
        for (bad, rule) in [
            ("mcp.example/mcp", "does not parse"),
            ("ftp://mcp.example/", "https:// or http://"),
            ("file:///etc/passwd", "https:// or http://"),
            ("https://me:hunter2@mcp.example/", "user name or password"),
            ("https://mcp.example/#top", "fragment"),
            ("https://{tenant}.example/mcp", "template"),
            ("https://mcp.example/a b", "white space"),
            ("", "does not parse"),
        ] {
            let told = ByHand::new(bad, false, None).err().unwrap_or_else(|| panic!("{bad} must be refused"));
            assert!(told.starts_with("URL: ") && told.contains(rule), "{bad}: {told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
    }
}
