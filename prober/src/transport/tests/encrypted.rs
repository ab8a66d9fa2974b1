//! TLS: certificates that are wrong in one way each, a wanted client certificate, plain HTTP on the TLS port, HTTP/2.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio_rustls::TlsAcceptor;

use super::super::tls::HTTP_2;
use super::*;
use crate::worker_clock::{Reading, WorkerClock};
use shared::outcome::Phase::Tls as InTls;

/// An authority of our own, an intermediate under it, and a file with the authority for the prober to trust.
pub(super) struct Authority {
    pub(super) root: CertifiedIssuer<'static, KeyPair>,
    intermediate: CertifiedIssuer<'static, KeyPair>,
    file: std::path::PathBuf,
}

fn authority_params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

impl Authority {
    pub(super) fn new(test: &str) -> Self {
        let root = CertifiedIssuer::self_signed(
            authority_params(&format!("Root of {test}")),
            KeyPair::generate().unwrap(),
        )
        .unwrap();
        let intermediate = CertifiedIssuer::signed_by(
            authority_params(&format!("Intermediate of {test}")),
            KeyPair::generate().unwrap(),
            &root,
        )
        .unwrap();
        let file = std::env::temp_dir().join(format!("isitstillup-root-{test}-{}.pem", std::process::id()));
        std::fs::write(&file, root.pem()).unwrap();
        Self { root, intermediate, file }
    }

