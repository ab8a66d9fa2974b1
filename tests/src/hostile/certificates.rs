//! Certificates of every kind for endpoints on this machine, and TLS with them.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, OnceLock};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

/// The name that certificates are for unless they are for another.
const NAME: &str = "127.0.0.1";

/// An authority and one below it.
pub struct Authority {
    pub root: CertifiedIssuer<'static, KeyPair>,
    pub intermediate: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate with what is sent along, and its key.
pub type Chain = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);
/// A connection over TLS.
pub type Secure = StreamOwned<ServerConnection, TcpStream>;

impl Authority {
    fn new(name: &str) -> Self {
        let params = |rank: &str| {
            let mut params = CertificateParams::default();
            params.distinguished_name.push(DnType::CommonName, format!("{rank} of {name}"));
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params
        };
        let root = CertifiedIssuer::self_signed(params("Root"), key()).unwrap();
        let intermediate = CertifiedIssuer::signed_by(params("Intermediate"), key(), &root).unwrap();
        Self { root, intermediate }
    }

    /// For our host, signed by the root, changed in this way.
    #[must_use]
    pub fn leaf(&self, change: impl FnOnce(&mut CertificateParams)) -> Chain {
        signed(change, &self.root, &[])
    }

    /// For our host, signed by the intermediate, which is sent along or not.
    #[must_use]
    pub fn leaf_below(&self, sent_along: bool) -> Chain {
        let along = if sent_along { vec![self.intermediate.der().clone()] } else { Vec::new() };
        signed(|_| {}, &self.intermediate, &along)
    }
}

/// The authority that the prober is told to trust.
///
/// # Panics
/// Where it cannot be made, as everything here.
pub fn trusted() -> &'static Authority {
    static TRUSTED: OnceLock<Authority> = OnceLock::new();
    TRUSTED.get_or_init(|| Authority::new("the tests"))
}

/// One that nobody trusts.
pub fn untrusted() -> &'static Authority {
    static UNTRUSTED: OnceLock<Authority> = OnceLock::new();
    UNTRUSTED.get_or_init(|| Authority::new("nobody"))
}

/// Signed by itself.
#[must_use]
pub fn self_signed() -> Chain {
    let key = key();
    let certificate = CertificateParams::new(vec![NAME.to_owned()]).unwrap().self_signed(&key).unwrap();
    (vec![certificate.der().clone()], private(&key))
}

fn signed(
    change: impl FnOnce(&mut CertificateParams),
    issuer: &CertifiedIssuer<'static, KeyPair>,
    along: &[CertificateDer<'static>],
) -> Chain {
    let mut params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, "leaf");
    change(&mut params);
    let key = key();
    let certificate = params.signed_by(&key, issuer).unwrap();
    let mut chain = vec![certificate.der().clone()];
    chain.extend_from_slice(along);
    (chain, private(&key))
}

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

fn private(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::try_from(key.serialize_der()).unwrap()
}

/// Serves this chain and offers these protocols.
#[must_use]
pub fn config((chain, key): Chain, alpn: &[&str]) -> Arc<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Arc::new(config)
}

/// A good certificate and no protocols.
#[must_use]
pub fn good_config(alpn: &[&str]) -> Arc<ServerConfig> {
    config(trusted().leaf_below(true), alpn)
}

/// Demands a client certificate, in this version of TLS.
#[must_use]
pub fn demanding(version: &'static SupportedProtocolVersion, alpn: &[&str]) -> Arc<ServerConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted().root.der().clone()).unwrap();
    let provider = Arc::new(default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build().unwrap();
    let (chain, key) = trusted().leaf_below(true);
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Arc::new(config)
}

/// Shakes hands as the server.
///
/// # Errors
/// Where the handshake fails.
pub fn accept(mut stream: TcpStream, config: &Arc<ServerConfig>) -> io::Result<Secure> {
    stream.set_nodelay(true)?;
    let mut connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(StreamOwned::new(connection, stream))
}
