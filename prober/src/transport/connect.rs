//! From checked addresses to an open HTTP connection: TCP raced over the addresses, TLS, HTTP.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{FusedFuture, OptionFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use shared::outcome::Phase;
use shared::probe::{Fault, FaultKind};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::connection::Connection;
use super::fault::{self, at};
use super::meter::Metered;
use super::tls::{HTTP_2, Tls};
use crate::resolve::{Found, interleaved};

/// The next address is tried when one has not answered for this long (RFC 8305, section 5).
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Where the connection of the last request went, for the person who reads the explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) tls: bool,
    pub(crate) http_2: bool,
    /// An earlier request of the same probe had opened it.
    pub(crate) reused: bool,
}

/// Opens a connection to one of the addresses, all of them checked already, within `deadline`.
pub(super) async fn open(
    url: &Url,
    addresses: &Found,
    tls: &Tls,
    deadline: Instant,
) -> Result<(Connection, Peer), Fault> {
    let port = url.port_or_known_default().unwrap_or(0);
    let (tcp, address) = race(addresses, port, deadline).await?;
    // Votes wait for answers, not for full segments.
    let _ = tcp.set_nodelay(true);
    if url.scheme() == "https" {
        let (connection, http_2) = within(deadline, Phase::Tls, secure(url, tcp, tls)).await??;
        Ok((connection, Peer { address, tls: true, http_2, reused: false }))
    } else {
        let (stream, meter) = Metered::new(tcp);
        let connection = Connection::http_1(TokioIo::new(stream), meter, Arc::default()).await?;
        Ok((connection, Peer { address, tls: false, http_2: false, reused: false }))
    }
}

/// The step's outcome, or a timeout in its phase.
async fn within<T>(deadline: Instant, phase: Phase, step: impl Future<Output = T>) -> Result<T, Fault> {
    tokio::time::timeout_at(deadline, step).await.map_err(|_| at(phase, FaultKind::Timeout))
}

/// The addresses this machine has a route to.
fn with_a_route(addresses: &[IpAddr], port: u16) -> Vec<SocketAddr> {
    let all = addresses.iter().map(|&address| SocketAddr::new(address, port));
    all.filter(|address| address.is_ipv4() || has_route(*address)).collect()
}

/// Asks the routing table without sending anything: connecting a UDP socket only looks up the route.
fn has_route(address: SocketAddr) -> bool {
    let local: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    UdpSocket::bind((local, 0)).and_then(|socket| socket.connect(address)).is_ok()
}

/// The first connection that comes up (RFC 8305, section 5), or the fault that says most. Addresses that come late
/// join in.
async fn race(addresses: &Found, port: u16, deadline: Instant) -> Result<(TcpStream, SocketAddr), Fault> {
    let mut waiting = VecDeque::from(with_a_route(&addresses.first, port));
    let mut late = OptionFuture::from(addresses.late.clone()).fuse();
    let mut running = FuturesUnordered::new();
    let mut worst = None;
    loop {
        if running.is_empty() {
            running.extend(waiting.pop_front().map(attempt));
        }
        if running.is_empty() && late.is_terminated() {
            return Err(at(Phase::Connect, nothing_came_up(worst)));
        }
        tokio::select! {
            biased;
            Some(finished) = running.next() => match finished {
                Ok(connected) => return Ok(connected),
                Err(kind) => {
                    worst = worst.max(Some(Telling(kind)));
                    running.extend(waiting.pop_front().map(attempt));
                }
            },
            more = &mut late => {
                let more = with_a_route(&more.unwrap_or_default(), port);
                waiting = interleaved(more, waiting.into()).into();
            }
            () = tokio::time::sleep(ATTEMPT_DELAY), if !waiting.is_empty() => {
                running.extend(waiting.pop_front().map(attempt));
            }
            () = tokio::time::sleep_until(deadline) => {
                let silent = (!running.is_empty()).then_some(Telling(FaultKind::Timeout));
                return Err(at(Phase::Connect, nothing_came_up(worst.max(silent))));
            }
        }
    }
}

/// The fault that says most of those met. Where no attempt was made, there was no route to any address: an endpoint
/// that only has addresses of a family we lack is no failure of the endpoint.
fn nothing_came_up(worst: Option<Telling>) -> FaultKind {
    worst.map_or(FaultKind::NoIpv6, |Telling(kind)| kind)
}

/// The connection and where it leads: the socket itself does not know any more once it was reset.
async fn attempt(address: SocketAddr) -> Result<(TcpStream, SocketAddr), FaultKind> {
    TcpStream::connect(address).await.map(|stream| (stream, address)).map_err(|error| {
        // A router's "network unreachable" and a missing route of our own carry the same number.
        if error.kind() == io::ErrorKind::NetworkUnreachable && !has_route(address) {
            FaultKind::LocalNetwork
        } else {
            fault::of_connect(&error)
        }
    })
}

/// Orders the faults of several addresses: an answer from the other side says more than silence, and both say more
/// than a trouble of ours.
struct Telling(FaultKind);

impl Telling {
    fn rank(&self) -> u8 {
        match self.0 {
            FaultKind::ConnectionRefused => 4,
            FaultKind::ConnectionReset => 3,
            FaultKind::Unreachable => 2,
            FaultKind::Timeout => 1,
            _ => 0,
        }
    }
}

impl Ord for Telling {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Telling {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Telling {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Telling {}

/// TLS over the TCP stream, and HTTP of the version agreed on.
async fn secure(url: &Url, tcp: TcpStream, tls: &Tls) -> Result<(Connection, bool), Fault> {
    let name = server_name(url).ok_or(at(Phase::Tls, FaultKind::TlsHandshake))?;
    let (config, asked) = tls.for_one_connection();
    let (raw, raw_meter) = Metered::new(tcp);
    let stream = TlsConnector::from(config)
        .connect(name, raw)
        .await
        .map_err(|error| at(Phase::Tls, fault::of_tls(&error, raised(&asked), raw_meter.read())))?;
    let http_2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
    let (stream, meter) = Metered::secured(stream, asked.clone());
    let stream = TokioIo::new(stream);
    let connection = if http_2 {
        Connection::http_2(stream, meter, asked).await?
    } else {
        Connection::http_1(stream, meter, asked).await?
    };
    Ok((connection, http_2))
}

/// The name to ask for and to check: the URL's host, whatever address was connected to.
fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).ok(),
        Host::Ipv4(address) => Some(IpAddr::from(address).into()),
        Host::Ipv6(address) => Some(IpAddr::from(address).into()),
    }
}

pub(super) fn raised(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}
