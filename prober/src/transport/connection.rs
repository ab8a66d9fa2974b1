//! One open HTTP connection, of either version, with what is needed to tell how it ended.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioExecutor;
use shared::outcome::Phase;
use shared::probe::{Fault, FaultKind};
use tokio::task::JoinHandle;

use super::connect::raised;
use super::fault::{self, at};
use super::meter::Meter;

/// The header fields we take at most.
const HEADER_BLOCK_BYTES: usize = 64 * 1024;
/// How far each HTTP/1 connection's read buffer grows. The library refuses what is still not whole at that size, and
/// takes what has become whole by the read that crosses it: beyond the block itself, so that a block is judged by its
/// size and never by how its bytes happened to arrive.
const READ_BUFFER_BYTES: usize = HEADER_BLOCK_BYTES + 32 * 1024;
/// What a field takes besides its name and value: a colon, a blank and the end of the line.
const AROUND_A_FIELD_BYTES: usize = 4;
/// Header fields of one answer; the block's size is what really bounds them.
const MOST_HEADERS: usize = 1_000;
/// What may come over the wire for one answer besides its body: interim answers, headers, frames, trailers.
const AROUND_THE_BODY_BYTES: u64 = 1024 * 1024;
/// What may come over the wire for each byte of the body: chunks of one byte each take six.
const WIRE_PER_BODY_BYTE: u64 = 8;
/// What a server may send ahead of our reading on HTTP/2.
const WINDOW_BYTES: u32 = 256 * 1024;
/// The rest of a body that is read away so that the connection can be used again.
const LEFTOVER_BYTES: usize = 64 * 1024;
/// How long that may take.
const LEFTOVER_WAIT: Duration = Duration::from_millis(50);

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// An open connection and the task that drives it, which ends with it.
pub(super) struct Connection {
    sender: Sender,
    driver: Driver,
    meter: Meter,
    /// The server asked for a client certificate.
    asked: Arc<AtomicBool>,
    requests: u32,
    /// The body of the last answer, where its end was not reached.
    leftover: Option<Incoming>,
}

/// Aborts the task when dropped: an abandoned exchange must not live on.
struct Driver(JoinHandle<Result<(), hyper::Error>>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    pub(super) async fn http_1<S>(stream: S, meter: Meter, asked: Arc<AtomicBool>) -> Result<Self, Fault>
    where
        S: Read + Write + Unpin + Send + 'static,
    {
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(READ_BUFFER_BYTES)
            .max_headers(MOST_HEADERS)
            // RFC 9112, section 5.2, has clients read a field over several lines as one.
            .allow_obsolete_multiline_headers_in_responses(true)
            .handshake(stream)
            .await
            .map_err(|error| fault::of_exchange(&error, meter.tls_fault(), raised(&asked), meter.read()))?;
        let driver = Driver(tokio::spawn(connection));
        Ok(Self { sender: Sender::Http1(sender), driver, meter, asked, requests: 0, leftover: None })
    }

    pub(super) async fn http_2<S>(stream: S, meter: Meter, asked: Arc<AtomicBool>) -> Result<Self, Fault>
    where
        S: Read + Write + Unpin + Send + 'static,
    {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .max_header_list_size(HEADER_BLOCK_BYTES as u32)
            .handshake(stream)
            .await
            .map_err(|error| fault::of_exchange(&error, meter.tls_fault(), raised(&asked), meter.read()))?;
        let driver = Driver(tokio::spawn(connection));
        Ok(Self { sender: Sender::Http2(sender), driver, meter, asked, requests: 0, leftover: None })
    }

    pub(super) fn is_http_2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// Sends one request and waits for the headers of its answer, of whose body `body_cap` bytes are wanted at most.
    pub(super) async fn send(
        &mut self,
        request: http::Request<Full<Bytes>>,
        body_cap: usize,
    ) -> Result<http::Response<Incoming>, Fault> {
        self.meter.allow(AROUND_THE_BODY_BYTES + WIRE_PER_BODY_BYTE * body_cap as u64);
        let before = if self.requests == 0 { 0 } else { self.meter.read() };
        self.requests += 1;
        let sent = match &mut self.sender {
            Sender::Http1(sender) => sender.send_request(request).await,
            Sender::Http2(sender) => sender.send_request(request).await,
        };
        match sent {
            Ok(response) if header_block(response.headers()) > HEADER_BLOCK_BYTES => {
                Err(at(Phase::Headers, FaultKind::HeadersTooLarge))
            }
            Ok(response) => Ok(response),
            Err(error) => Err(self.explain(error, before).await),
        }
    }

    /// A request that was never taken says nothing itself: the driver knows why it stopped.
    async fn explain(&mut self, error: hyper::Error, before: u64) -> Fault {
        let error = if error.is_canceled() || error.is_closed() {
            match (&mut self.driver.0).await {
                Ok(Err(driver)) => driver,
                Ok(Ok(())) => error,
                Err(_) => return at(Phase::Headers, FaultKind::Internal),
            }
        } else {
            error
        };
        if self.is_used_up() {
            return at(Phase::Headers, FaultKind::HeadersTooLarge);
        }
        let read = self.meter.read().saturating_sub(before);
        fault::of_exchange(&error, self.meter.tls_fault(), raised(&self.asked), read)
    }

    /// More came over the wire than the answer may take.
    pub(super) fn is_used_up(&self) -> bool {
        self.meter.is_used_up()
    }

    /// Keeps the unread rest of an answer, to be read away before the next request.
    pub(super) fn set_leftover(&mut self, body: Incoming) {
        self.leftover = Some(body);
    }

    /// Whether another request can be sent now. Reads away a short rest of the last answer first.
    pub(super) async fn is_usable(&mut self) -> bool {
        let leftover = self.leftover.take();
        let ready = async {
            match &mut self.sender {
                Sender::Http1(sender) => {
                    if let Some(body) = leftover
                        && !read_away(body).await
                    {
                        return false;
                    }
                    sender.ready().await.is_ok()
                }
                Sender::Http2(sender) => sender.ready().await.is_ok(),
            }
        };
        tokio::time::timeout(LEFTOVER_WAIT, ready).await.unwrap_or(false)
    }
}

/// The bytes of these fields.
fn header_block(fields: &HeaderMap) -> usize {
    fields.iter().map(|(name, value)| name.as_str().len() + value.len() + AROUND_A_FIELD_BYTES).sum()
}

/// Reads a body to its end; false where there is none in reach.
async fn read_away(mut body: Incoming) -> bool {
    let mut left = LEFTOVER_BYTES;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return false;
        };
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}
