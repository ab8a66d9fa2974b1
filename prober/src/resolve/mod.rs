//! Names to addresses, with the faults told apart that mean different things about an endpoint.
//!
//! The system's resolvers and hosts file are used. "Our resolver cannot" and "nobody can" look alike in one answer,
//! so a failed lookup is followed by one for the root: a resolver that answers that is alive, and the fault is the
//! name's delegation.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hickory_resolver::config::{ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::{Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::{Hosts, Resolver, TokioResolver, system_conf};
use tokio::sync::Mutex;
use url::Host;

/// One try of one question.
const TRY: Duration = Duration::from_secs(3);
/// Tries after the first.
const RETRIES: usize = 1;
/// How long the other family's answer is waited for once one has come (RFC 8305, section 3).
const RESOLUTION_DELAY: Duration = Duration::from_millis(50);
/// The question to the root, tries included. Two tries and this end before the connect deadline does.
const ROOT_TRY: Duration = Duration::from_secs(2);
/// How long the word of the root is good.
const ROOT_MEMORY: Duration = Duration::from_secs(10);
/// Questions in flight to one name server: one prober may have every probe waiting for a name.
const QUESTIONS_IN_FLIGHT: usize = 4_096;

/// Why a name has no address for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameFault {
    /// NXDOMAIN, or a name that cannot exist.
    NoSuchName,
    /// The name exists without an A or AAAA record.
    NoAddress,
    /// SERVFAIL or silence for this name from a resolver that is alive.
    DeadDelegation,
    /// Our resolver does not answer, or refuses to.
    ResolverFailed,
}

/// The system's way of resolving names. Keeps no answers: every probe asks anew.
pub(crate) struct Names {
    resolver: TokioResolver,
    hosts: Hosts,
    root: Mutex<Option<(Instant, bool)>>,
    servers: Vec<IpAddr>,
}

/// What one question brought.
enum Answer {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    NoRecord,
    Refused,
    Trouble,
}

impl Names {
    /// Reads the system's configuration.
    ///
    /// # Errors
    /// A sentence, where the resolver cannot be set up at all. A missing or empty `resolv.conf` is no error: names
    /// from the hosts file and addresses still work, and every other name is `ResolverFailed`.
    pub(crate) fn system() -> Result<Arc<Self>, String> {
        let (config, options) = system_conf::read_system_conf().unwrap_or_default();
        let hosts = Hosts::from_system().unwrap_or_default();
        Self::with(config, options, hosts)
    }

    fn with(config: ResolverConfig, mut options: ResolverOpts, hosts: Hosts) -> Result<Arc<Self>, String> {
        options.timeout = TRY;
        options.attempts = RETRIES;
        options.cache_size = 0;
        options.use_hosts_file = ResolveHosts::Never;
        options.max_active_requests = QUESTIONS_IN_FLIGHT;
        let servers = config.name_servers().iter().map(|server| server.ip).collect();
        let resolver = Resolver::builder_with_config(config, TokioRuntimeProvider::default())
            .with_options(options)
            .build()
            .map_err(|error| format!("cannot set up the name resolver: {error}"))?;
        Ok(Arc::new(Self { resolver, hosts, root: Mutex::new(None), servers }))
    }

    /// The name servers asked, for `check`.
    pub(crate) fn servers(&self) -> &[IpAddr] {
        &self.servers
    }

    /// The addresses of a URL's host, IPv6 first, the families in turn. Never empty.
    pub(crate) async fn addresses(&self, host: Host<&str>) -> Result<Vec<IpAddr>, NameFault> {
        match host {
            Host::Ipv4(address) => Ok(vec![address.into()]),
            Host::Ipv6(address) => Ok(vec![address.into()]),
            Host::Domain(name) => self.domain(name).await,
        }
    }

