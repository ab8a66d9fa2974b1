//! Turns the machine's requests into HTTP and what comes back into its replies.
//!
//! One `Transport` serves one probe: names are resolved once, checked, and connected to exactly as checked; nothing
//! is shared with another probe but the TLS configuration. No redirect is followed, no cookie kept, no proxy used.

mod body;
mod connect;
mod connection;
mod fault;
mod gaps;
mod meter;
mod tls;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http_body_util::Full;
use shared::methodology::USER_AGENT;
use shared::outcome::Phase;
use shared::probe::{BodyEnd, Fault, FaultKind, Headers, Intake, Method, Reply, Request, Response};
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use crate::address_guard::Guard;
use crate::resolve::{Found, Names};
pub(crate) use connect::Peer;
use connection::Connection;
use fault::at;
pub(crate) use gaps::HostGaps;
pub(crate) use tls::Tls;

/// Addresses of one name, or of one family of it where they come apart, that are tried: a name with thousands shall not make us knock at all of them.
const MOST_ADDRESSES: usize = 8;

/// What all probes of a process share.
#[derive(Clone)]
pub(crate) struct Vantage {
    pub(crate) names: Arc<Names>,
    pub(crate) tls: Tls,
    pub(crate) gaps: HostGaps,
    /// Which addresses may be connected to.
    pub(crate) guard: Guard,
}

/// The transport of one probe.
pub(crate) struct Transport {
    vantage: Arc<Vantage>,
    /// The start of the probe: of the first request's name resolution.
    start: Option<Instant>,
    resolved: HashMap<String, Result<Found, Fault>>,
    kept: Option<(Origin, Connection)>,
    peer: Option<Peer>,
    /// A kept connection was found closed by a request that was sent on it: from then on none is kept.
    lost_one: bool,
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin(String);

impl Origin {
    fn of(url: &Url) -> Self {
        Self(url.origin().ascii_serialization())
    }
}

impl Transport {
    pub(crate) fn new(vantage: Arc<Vantage>) -> Self {
        Self { vantage, start: None, resolved: HashMap::new(), kept: None, peer: None, lost_one: false }
    }

    /// Where the last request went, if a connection came up.
    pub(crate) fn peer(&self) -> Option<Peer> {
        self.peer
    }

    /// Sends one request and brings back whatever came of it.
    pub(crate) async fn send(&mut self, request: &Request) -> Reply {
        let waited = self.keep_distance(request).await;
        let now = Instant::now();
        let start = *self.start.get_or_insert(now);
        let outcome = match waited {
            Ok(()) => self.exchange(request, now).await,
            Err(fault) => Err(fault),
        };
        Reply { started_ms: milliseconds(start, now), ended_ms: milliseconds(start, Instant::now()), outcome }
    }

    /// Waits for its turn at a host this probe has not been to, the endpoint's own excepted.
    async fn keep_distance(&mut self, request: &Request) -> Result<(), Fault> {
        let now = Instant::now();
        let host = request.url.host_str().unwrap_or("");
        let first = self.start.is_none();
        if first {
            self.vantage.gaps.note(host, now);
        } else if !self.resolved.contains_key(host) {
            let turn = self.vantage.gaps.reserve(host, now);
            if turn - now > Duration::from_millis(u64::from(request.deadline_ms)) {
                return Err(at(Phase::Dns, FaultKind::Timeout));
            }
            tokio::time::sleep_until(turn).await;
        }
        Ok(())
    }

    async fn exchange(&mut self, request: &Request, now: Instant) -> Result<Response, Fault> {
        let after = |ms: u32| now + Duration::from_millis(u64::from(ms));
        let deadline = after(request.deadline_ms);
        let connect_deadline = deadline.min(after(request.connect_ms));
        let origin = Origin::of(&request.url);
        if let Some(connection) = self.reusable(request, &origin).await {
            match self.exchange_over(connection, request, &origin, deadline).await {
                Err(fault) if may_go_again(request, fault) => {
                    self.lost_one = true;
                    let connection =
                        self.new_connection(request, connect_deadline).await.map_err(|_| fault)?;
                    // What a second loss is called depends on the first.
                    return self
                        .exchange_over(connection, request, &origin, deadline)
                        .await
                        .map_err(|_| fault);
                }
                outcome => return outcome,
            }
        }
        let connection = self.new_connection(request, connect_deadline).await?;
        self.exchange_over(connection, request, &origin, deadline).await
    }

