//! A finding: a class with its reason, phase and raw status, before the rest of the verdict is known.

use super::reply::{CertificateFault, Fault, FaultKind};
use crate::outcome::{Class, Phase, Reason};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) class: Class,
    pub(super) reason: Option<Reason>,
    pub(super) phase: Option<Phase>,
    pub(super) http_status: Option<u16>,
}

impl Finding {
    pub(super) const fn new(class: Class, reason: Option<Reason>, phase: Option<Phase>) -> Self {
        Self { class, reason, phase, http_status: None }
    }

    /// Told by status and headers.
    pub(super) const fn headers(class: Class, reason: Option<Reason>, status: u16) -> Self {
        Self { class, reason, phase: Some(Phase::Headers), http_status: Some(status) }
    }

    /// Whether the conversation stopped before a byte of the request was sent.
    pub(super) fn before_the_request(&self) -> bool {
        self.class == Class::Skipped || matches!(self.phase, Some(Phase::Dns | Phase::Connect | Phase::Tls))
    }

    /// Told by the body.
    pub(super) const fn body(class: Class, reason: Option<Reason>, status: u16) -> Self {
        Self { class, reason, phase: Some(Phase::Body), http_status: Some(status) }
    }
}

/// No response at all: whose fault, and which class. (methodology section 4; protocol 6.2, 7.3)
pub(super) fn from_fault(fault: Fault) -> Finding {
    let Fault { kind, phase } = fault;
    let (class, reason, fixed_phase) = match kind {
        FaultKind::Timeout => (Class::Timeout, None, None),
        FaultKind::NoSuchName => (Class::DnsFailure, Some(Reason::NoSuchName), Some(Phase::Dns)),
        FaultKind::NoAddress => (Class::DnsFailure, Some(Reason::NoAddress), Some(Phase::Dns)),
        FaultKind::DeadDelegation => (Class::DnsFailure, Some(Reason::DeadDelegation), Some(Phase::Dns)),
        // One resolver of ours that fails is no evidence about the name.
        FaultKind::ResolverFailed => (Class::VantageError, Some(Reason::ResolverFailed), Some(Phase::Dns)),
        FaultKind::PrivateAddress => (Class::Skipped, Some(Reason::PrivateAddress), Some(Phase::Dns)),
        FaultKind::NotHttps => (Class::Skipped, Some(Reason::NotHttps), None),
        FaultKind::NoIpv6 => (Class::Skipped, Some(Reason::NoIpv6), Some(Phase::Dns)),
        FaultKind::ConnectionRefused => {
            (Class::ConnectFailed, Some(Reason::ConnectionRefused), Some(Phase::Connect))
        }
        FaultKind::Unreachable => (Class::ConnectFailed, Some(Reason::Unreachable), Some(Phase::Connect)),
        FaultKind::ConnectionReset => (Class::ConnectFailed, Some(Reason::ConnectionReset), None),
        FaultKind::ConnectionLost => (Class::ConnectFailed, None, None),
        FaultKind::LocalNetwork => (Class::VantageError, Some(Reason::LocalNetwork), Some(Phase::Connect)),
        FaultKind::Certificate(certificate) => {
            (Class::TlsFailure, Some(certificate_reason(certificate)), Some(Phase::Tls))
        }
        FaultKind::TlsHandshake => (Class::TlsFailure, Some(Reason::TlsHandshake), Some(Phase::Tls)),
        FaultKind::ClientCertificate => (Class::Refused, Some(Reason::ClientCertificate), Some(Phase::Tls)),
        FaultKind::NotTls => (Class::TlsFailure, Some(Reason::NotTls), Some(Phase::Tls)),
        FaultKind::EmptyReply => (Class::Closed, Some(Reason::EmptyReply), Some(Phase::Headers)),
        FaultKind::PartialHeaders => (Class::Closed, Some(Reason::PartialAnswer), Some(Phase::Headers)),
        FaultKind::NotHttp => (Class::NotMcp, Some(Reason::NotHttp), Some(Phase::Headers)),
        FaultKind::HeadersTooLarge => (Class::TooLarge, Some(Reason::HeaderTooLarge), Some(Phase::Headers)),
        FaultKind::Unclear => (Class::VantageUnclear, None, None),
        FaultKind::Internal => (Class::VantageError, Some(Reason::Internal), None),
    };
    Finding::new(class, reason, fixed_phase.or(phase))
}

const fn certificate_reason(fault: CertificateFault) -> Reason {
    match fault {
        CertificateFault::Expired => Reason::CertificateExpired,
        CertificateFault::NotYetValid => Reason::CertificateNotYetValid,
        CertificateFault::WrongHost => Reason::CertificateWrongHost,
        CertificateFault::UnknownIssuer => Reason::CertificateUntrusted,
        CertificateFault::IncompleteChain => Reason::IncompleteChain,
        CertificateFault::Other => Reason::CertificateInvalid,
    }
}