    /// A chain for this host, signed by `issuer`, with what is sent along.
    pub(super) fn leaf(
        &self,
        host: &str,
        issuer: &Issuer<'_, KeyPair>,
        change: impl FnOnce(&mut CertificateParams),
        sent_along: &[&CertificateDer<'static>],
    ) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "leaf");
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, issuer).unwrap();
        let mut chain = vec![certificate.der().clone()];
        chain.extend(sent_along.iter().copied().cloned());
        (chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
    }

    pub(super) fn vantage(&self) -> Arc<Vantage> {
        self.vantage_at(Arc::default())
    }

    fn vantage_at(&self, clock: Arc<WorkerClock>) -> Arc<Vantage> {
        let tls = Tls::new(Some(&self.file), clock).unwrap();
        Arc::new(Vantage {
            names: Names::new(&[]).unwrap(),
            tls,
            gaps: HostGaps::default(),
            guard: Guard::Private,
        })
    }

    async fn send(&self, url: &str) -> Result<Response, Fault> {
        Transport::new(self.vantage()).send(&first_request(url)).await.outcome
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

pub(super) fn server_config(
    (chain, key): (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>),
) -> ServerConfig {
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap()
}

/// A TLS server that answers every request with `{}`.
async fn serve_tls(config: ServerConfig) -> SocketAddr {
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                return;
            };
            while read_request(&mut stream).await.is_some() {
                let _ = stream.write_all(&ok("", b"{}")).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn each_fault_of_a_certificate_has_its_name() {
    let ours = Authority::new("faults");
    let other = Authority::new("faults-other");
    let intermediate: &CertificateDer<'static> = ours.intermediate.der();
    let day = |year: i32| rcgen::date_time_ymd(year, 1, 1);
    let past = |params: &mut CertificateParams| {
        params.not_before = day(2019);
        params.not_after = day(2020);
    };
    let future = |params: &mut CertificateParams| {
        params.not_before = day(4000);
        params.not_after = day(4001);
    };
    let keep = |_: &mut CertificateParams| {};
    let self_signed = {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
        (vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
    };
    let table = [
        ("good", ours.leaf("localhost", &ours.intermediate, keep, &[intermediate]), None),
        ("expired", ours.leaf("localhost", &ours.root, past, &[]), Some(CertificateFault::Expired)),
        (
            "not yet valid",
            ours.leaf("localhost", &ours.root, future, &[]),
            Some(CertificateFault::NotYetValid),
        ),
        ("other host", ours.leaf("other.example", &ours.root, keep, &[]), Some(CertificateFault::WrongHost)),
        (
            "intermediate missing",
            ours.leaf("localhost", &ours.intermediate, keep, &[]),
            Some(CertificateFault::IncompleteChain),
        ),
        (
            "unknown issuer with its chain",
            other.leaf("localhost", &other.intermediate, keep, &[other.intermediate.der()]),
            Some(CertificateFault::UnknownIssuer),
        ),
        ("self-signed", self_signed, Some(CertificateFault::UnknownIssuer)),
    ];
    for (what, chain, expected) in table {
        let address = serve_tls(server_config(chain)).await;
        let outcome = ours.send(&format!("https://localhost:{}/mcp", address.port())).await;
        match expected {
            None => assert_eq!(outcome.unwrap().status, 200, "{what}"),
            Some(kind) => assert_eq!(outcome.unwrap_err(), at(InTls, FaultKind::Certificate(kind)), "{what}"),
        }
    }
}

/// A prober that runs knows the Worker's time; where its own machine's clock is off, that must not colour a verdict.
#[tokio::test]
async fn a_certificate_is_judged_by_the_workers_time() {
    let ours = Authority::new("time");
    let lasting = |from: i32, until: i32| {
        move |params: &mut CertificateParams| {
            params.not_before = rcgen::date_time_ymd(from, 1, 1);
            params.not_after = rcgen::date_time_ymd(until, 1, 1);
        }
    };
    let once = serve_tls(server_config(ours.leaf("localhost", &ours.root, lasting(2019, 2020), &[]))).await;
    let today = serve_tls(server_config(ours.leaf("localhost", &ours.root, lasting(2020, 2900), &[]))).await;
    let (in_2019, in_2950) = (1_560_000_000_000, 30_925_000_000_000);
    for (address, worker_ms, expected) in [
        (once, in_2019, None),
        (today, in_2019, Some(CertificateFault::NotYetValid)),
        (today, in_2950, Some(CertificateFault::Expired)),
    ] {
        let clock = Arc::<WorkerClock>::default();
        clock.set(Reading { worker_ms, at: std::time::Instant::now() });
        let mut transport = Transport::new(ours.vantage_at(clock));
        let request = first_request(&format!("https://localhost:{}/mcp", address.port()));
        let fault = transport.send(&request).await.outcome.err();
        assert_eq!(fault, expected.map(|kind| at(InTls, FaultKind::Certificate(kind))), "{worker_ms}");
    }
}

#[tokio::test]
async fn plain_http_on_the_tls_port_is_not_tls() {
    let address = serve(|mut stream| async move {
        let mut hello = [0; 512];
        let _ = stream.read(&mut hello).await;
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
    })
    .await;
    assert_eq!(fault_of(&format!("https://{address}/mcp")).await, at(InTls, FaultKind::NotTls));
}

#[tokio::test]
async fn a_connection_that_ends_within_the_handshake_says_how() {
    let closes = serve(|mut stream| async move {
        let mut hello = [0; 512];
        let _ = stream.read(&mut hello).await;
    })
    .await;
    // Reading a part of the hello only makes the close a reset on some systems: both are told in the TLS phase.
    let fault = fault_of(&format!("https://{closes}/mcp")).await;
    assert_eq!(fault.phase, Some(InTls));
    assert!(matches!(fault.kind, FaultKind::TlsHandshake | FaultKind::ConnectionReset), "{fault:?}");
    let resets = serve(|mut stream| async move {
        let mut hello = [0; 4_096];
        let _ = stream.read(&mut hello).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(fault_of(&format!("https://{resets}/mcp")).await, at(InTls, FaultKind::ConnectionReset));
}

#[tokio::test]
async fn a_wanted_client_certificate_is_told_apart_in_both_versions() {
    let ours = Authority::new("client");
    let mut roots = rustls::RootCertStore::empty();
    roots.add(ours.root.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots.clone()), provider.clone())
            .build()
            .unwrap();
        let (chain, key) = ours.leaf("localhost", &ours.root, |_| {}, &[]);
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .unwrap();
        let address = serve_tls(config).await;
        let outcome = ours.send(&format!("https://localhost:{}/mcp", address.port())).await;
        assert_eq!(outcome.unwrap_err(), at(InTls, FaultKind::ClientCertificate), "{version:?}");
    }
}

#[tokio::test]
async fn http_2_is_spoken_where_the_server_chooses_it() {
    let ours = Authority::new("http2");
    let (chain, key) = ours.leaf("localhost", &ours.root, |_| {}, &[]);
    let mut config = server_config((chain, key));
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let address = serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                let said = format!(
                    "{:?} {} {}",
                    request.version(),
                    request.uri(),
                    request.headers().contains_key("host")
                );
                let response = http::Response::builder().header("x-said", said).body(()).unwrap();
                let mut body = respond.send_response(response, false).unwrap();
                body.send_data(Bytes::from_static(b"{}"), true).unwrap();
            }
        }
    })
    .await;
    let mut transport = Transport::new(ours.vantage());
    let url = format!("https://localhost:{}/mcp?a=b", address.port());
    let response = transport.send(&first_request(&url)).await.outcome.unwrap();
    assert_eq!(response.headers.get("x-said"), Some(format!("HTTP/2.0 {url} false").as_str()));
    assert_eq!(response.body.bytes, b"{}");
    assert!(transport.peer().unwrap().http_2);
}