    async fn exchange_over(
        &mut self,
        mut connection: Connection,
        request: &Request,
        origin: &Origin,
        deadline: Instant,
    ) -> Result<Response, Fault> {
        let message = message(request, connection.is_http_2())?;
        let response = timeout_at(deadline, connection.send(message, request.body_cap()))
            .await
            .map_err(|_| at(Phase::Headers, FaultKind::Timeout))??;
        let (parts, incoming) = response.into_parts();
        let fields = parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let headers = Headers::new(fields);
        let status = parts.status.as_u16();
        let intake = Intake::new(request, status, &headers);
        let (mut body, rest) = body::read(incoming, &headers, intake, deadline).await;
        if connection.is_used_up() && matches!(body.end, BodyEnd::Broken | BodyEnd::Undecodable) {
            body.end = BodyEnd::Capped;
        }
        if let Some(rest) = rest {
            connection.set_leftover(rest);
        }
        self.kept = Some((origin.clone(), connection));
        Ok(Response { status, headers, body })
    }

    /// The kept connection, where it is asked for and still good.
    async fn reusable(&mut self, request: &Request, origin: &Origin) -> Option<Connection> {
        let (kept_origin, mut connection) = self.kept.take()?;
        let wanted = request.connection == shared::probe::Connection::Reuse && kept_origin == *origin;
        if !wanted || self.lost_one || !connection.is_usable().await {
            return None;
        }
        self.peer = self.peer.map(|peer| Peer { reused: true, ..peer });
        Some(connection)
    }

    async fn new_connection(&mut self, request: &Request, deadline: Instant) -> Result<Connection, Fault> {
        self.peer = None;
        let addresses = self.addresses(&request.url, deadline).await?;
        let (connection, peer) = connect::open(&request.url, &addresses, &self.vantage.tls, deadline).await?;
        self.peer = Some(peer);
        Ok(connection)
    }

    /// The addresses of the URL's host that may be connected to; the name is resolved once a probe.
    async fn addresses(&mut self, url: &Url, deadline: Instant) -> Result<Found, Fault> {
        let refused = at(Phase::Dns, FaultKind::PrivateAddress);
        let guard = self.vantage.guard;
        if url.scheme() != "https" && !(url.scheme() == "http" && guard.allows_private()) {
            return Err(Fault { kind: FaultKind::NotHttps, phase: None });
        }
        let host = url.host().ok_or(refused)?;
        let key = url.host_str().unwrap_or("").to_owned();
        if let Some(known) = self.resolved.get(&key) {
            return known.clone();
        }
        let admitted = move |addresses: Vec<IpAddr>| {
            addresses.into_iter().filter(|address| guard.admits(*address)).take(MOST_ADDRESSES).collect()
        };
        let resolve = async {
            let found = self.vantage.names.addresses(host).await.map_err(fault::of_name)?;
            let found = found.only(admitted).await;
            if found.first.is_empty() { Err(refused) } else { Ok(found) }
        };
        let resolved = timeout_at(deadline, resolve).await.map_err(|_| at(Phase::Dns, FaultKind::Timeout))?;
        self.resolved.insert(key, resolved.clone());
        resolved
    }
}

/// Whether a request that was sent on a kept connection may go over a new one: a server may close an idle connection
/// at any moment, and our request then crosses its farewell. Nothing came, so nobody can say that it was taken; all of
/// our requests may be taken twice, save the end of a session, which some servers do not survive.
fn may_go_again(request: &Request, fault: Fault) -> bool {
    request.method != Method::Delete
        && matches!(fault.kind, FaultKind::EmptyReply | FaultKind::ConnectionReset)
}

fn milliseconds(from: Instant, to: Instant) -> u32 {
    u32::try_from((to - from).as_millis()).unwrap_or(u32::MAX)
}

/// The request as it goes out: the machine's headers, and the four every request has.
fn message(request: &Request, http_2: bool) -> Result<http::Request<Full<Bytes>>, Fault> {
    let url = &request.url;
    let target = if http_2 { without_fragment(url) } else { origin_form(url) };
    let body = request.body.clone().map(Bytes::from).unwrap_or_default();
    let mut message = http::Request::builder().method(request.method.word()).uri(target);
    if !http_2 {
        message = message.header(header::HOST, authority(url));
    }
    message = message
        .header(header::USER_AGENT, HeaderValue::from_static(USER_AGENT))
        .header(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPT_ENCODING));
    for (name, value) in &request.headers {
        message = message.header(*name, value.as_str());
    }
    // Content-Length comes from the body's exact size.
    message.body(Full::new(body)).map_err(|_| at(Phase::Headers, FaultKind::Internal))
}

/// The encodings we decode.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br";

fn origin_form(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

fn without_fragment(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), authority(url), origin_form(url))
}

/// Host and, where it is not the scheme's own, port.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