    async fn domain(&self, host: &str) -> Result<Vec<IpAddr>, NameFault> {
        let mut name = Name::from_ascii(host).map_err(|_| NameFault::NoSuchName)?;
        // Never completed by the system's search domains: the listing's name is the whole name.
        name.set_fqdn(true);
        let known = self.in_hosts_file(&name);
        if !known.is_empty() {
            return Ok(known);
        }
        let (v6, v4) = self.ask_both(&name).await;
        match (v6, v4) {
            (Answer::Addresses(v6), Answer::Addresses(v4)) => Ok(interleaved(v6, v4)),
            (Answer::Addresses(found), _) | (_, Answer::Addresses(found)) => Ok(found),
            (Answer::NoSuchName, _) | (_, Answer::NoSuchName) => Err(NameFault::NoSuchName),
            (Answer::NoRecord, Answer::NoRecord) => Err(NameFault::NoAddress),
            (Answer::Refused, _) | (_, Answer::Refused) => Err(NameFault::ResolverFailed),
            (Answer::Trouble, _) | (_, Answer::Trouble) => Err(self.whose_trouble().await),
        }
    }

    fn in_hosts_file(&self, name: &Name) -> Vec<IpAddr> {
        let family = |record_type| {
            let query = Query::query(name.clone(), record_type);
            self.hosts
                .lookup_static_host(&query)
                .map(|lookup| lookup.answers().iter().filter_map(|r| ip(&r.data)).collect())
        };
        interleaved(family(RecordType::AAAA).unwrap_or_default(), family(RecordType::A).unwrap_or_default())
    }

    /// Asks for both families at once; once one has addresses the other has only a moment left, since some name
    /// servers never answer for AAAA.
    async fn ask_both(&self, name: &Name) -> (Answer, Answer) {
        let v6 = self.ask(name.clone(), RecordType::AAAA);
        let v4 = self.ask(name.clone(), RecordType::A);
        tokio::pin!(v6, v4);
        tokio::select! {
            first = &mut v6 => {
                let second = rest(&first, v4).await;
                (first, second)
            }
            first = &mut v4 => {
                let second = rest(&first, v6).await;
                (second, first)
            }
        }
    }

    async fn ask(&self, name: Name, record_type: RecordType) -> Answer {
        match self.resolver.lookup(name, record_type).await {
            Ok(lookup) => {
                let found: Vec<IpAddr> =
                    lookup.answers().iter().filter_map(|record| ip(&record.data)).collect();
                if found.is_empty() { Answer::NoRecord } else { Answer::Addresses(found) }
            }
            Err(NetError::Dns(DnsError::NoRecordsFound(none))) => match none.response_code {
                ResponseCode::NXDomain => Answer::NoSuchName,
                ResponseCode::NoError => Answer::NoRecord,
                _ => Answer::Trouble,
            },
            Err(NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused | ResponseCode::NotImp))) => {
                Answer::Refused
            }
            Err(NetError::Proto(_)) => Answer::Trouble,
            Err(_) => Answer::Trouble,
        }
    }

    /// Asks for the root's name servers, at most once in a while however many probes want to know.
    async fn whose_trouble(&self) -> NameFault {
        let mut root = self.root.lock().await;
        let alive = match *root {
            Some((when, alive)) if when.elapsed() < ROOT_MEMORY => alive,
            _ => {
                let asked =
                    tokio::time::timeout(ROOT_TRY, self.resolver.lookup(Name::root(), RecordType::NS)).await;
                let alive = matches!(asked, Ok(Ok(_)));
                *root = Some((Instant::now(), alive));
                alive
            }
        };
        if alive { NameFault::DeadDelegation } else { NameFault::ResolverFailed }
    }
}

/// The second answer, waited for only shortly where the first has addresses.
async fn rest(first: &Answer, second: impl Future<Output = Answer>) -> Answer {
    if matches!(first, Answer::Addresses(_)) {
        tokio::time::timeout(RESOLUTION_DELAY, second).await.unwrap_or(Answer::Trouble)
    } else {
        second.await
    }
}

fn ip(data: &RData) -> Option<IpAddr> {
    match data {
        RData::A(address) => Some(address.0.into()),
        RData::AAAA(address) => Some(address.0.into()),
        _ => None,
    }
}

/// One of each family in turn, IPv6 first (RFC 8305, section 4).
fn interleaved(v6: Vec<IpAddr>, v4: Vec<IpAddr>) -> Vec<IpAddr> {
    let mut mixed = Vec::with_capacity(v6.len() + v4.len());
    let (mut v6, mut v4) = (v6.into_iter(), v4.into_iter());
    loop {
        let pair = [v6.next(), v4.next()];
        if pair == [None, None] {
            return mixed;
        }
        mixed.extend(pair.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests;
