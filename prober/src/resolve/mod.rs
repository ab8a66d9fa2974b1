//! Names to addresses, with the faults told apart that mean different things about an endpoint.
//!
//! The hosts file is used, and the system's resolvers unless the operator names others. "Our resolver cannot" and
//! "nobody can" look alike in one answer, so a failed lookup is followed by one for the root: a resolver that answers
//! that is alive, and the fault is the name's delegation.

mod found;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::{Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::{Hosts, Resolver, TokioResolver, system_conf};
use tokio::sync::Mutex;
use url::Host;

pub(crate) use found::{Found, interleaved};

/// The port of a name server, unless said otherwise.
pub(crate) const PORT: u16 = 53;
/// One try of one question.
const TRY: Duration = Duration::from_secs(3);
/// Tries after the first.
const RETRIES: usize = 1;
/// How long the answer for AAAA is waited for once the one for A has come (RFC 8305, section 3).
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

/// Our way of resolving names. Keeps no answers: every probe asks anew.
pub(crate) struct Names {
    resolver: TokioResolver,
    hosts: Hosts,
    root: Mutex<Option<(Instant, bool)>>,
    servers: Vec<SocketAddr>,
}

/// What one question brought.
enum Answer {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    NoRecord,
    Refused,
    Trouble,
}

/// What both questions brought.
enum Asked {
    /// AAAA, A.
    Both(Answer, Answer),
    /// One has addresses before the other has an answer.
    Early(Found),
}

impl Names {
    /// Asks `servers`, or where there are none those of the system's configuration.
    ///
    /// # Errors
    /// A sentence, where the resolver cannot be set up at all.
    pub(crate) fn new(servers: &[SocketAddr]) -> Result<Arc<Self>, String> {
        if servers.is_empty() {
            return Self::system();
        }
        let config = ResolverConfig::from_parts(None, vec![], servers.iter().map(name_server).collect());
        Self::with(config, ResolverOpts::default(), Hosts::from_system().unwrap_or_default())
    }

    /// Reads the system's configuration.
    ///
    /// # Errors
    /// A sentence, where the resolver cannot be set up at all. A missing or empty `resolv.conf` is no error: names
    /// from the hosts file and addresses still work, and every other name is `ResolverFailed`.
    fn system() -> Result<Arc<Self>, String> {
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
        let port = |server: &NameServerConfig| server.connections.first().map_or(PORT, |first| first.port);
        let servers =
            config.name_servers().iter().map(|server| SocketAddr::new(server.ip, port(server))).collect();
        let resolver = Resolver::builder_with_config(config, TokioRuntimeProvider::default())
            .with_options(options)
            .build()
            .map_err(|error| format!("cannot set up the name resolver: {error}"))?;
        Ok(Arc::new(Self { resolver, hosts, root: Mutex::new(None), servers }))
    }

    /// The name servers asked, for `check`.
    pub(crate) fn servers(&self) -> &[SocketAddr] {
        &self.servers
    }

    /// The addresses of a URL's host, at least one, IPv6 first, the families in turn.
    pub(crate) async fn addresses(&self, host: Host<&str>) -> Result<Found, NameFault> {
        match host {
            Host::Ipv4(address) => Ok(Found::all(vec![address.into()])),
            Host::Ipv6(address) => Ok(Found::all(vec![address.into()])),
            Host::Domain(name) => self.domain(name).await,
        }
    }

    async fn domain(&self, host: &str) -> Result<Found, NameFault> {
        let mut name = Name::from_ascii(host).map_err(|_| NameFault::NoSuchName)?;
        // Never completed by the system's search domains: the listing's name is the whole name.
        name.set_fqdn(true);
        let known = self.in_hosts_file(&name);
        if !known.is_empty() {
            return Ok(Found::all(known));
        }
        match self.ask_both(&name).await {
            Asked::Early(found) => Ok(found),
            Asked::Both(v6, v4) => self.judge(v6, v4).await.map(Found::all),
        }
    }

    async fn judge(&self, v6: Answer, v4: Answer) -> Result<Vec<IpAddr>, NameFault> {
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

    /// Asks for both families at once. The first that has addresses is used at once, save that AAAA is given a moment
    /// after A; the other may follow, since some name servers never answer for one of them.
    async fn ask_both(&self, name: &Name) -> Asked {
        let mut v6 = self.ask(name.clone(), RecordType::AAAA);
        let mut v4 = self.ask(name.clone(), RecordType::A);
        tokio::select! {
            first = &mut v6 => match first {
                Answer::Addresses(found) => Asked::Early(Found::first(found, addresses(v4))),
                first => Asked::Both(first, v4.await),
            },
            second = &mut v4 => match second {
                Answer::Addresses(found) => match tokio::time::timeout(RESOLUTION_DELAY, &mut v6).await {
                    Ok(first) => Asked::Both(first, Answer::Addresses(found)),
                    Err(_) => Asked::Early(Found::first(found, addresses(v6))),
                },
                second => Asked::Both(v6.await, second),
            },
        }
    }

    /// The answer to one question, wherever it is waited for.
    fn ask(&self, name: Name, record_type: RecordType) -> BoxFuture<'static, Answer> {
        let resolver = self.resolver.clone();
        async move { answer(resolver.lookup(name, record_type).await) }.boxed()
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

fn answer(looked_up: Result<Lookup, NetError>) -> Answer {
    match looked_up {
        Ok(lookup) => {
            let found: Vec<IpAddr> = lookup.answers().iter().filter_map(|record| ip(&record.data)).collect();
            if found.is_empty() { Answer::NoRecord } else { Answer::Addresses(found) }
        }
        Err(NetError::Dns(DnsError::NoRecordsFound(none))) => match none.response_code {
            ResponseCode::NXDomain => Answer::NoSuchName,
            ResponseCode::NoError => Answer::NoRecord,
            ResponseCode::Refused | ResponseCode::NotImp => Answer::Refused,
            _ => Answer::Trouble,
        },
        Err(NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused | ResponseCode::NotImp))) => {
            Answer::Refused
        }
        Err(_) => Answer::Trouble,
    }
}

/// What an answer that comes later still adds.
async fn addresses(asked: BoxFuture<'static, Answer>) -> Vec<IpAddr> {
    match asked.await {
        Answer::Addresses(found) => found,
        _ => Vec::new(),
    }
}

/// A name server that is asked over UDP, and over TCP where its answer does not fit.
fn name_server(address: &SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    server.connections.iter_mut().for_each(|connection| connection.port = address.port());
    server
}

fn ip(data: &RData) -> Option<IpAddr> {
    match data {
        RData::A(address) => Some(address.0.into()),
        RData::AAAA(address) => Some(address.0.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
