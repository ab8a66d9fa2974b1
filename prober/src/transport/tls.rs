//! The TLS client: one configuration for the process, and a look at what a failed handshake was about.
//!
//! Roots are the public ones, the same on every machine. Nothing is resumed from one connection to the next, so that
//! every probe does what a new client does.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ResolvesClientCert, Resumption, WebPkiServerVerifier};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use webpki::EndEntityCert;

use crate::small_file;
use crate::worker_clock::WorkerClock;

/// Offered in this order (RFC 7301).
pub(super) const HTTP_2: &[u8] = b"h2";
const HTTP_1_1: &[u8] = b"http/1.1";

/// What every TLS connection starts from.
#[derive(Clone)]
pub(crate) struct Tls {
    config: ClientConfig,
}

impl Tls {
    /// `trust` is a PEM file with further authorities; certificates are valid or not by `clock`.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong with it.
    pub(crate) fn new(trust: Option<&Path>, clock: Arc<WorkerClock>) -> Result<Self, String> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some(path) = trust {
            add_authorities(&mut roots, path)?;
        }
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
            .build()
            .map_err(|error| format!("cannot set up certificate checks: {error}"))?;
        let mut config = ClientConfig::builder_with_details(provider, clock)
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("cannot set up TLS: {error}"))?
            // Not weaker than the standard one: `ChainVerifier` asks it and only words its refusal more precisely.
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(ChainVerifier(verifier)))
            .with_no_client_auth();
        config.alpn_protocols = vec![HTTP_2.to_vec(), HTTP_1_1.to_vec()];
        config.resumption = Resumption::disabled();
        Ok(Self { config })
    }

    /// For calls to the Worker: the same roots, and connections that may be kept.
    pub(crate) fn for_the_worker(&self) -> ClientConfig {
        let mut config = self.config.clone();
        config.resumption = Resumption::default();
        config
    }

    /// A configuration for one connection, and the flag it raises when the server asks for a client certificate.
    pub(super) fn for_one_connection(&self) -> (Arc<ClientConfig>, Arc<AtomicBool>) {
        let asked = Arc::new(AtomicBool::new(false));
        let mut config = self.config.clone();
        config.client_auth_cert_resolver = Arc::new(AskedForCertificate(asked.clone()));
        (Arc::new(config), asked)
    }
}

fn add_authorities(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let name = path.display();
    let text = small_file::whole(path).map_err(|fault| format!("trust: {fault}"))?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("trust: cannot read certificates from {name}: {error}"))?;
    if certificates.is_empty() {
        return Err(format!("trust: {name} holds no certificate in PEM form"));
    }
    for certificate in certificates {
        roots
            .add(certificate)
            .map_err(|error| format!("trust: a certificate in {name} is not usable: {error}"))?;
    }
    Ok(())
}

/// Has no certificate, and notes that one was asked for.
#[derive(Debug)]
struct AskedForCertificate(Arc<AtomicBool>);

impl ResolvesClientCert for AskedForCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.store(true, Ordering::Relaxed);
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// No certificate the server sent issued its own one, and we do not know that issuer.
#[derive(Debug, thiserror::Error)]
#[error("an intermediate certificate is missing")]
pub(super) struct MissingIntermediate;

/// The standard verification, with a missing intermediate told apart from an issuer nobody trusts.
#[derive(Debug)]
struct ChainVerifier(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for ChainVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verdict {
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer))
                if issuer_is_missing(end_entity, intermediates) =>
            {
                let missing = OtherError(Arc::new(MissingIntermediate));
                Err(Error::InvalidCertificate(CertificateError::Other(missing)))
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Whether the certificate is signed by somebody else whose certificate was not sent along.
fn issuer_is_missing(end_entity: &CertificateDer<'_>, intermediates: &[CertificateDer<'_>]) -> bool {
    let Ok(end_entity) = EndEntityCert::try_from(end_entity) else {
        return false;
    };
    let issuer = end_entity.issuer();
    let sent = |certificate: &CertificateDer<'_>| {
        EndEntityCert::try_from(certificate).is_ok_and(|certificate| certificate.subject() == issuer)
    };
    end_entity.subject() != issuer && !intermediates.iter().any(sent)
}
