//! What a transport brings back.

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

/// Response headers: lower-case names; values as text, invalid bytes replaced, each cut to 8 KiB.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    pub fields: Vec<(String, String)>,
    /// A value was longer than the cap.
    pub cut: bool,
}

/// The body as far as it was read.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Decoded bytes: the JSON text, or for an event stream the answer's data alone.
    pub bytes: Vec<u8>,
    pub end: BodyEnd,
    pub(crate) stream: Option<super::intake::StreamNotes>,
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
    /// Our resolver failed: SERVFAIL or no answer from it.
    ResolverFailed,
    /// Every address (or the URL itself) is refused by the address rules.
    PrivateAddress,
    /// Only IPv6 addresses, and this vantage has none.
    NoIpv6,
    ConnectionRefused,
    Unreachable,
    /// Reset before any byte of an answer.
    ConnectionReset,
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
