//! The words of the explanation for what the machine's types only name.

use shared::outcome::Phase;
use shared::probe::{BodyEnd, CertificateFault, FaultKind, Purpose, Reply, Request};

/// What a request is for.
pub(super) const fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Initialize => "Open the conversation: initialize",
        Purpose::Discover => "Open the conversation: server/discover",
        Purpose::Initialized => "Complete the handshake: notifications/initialized",
        Purpose::ToolsList => "Ask which tools there are: tools/list",
        Purpose::EndSession => "End the session the server opened",
        Purpose::ResourceMetadata => "Read the front door: protected-resource metadata",
        Purpose::AuthorizationServer => "Read the front door: authorization-server metadata",
    }
}

/// A phase, to be read after "while".
pub(super) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Dns => "resolving the name",
        Phase::Connect => "connecting",
        Phase::Tls => "setting up TLS",
        Phase::Headers => "waiting for the headers",
        Phase::Body => "reading the body",
    }
}

/// How reading a body ended.
pub(super) const fn body_end(end: BodyEnd) -> &'static str {
    match end {
        BodyEnd::Complete => "to its end",
        BodyEnd::Enough => "which was all we needed",
        BodyEnd::Capped => "then our size limit was reached",
        BodyEnd::Broken => "then the connection closed early",
        BodyEnd::TimedOut => "then the time was up",
        BodyEnd::Undecodable => "then its encoding did not decode",
    }
}

/// Why there is no response.
pub(super) const fn fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Timeout => "the time was up",
        FaultKind::NoSuchName => "the name does not exist",
        FaultKind::NoAddress => "the name has no address",
        FaultKind::DeadDelegation => "the name's servers do not answer, while ours does",
        FaultKind::ResolverFailed => "our own name resolver does not answer",
        FaultKind::PrivateAddress => {
            "the address is not public, so nothing was sent (--allow-private permits it)"
        }
        FaultKind::NotHttps => "the URL is not https, so nothing was sent (--allow-private permits it)",
        FaultKind::NoIpv6 => {
            "it has only IPv6 addresses and this machine has no IPv6 route, so nothing was sent"
        }
        FaultKind::ConnectionRefused => "the connection was refused",
        FaultKind::Unreachable => "the address cannot be reached",
        FaultKind::ConnectionReset => "the connection was reset before any byte came",
        FaultKind::ConnectionLost => "the connection was lost",
        FaultKind::LocalNetwork => "this machine could not send",
        FaultKind::Certificate(certificate) => certificate_fault(certificate),
        FaultKind::TlsHandshake => "the TLS handshake failed",
        FaultKind::ClientCertificate => "the server wants a client certificate",
        FaultKind::NotTls => "the port does not speak TLS",
        FaultKind::EmptyReply => "the connection closed without a byte of an answer",
        FaultKind::PartialHeaders => "the connection closed within the headers",
        FaultKind::NotHttp => "what came is not HTTP",
        FaultKind::HeadersTooLarge => "the headers exceed our size limit",
        FaultKind::Unclear => "it cannot be told what happened",
        FaultKind::Internal => "a fault of our own",
    }
}

const fn certificate_fault(fault: CertificateFault) -> &'static str {
    match fault {
        CertificateFault::Expired => "the certificate has expired",
        CertificateFault::NotYetValid => "the certificate is not valid yet",
        CertificateFault::WrongHost => "the certificate is for another host",
        CertificateFault::UnknownIssuer => "the certificate's issuer is not trusted",
        CertificateFault::IncompleteChain => {
            "the server does not send the certificate of its certificate's issuer"
        }
        CertificateFault::Other => "the certificate is not valid",
    }
}

/// What an answer meant, which shows in what the machine asks next.
pub(super) fn conclusion(request: &Request, reply: &Reply, next: Option<&Request>) -> &'static str {
    use Purpose::{
        AuthorizationServer, Discover, EndSession, Initialize, Initialized, ResourceMetadata, ToolsList,
    };
    let status = reply.outcome.as_ref().map(|response| response.status);
    let redirected = matches!(status, Ok(300..=399));
    match (request.purpose, next.map(|next| next.purpose)) {
        (now, Some(then)) if now == then && redirected => "a redirect on the same origin: followed",
        (Initialize, Some(Initialize)) => "asked again with a revision the server named",
        (Discover, Some(Discover)) => "asked again with the revision the server named",
        (Initialize, Some(Discover)) => "it may speak only the modern revision: asked for that",
        (Discover, Some(Initialize)) => {
            "it does not speak the modern revision: asked for the older handshake"
        }
        (Initialize | Discover, Some(Initialized | ToolsList)) => "a valid answer: the server speaks MCP",
        (Initialize | Discover, Some(ResourceMetadata | AuthorizationServer)) => {
            "it asks for authorization: looked at what its front door publishes, and no further"
        }
        (Initialized, Some(_)) if matches!(status, Ok(200..=299)) => "the handshake is complete",
        (Initialized, Some(_)) => "not accepted as it should be; went on",
        (ToolsList, Some(ToolsList)) => "a page of tools; another one follows",
        (ResourceMetadata, Some(ResourceMetadata)) => "not usable here: looked at the next documented place",
        (AuthorizationServer, Some(AuthorizationServer)) => {
            "not usable here: looked at the next documented place"
        }
        (ResourceMetadata, Some(AuthorizationServer)) => "it leads to the authorization server",
        (_, Some(EndSession)) => "everything is seen: ended the session",
        (EndSession, _) => "asked for politeness; the answer does not matter",
        (ResourceMetadata | AuthorizationServer, None) => "the look at the front door is over",
        (ToolsList, None) if matches!(status, Ok(200..=299)) => "the conversation is complete",
        (_, _) if reply.outcome.is_err() => "there is no answer to judge",
        (_, _) => "this answer decides",
    }
}
