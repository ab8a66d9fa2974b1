//! What a transport brings back.

use crate::methodology::limits::HEADER_BYTES;

/// The end of one request: a response, or why there is none.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Milliseconds from the start of the probe to the start of this request (of its name resolution).
    pub started_ms: u32,
    /// Milliseconds from the start of the probe to the end of the answer (for a stream: the event with our id).
    pub ended_ms: u32,
    pub outcome: Result<Response, Fault>,
}

/// An HTTP response. Build its body with [`super::intake::Intake`].
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub headers: Headers,
    pub body: Body,
}

/// Response headers: lower-case names, values as text with invalid bytes replaced. A value beyond
/// `methodology::limits::HEADER_BYTES` is kept as an empty one: a part of a URL or of a session id is worth nothing.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    fields: Vec<(String, String)>,
}

impl Headers {
    /// Takes fields in the order received.
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let fields = fields
            .into_iter()
            .map(|(name, value)| {
                let value =
                    if value.len() > HEADER_BYTES { "".into() } else { String::from_utf8_lossy(value) };
                (name.to_ascii_lowercase(), value.trim().to_owned())
            })
            .collect();
        Self { fields }
    }

    /// Every value under this lower-case name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// The first value under this lower-case name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Whether the first value under this lower-case name equals `value`, letter case apart.
    #[must_use]
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.get(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    }
}

/// The body as far as it was read.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Decoded bytes of a body that is no event stream.
    pub bytes: Vec<u8>,
    pub end: BodyEnd,
    /// Decoded bytes read, of whatever kind.
    pub length: usize,
    /// What was read of an event stream.
    pub(crate) stream: Option<super::intake::Stream>,
}

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyEnd {
    /// The body ended as HTTP says.
    #[default]
    Complete,
    /// We had what we needed and stopped.
    Enough,
    /// Our cap was reached.
    Capped,
    /// The connection closed or was reset before the end.
    Broken,
    /// The request's deadline passed.
    TimedOut,
    /// The content encoding does not decode.
    Undecodable,
}

/// No response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// How far the request came, where the transport can tell.
    pub phase: Option<crate::outcome::Phase>,
}

/// What went wrong before a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The request's deadline (or the connect deadline) passed.
    Timeout,
    /// NXDOMAIN.
    NoSuchName,
    /// The name exists and has no A or AAAA record.
    NoAddress,
    /// Our resolver works and cannot resolve this name: SERVFAIL or silence, while it answers for the root.
    DeadDelegation,
    /// Our resolver does not work: it does not answer for the root either.
    ResolverFailed,
    /// Every address (or the URL itself) is refused by the address rules.
    PrivateAddress,
    /// Plain http, which only local runs may use.
    NotHttps,
    /// Only IPv6 addresses, and this vantage has none.
    NoIpv6,
    ConnectionRefused,
    Unreachable,
    /// Reset before any byte of an answer.
    ConnectionReset,
    /// The connection was lost before any answer; this vantage cannot tell how.
    ConnectionLost,
    /// This machine could not send: no route at all, no file descriptor.
    LocalNetwork,
    /// The certificate is not acceptable.
    Certificate(CertificateFault),
    /// The TLS handshake failed.
    TlsHandshake,
    /// The handshake failed after the server asked for a client certificate (alert 116, 40 or 42).
    ClientCertificate,
    /// The other side does not speak TLS.
    NotTls,
    /// Closed without a byte of an answer.
    EmptyReply,
    /// Closed within the status line or headers.
    PartialHeaders,
    /// The bytes are not HTTP.
    NotHttp,
    /// Headers beyond what the HTTP library takes.
    HeadersTooLarge,
    /// The runtime does not tell what happened.
    Unclear,
    /// A fault of our own code or platform.
    Internal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateFault {
    Expired,
    NotYetValid,
    WrongHost,
    UnknownIssuer,
    /// The chain does not lead to a root we trust because an intermediate is missing.
    IncompleteChain,
    Other,
}
