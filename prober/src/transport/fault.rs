//! From the errors of sockets, TLS and HTTP to the faults the machine knows: by type and number, never by text.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError, InvalidMessage};
use shared::outcome::Phase;
use shared::probe::{CertificateFault, Fault, FaultKind};

use super::tls::MissingIntermediate;
use crate::resolve::NameFault;

/// A fault at a known phase.
pub(super) const fn at(phase: Phase, kind: FaultKind) -> Fault {
    Fault { kind, phase: Some(phase) }
}

/// Name resolution.
pub(super) fn of_name(fault: NameFault) -> Fault {
    let kind = match fault {
        NameFault::NoSuchName => FaultKind::NoSuchName,
        NameFault::NoAddress => FaultKind::NoAddress,
        NameFault::DeadDelegation => FaultKind::DeadDelegation,
        NameFault::ResolverFailed => FaultKind::ResolverFailed,
    };
    at(Phase::Dns, kind)
}

/// `connect(2)` to one address. Whether "network unreachable" is ours or theirs is for the caller, who can ask the
/// routing table.
pub(super) fn of_connect(error: &io::Error) -> FaultKind {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::ConnectionRefused => FaultKind::ConnectionRefused,
        Kind::ConnectionReset | Kind::ConnectionAborted => FaultKind::ConnectionReset,
        Kind::HostUnreachable | Kind::NetworkUnreachable => FaultKind::Unreachable,
        Kind::TimedOut => FaultKind::Timeout,
        Kind::NetworkDown | Kind::AddrNotAvailable | Kind::PermissionDenied | Kind::OutOfMemory => {
            FaultKind::LocalNetwork
        }
        _ => match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::EAGAIN) => FaultKind::LocalNetwork,
            _ => FaultKind::Internal,
        },
    }
}

/// The TLS handshake; `asked` is whether the server wanted a client certificate, `read` how many bytes it sent.
pub(super) fn of_tls(error: &io::Error, asked: bool, read: u64) -> FaultKind {
    if let Some(tls) = find::<rustls::Error>(error) {
        return of_rustls(tls, asked);
    }
    match error.kind() {
        // The server's own bytes decide: before any, this is the connection's fault and not the handshake's.
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe if read == 0 => FaultKind::ConnectionReset,
        _ => FaultKind::TlsHandshake,
    }
}

fn of_rustls(error: &rustls::Error, asked: bool) -> FaultKind {
    use AlertDescription as Alert;
    match error {
        rustls::Error::InvalidCertificate(certificate) => FaultKind::Certificate(of_certificate(certificate)),
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => FaultKind::NotTls,
        rustls::Error::AlertReceived(
            Alert::CertificateRequired | Alert::HandshakeFailure | Alert::BadCertificate,
        ) if asked => FaultKind::ClientCertificate,
        _ => FaultKind::TlsHandshake,
    }
}

fn of_certificate(error: &CertificateError) -> CertificateFault {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => CertificateFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::WrongHost
        }
        CertificateError::UnknownIssuer => CertificateFault::UnknownIssuer,
        CertificateError::Other(other) if other.0.downcast_ref::<MissingIntermediate>().is_some() => {
            CertificateFault::IncompleteChain
        }
        _ => CertificateFault::Other,
    }
}

/// A connection that is up and brought no complete headers; `tls` is the fault TLS ended with, `read` how many bytes
/// came since the request.
pub(super) fn of_exchange(
    error: &hyper::Error,
    tls: Option<&rustls::Error>,
    asked: bool,
    read: u64,
) -> Fault {
    if error.is_parse_too_large() {
        return at(Phase::Headers, FaultKind::HeadersTooLarge);
    }
    if error.is_parse() {
        return at(Phase::Headers, FaultKind::NotHttp);
    }
    // With TLS 1.3 a server refuses our side of the handshake only once we think it is over.
    if let Some(tls) = tls {
        // A server of HTTP/2 may have sent its settings before.
        return match of_rustls(tls, asked) {
            FaultKind::ClientCertificate => at(Phase::Tls, FaultKind::ClientCertificate),
            kind if read == 0 => at(Phase::Tls, kind),
            _ => at(Phase::Headers, FaultKind::PartialHeaders),
        };
    }
    if let Some(h2) = find::<h2::Error>(error) {
        // The server ended our stream or the connection in HTTP/2's own words: it speaks it, and did not answer.
        if h2.is_remote() {
            return at(Phase::Headers, FaultKind::EmptyReply);
        }
        if h2.is_library() {
            // Our HTTP library refused what came: more headers than it takes, or something else than HTTP/2.
            let too_much = h2.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM);
            return at(
                Phase::Headers,
                if too_much { FaultKind::HeadersTooLarge } else { FaultKind::NotHttp },
            );
        }
    }
    let socket = find::<io::Error>(error).map(io::Error::kind);
    let kind = match (read, socket) {
        (0, Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)) => FaultKind::ConnectionReset,
        (0, _) => FaultKind::EmptyReply,
        (_, Some(_)) => FaultKind::PartialHeaders,
        (_, None) if error.is_incomplete_message() => FaultKind::PartialHeaders,
        // What is left is bytes nobody asked for, such as the banner of another protocol.
        (_, None) => FaultKind::NotHttp,
    };
    at(Phase::Headers, kind)
}

/// The first error of this type in the chain of sources, inside `io::Error`s too.
pub(super) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        next = if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            // `source` of an io::Error skips the error it wraps.
            Some(inner)
        } else if let Some(socket) = error.downcast_ref::<h2::Error>().and_then(h2::Error::get_io) {
            Some(socket)
        } else {
            error.source()
        };
    }
    None
}
