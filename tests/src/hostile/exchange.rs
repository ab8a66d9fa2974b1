//! One request and the connection it came over: everything a behaviour can do about it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;
use socket2::SockRef;

use super::good;
use super::request::{Kind, Request};
use super::trap;

pub const JSON: (&str, &str) = ("Content-Type", "application/json");
pub const EVENTS: (&str, &str) = ("Content-Type", "text/event-stream");
/// Between two pieces of what drips.
pub const DRIP: Duration = Duration::from_millis(20);

/// One request to answer.
pub struct Exchange<'a> {
    pub request: Request,
    /// How many requests this behaviour has had on this server, this one included.
    pub number: usize,
    stream: &'a mut TcpStream,
    closed: bool,
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(request: Request, number: usize, stream: &'a mut TcpStream) -> Self {
        Self { request, number, stream, closed: false }
    }

    /// Whether the connection is not to be used again.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The endpoint's URL, as the client knows it.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}/{}", self.authority(), self.request.behaviour())
    }

    /// Host and port of the endpoint, as the client knows them.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.request.header("host").unwrap_or_default()
    }

    /// The port of both.
    #[must_use]
    pub fn port(&self) -> &str {
        self.authority().rsplit_once(':').map_or("", |(_, port)| port)
    }

    /// Fills in a text: `{base}` is the endpoint's URL, `{host}` its host and port, `{path}` its path, `{trap}` host
    /// and port where no probe may go, `{port}` the port of both, `{astray}` the path no request may be for.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        text.replace("{base}", &self.base())
            .replace("{host}", self.authority())
            .replace("{path}", &format!("/{}", self.request.behaviour()))
            .replace("{trap}", &format!("{}:{}", trap::ADDRESS, self.port()))
            .replace("{port}", self.port())
            .replace("{astray}", trap::ASTRAY)
    }

    /// These bytes and no more.
    ///
    /// # Errors
    /// Where the client is gone, as of every method here.
    pub fn raw(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// An answer whose length is given.
    pub fn answer(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> io::Result<()> {
        let body = body.as_ref();
        let mut bytes = head(status, headers);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        self.raw(bytes)
    }

    /// 200 and this JSON.
    pub fn json(&mut self, value: &Value) -> io::Result<()> {
        self.answer(200, &[JSON], value.to_string())
    }

    /// 200, the result of our request.
    pub fn result(&mut self, result: &Value) -> io::Result<()> {
        let answer = good::answer(&self.request.id(), result);
        self.json(&answer)
    }

    /// The head of an answer that ends with the connection.
    pub fn open(&mut self, status: u16, headers: &[(&str, &str)]) -> io::Result<()> {
        self.closed = true;
        let mut bytes = head(status, headers);
        bytes.extend_from_slice(b"Connection: close\r\n\r\n");
        self.raw(bytes)
    }

    /// The head of an event stream that ends with the connection.
    pub fn open_stream(&mut self) -> io::Result<()> {
        self.open(200, &[EVENTS])
    }

    /// One event.
    pub fn event(&mut self, message: &Value) -> io::Result<()> {
        self.raw(format!("event: message\ndata: {message}\n\n"))
    }

    /// The same bytes until the client has enough.
    pub fn endless(&mut self, piece: impl AsRef<[u8]>) -> io::Result<()> {
        let piece = piece.as_ref();
        let many = piece.repeat((64 * 1024 / piece.len().max(1)).max(1));
        loop {
            self.raw(&many)?;
        }
    }

    /// The same bytes with a pause behind each, until the client has enough.
    pub fn drip(&mut self, piece: impl AsRef<[u8]>) -> io::Result<()> {
        let piece = piece.as_ref();
        while !self.client_left_within(Some(DRIP))? {
            self.raw(piece)?;
        }
        Ok(())
    }

    /// Nothing more, until the client has enough.
    pub fn hang(&mut self) -> io::Result<()> {
        while !self.client_left_within(None)? {}
        Ok(())
    }

    fn client_left_within(&mut self, limit: Option<Duration>) -> io::Result<bool> {
        self.closed = true;
        self.stream.set_read_timeout(limit)?;
        match self.stream.read(&mut [0; 1024]) {
            Ok(0) => Ok(true),
            Ok(_) => Ok(false),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// No further use of this connection; what was written still arrives.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Says that nothing more will come, and goes on listening.
    pub fn half_close(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        self.hang()
    }

    /// Resets the connection; what was written before has been sent.
    pub fn reset(&mut self) -> io::Result<()> {
        self.closed = true;
        SockRef::from(&*self.stream).set_linger(Some(Duration::ZERO))
    }

    /// What an honest endpoint answers.
    pub fn good(&mut self) -> io::Result<()> {
        let id = self.request.id();
        match self.good_result() {
            Some(result) => self.json(&good::answer(&id, &result)),
            None => match self.request.kind() {
                Kind::Initialized => self.answer(202, &[], ""),
                Kind::EndSession => self.answer(200, &[], ""),
                _ => self.answer(404, &[("Content-Type", "text/plain")], "Not Found"),
            },
        }
    }

    /// The result in an honest answer; None where there is none.
    #[must_use]
    pub fn good_result(&self) -> Option<Value> {
        match self.request.kind() {
            Kind::Initialize => Some(good::initialize("hostile")),
            Kind::ToolsList => Some(good::tools(&["look"])),
            _ => None,
        }
    }

    /// The honest JSON-RPC answer to a request that has one.
    #[must_use]
    pub fn good_answer(&self) -> Value {
        good::answer(&self.request.id(), &self.good_result().unwrap_or_default())
    }

    /// What an honest endpoint answers that asks for authorization and publishes both documents.
    pub fn gated(&mut self) -> io::Result<()> {
        let base = self.base();
        match self.request.kind() {
            Kind::ResourceMetadata => self.json(&good::resource_metadata(&base)),
            Kind::AuthorizationServer => self.json(&good::authorization_server(&base)),
            Kind::Initialize => self.answer(401, &[("WWW-Authenticate", "Bearer")], ""),
            _ => self.good(),
        }
    }
}

fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Hostile\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    bytes
}
