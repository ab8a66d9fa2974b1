//! TLS: certificates that are wrong in one way each, alerts, handshakes that do not end, protocols that do not agree.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, date_time_ymd};
use rustls::ServerConnection;
use rustls::version::{TLS12, TLS13};
use shared::outcome::{Class, Phase, Reason};

use super::super::behaviour::Behaviour;
use super::super::certificates::{self, Chain, accept, trusted, untrusted};
use super::super::expected::Expected;
use super::super::good;
use super::super::request::{Kind, Request};

/// TLS alerts (RFC 8446, section 6).
const UNEXPECTED_MESSAGE: u8 = 10;
const HANDSHAKE_FAILURE: u8 = 40;
const BAD_CERTIFICATE: u8 = 42;
const PROTOCOL_VERSION: u8 = 70;
const INTERNAL_ERROR: u8 = 80;
const UNRECOGNIZED_NAME: u8 = 112;
const CERTIFICATE_REQUIRED: u8 = 116;

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = certificates();
    all.extend(handshakes());
    all.extend(client_certificates());
    all.extend(protocols());
    all
}

fn fails(reason: Reason) -> Expected {
    Expected::is(Class::TlsFailure).because(reason).at(Phase::Tls)
}

fn up() -> Expected {
    Expected::up().because(Reason::ToolsNotOffered)
}

fn certified(name: &str, says: &str, expected: Expected, chain: fn() -> Chain) -> Behaviour {
    Behaviour::raw(name, says, expected, move |stream| {
        let mut stream = accept(stream, &certificates::config(chain(), &[]))?;
        answer(&mut stream)
    })
    .over_tls()
}

/// A good endpoint without tools.
fn answer(stream: &mut (impl Read + Write)) -> io::Result<()> {
    while let Some(request) = Request::read(stream)? {
        let (status, body) = match request.kind() {
            Kind::Initialize => {
                let result = serde_json::json!({"protocolVersion": "2025-11-25", "capabilities": {},
                    "serverInfo": {"name": "hostile", "version": "1.0"}});
                (200, good::answer(&request.id(), &result).to_string())
            }
            _ => (202, String::new()),
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} Hostile\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + &body).as_bytes())?;
    }
    Ok(())
}

fn lasting(params: &mut CertificateParams, from: i32, until: i32) {
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
}

fn certificates() -> Vec<Behaviour> {
    vec![
        certified("tls-good", "A certificate as it should be, with its chain.", up(), || {
            trusted().leaf_below(true)
        }),
        certified("tls-expired", "The certificate has expired.", fails(Reason::CertificateExpired), || {
            trusted().leaf(|params| lasting(params, 2019, 2020))
        }),
        certified(
            "tls-not-yet-valid",
            "The certificate is not valid yet.",
            fails(Reason::CertificateNotYetValid),
            || trusted().leaf(|params| lasting(params, 2900, 2901)),
        ),
        certified(
            "tls-wrong-host",
            "The certificate is for another host.",
            fails(Reason::CertificateWrongHost),
            || {
                trusted().leaf(|params| {
                    params.subject_alt_names =
                        vec![rcgen::SanType::DnsName("other.example".try_into().unwrap())];
                })
            },
        ),
        certified(
            "tls-name-in-the-subject-alone",
            "The certificate names its host only in the subject, where nobody looks any more.",
            fails(Reason::CertificateWrongHost),
            || {
                trusted().leaf(|params| {
                    params.subject_alt_names.clear();
                    params.distinguished_name.push(rcgen::DnType::CommonName, "127.0.0.1");
                })
            },
        ),
        certified(
            "tls-self-signed",
            "The certificate signed itself.",
            fails(Reason::CertificateUntrusted),
            certificates::self_signed,
        ),
        certified(
            "tls-unknown-authority",
            "The whole chain is there, of an authority nobody trusts.",
            fails(Reason::CertificateUntrusted),
            || untrusted().leaf_below(true),
        ),
        certified(
            "tls-incomplete-chain",
            "The intermediate certificate is not sent along.",
            fails(Reason::IncompleteChain),
            || trusted().leaf_below(false),
        ),
        certified(
            "tls-wrong-purpose",
            "The certificate is for clients.",
            fails(Reason::CertificateInvalid),
            || {
                trusted()
                    .leaf(|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth])
            },
        ),
    ]
}

/// Acts on a connection once our first message has begun to arrive.
fn after_hello(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    act: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    Behaviour::raw(name, says, expected, move |mut stream| {
        read_flight(&mut stream)?;
        act(&mut stream)?;
        wait_for_end(&mut stream)
    })
    .over_tls()
}

/// One flight of ours: it fits a segment.
fn read_flight(stream: &mut TcpStream) -> io::Result<()> {
    stream.read(&mut [0; 16 * 1024]).map(drop)
}

/// Until the client closes, so that nothing that was sent is lost to a reset.
fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    while stream.read(&mut [0; 1024])? > 0 {}
    Ok(())
}

/// A fatal alert in the clear.
const fn alert(description: u8) -> [u8; 7] {
    [21, 3, 3, 0, 2, 2, description]
}

/// A ServerHello of this version with a cipher of its time, as servers sent it that knew no later one.
fn old_hello(minor: u8) -> Vec<u8> {
    let mut hello = vec![22, 3, minor, 0, 42, 2, 0, 0, 38, 3, minor];
    hello.extend([7; 32]);
    hello.extend([0, 0, 0x2f, 0]);
    hello
}

fn handshakes() -> Vec<Behaviour> {
    let refused = || fails(Reason::TlsHandshake);
    let mut all: Vec<Behaviour> = [
        ("handshake-failure", HANDSHAKE_FAILURE, "no cipher in common"),
        ("protocol-version", PROTOCOL_VERSION, "a version of ours"),
        ("unrecognized-name", UNRECOGNIZED_NAME, "our host"),
        ("internal-error", INTERNAL_ERROR, "a reason of its own"),
        ("bad-certificate", BAD_CERTIFICATE, "a certificate it never asked for"),
        ("certificate-required", CERTIFICATE_REQUIRED, "a certificate it never asked for"),
    ]
    .into_iter()
    .map(|(name, code, why)| {
        let says = format!("Refuses the handshake with alert {code}: {why}.");
        after_hello(format!("tls-alert-{name}"), says, refused(), move |stream| {
            stream.write_all(&alert(code))
        })
    })
    .collect();
    for (version, minor) in [("ssl-3", 0), ("tls-1-0", 1), ("tls-1-1", 2)] {
        all.push(after_hello(
            format!("tls-only-{version}"),
            "Knows only a version that is no longer spoken.",
            refused(),
            move |stream| stream.write_all(&old_hello(minor)),
        ));
    }
    all.extend([
        after_hello(
            "tls-plain-http",
            "Speaks plain HTTP on the TLS port.",
            fails(Reason::NotTls),
            |stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        ),
        after_hello("tls-another-protocol", "Speaks SSH on the TLS port.", fails(Reason::NotTls), |stream| {
            stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n")
        }),
        after_hello(
            "tls-hangs-after-hello",
            "Takes our first TLS message and says nothing.",
            Expected::is(Class::Timeout).at(Phase::Tls),
            |_| Ok(()),
        )
        .waits(),
        after_hello(
            "tls-half-an-answer",
            "Begins its first TLS message and says no more.",
            Expected::is(Class::Timeout).at(Phase::Tls),
            |stream| stream.write_all(&old_hello(3)[..20]),
        )
        .waits(),
        after_hello(
            "tls-a-message-that-never-ends",
            "Announces a certificate of 16 MiB and sends records for ever.",
            refused(),
            |stream| {
                let mut record = vec![22, 3, 3, 0x40, 0];
                record.extend([2, 0xff, 0xff, 0xff]);
                record.resize(5 + 0x4000, 0);
                loop {
                    stream.write_all(&record)?;
                }
            },
        ),
        after_hello("tls-empty-records", "Sends empty records for ever.", refused(), |stream| {
            let records = [22, 3, 3, 0, 0].repeat(1_000);
            loop {
                stream.write_all(&records)?;
            }
        }),
        Behaviour::raw(
            "tls-closes-after-hello",
            "Takes our first TLS message and closes.",
            refused(),
            |mut stream| read_flight(&mut stream),
        )
        .over_tls(),
    ]);
    all
}

fn client_certificates() -> Vec<Behaviour> {
    let wanted = || Expected::is(Class::Refused).because(Reason::ClientCertificate).at(Phase::Tls);
    let mut all = Vec::new();
    for (name, version) in [("1-2", &TLS12), ("1-3", &TLS13)] {
        for alpn in ["http/1.1", "h2"] {
            let behaviour = Behaviour::raw(
                format!("tls-{name}-client-certificate-{}", alpn.replace(['/', '.'], "-")),
                format!("Demands a client certificate over TLS {} and {alpn}.", name.replace('-', ".")),
                wanted(),
                move |stream| {
                    let mut stream = accept(stream, &certificates::demanding(version, &[alpn]))?;
                    answer(&mut stream)
                },
            );
            all.push(behaviour.over_tls());
        }
    }
    for (code, expected) in [
        (HANDSHAKE_FAILURE, wanted()),
        (BAD_CERTIFICATE, wanted()),
        (CERTIFICATE_REQUIRED, wanted()),
        (INTERNAL_ERROR, fails(Reason::TlsHandshake)),
        (UNEXPECTED_MESSAGE, fails(Reason::TlsHandshake)),
    ] {
        let says = format!("Asks for a client certificate and answers that we have none with alert {code}.");
        let behaviour = Behaviour::raw(
            format!("tls-client-certificate-alert-{code}"),
            says,
            expected,
            move |mut stream| {
                // The handshake up to our answer, and then an alert that this library would not send.
                let config = certificates::demanding(&TLS12, &[]);
                let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
                while connection.wants_read() && !connection.wants_write() {
                    connection.read_tls(&mut stream)?;
                    connection.process_new_packets().map_err(io::Error::other)?;
                }
                while connection.wants_write() {
                    connection.write_tls(&mut stream)?;
                }
                read_flight(&mut stream)?;
                stream.write_all(&alert(code))?;
                wait_for_end(&mut stream)
            },
        );
        all.push(behaviour.over_tls());
    }
    all
}

/// A good certificate, this protocol agreed on, and these bytes in answer to the first of ours.
fn speaks(
    name: &str,
    says: &str,
    expected: Expected,
    agreed: &'static [&'static str],
    bytes: &'static [u8],
) -> Behaviour {
    Behaviour::raw(name, says, expected, move |stream| {
        let mut stream = accept(stream, &certificates::good_config(agreed))?;
        let _ = stream.read(&mut [0; 16 * 1024])?;
        stream.write_all(bytes)?;
        stream.conn.send_close_notify();
        stream.flush()?;
        wait_for_end(&mut stream.sock)
    })
    .over_tls()
    .native_only()
}

fn protocols() -> Vec<Behaviour> {
    let not_http = || Expected::is(Class::NotMcp).because(Reason::NotHttp).at(Phase::Headers);
    vec![
        Behaviour::raw("alpn-none", "Agrees on no protocol, and speaks HTTP/1.1.", up(), |stream| {
            answer(&mut accept(stream, &certificates::good_config(&[]))?)
        })
        .over_tls(),
        Behaviour::raw("alpn-http-1-1", "Agrees on HTTP/1.1 and speaks it.", up(), |stream| {
            answer(&mut accept(stream, &certificates::good_config(&["http/1.1"]))?)
        })
        .over_tls(),
        Behaviour::raw(
            "alpn-nothing-in-common",
            "Speaks only a protocol we never offered, and says so.",
            fails(Reason::TlsHandshake),
            |stream| answer(&mut accept(stream, &certificates::good_config(&["acme-tls/1"]))?),
        )
        .over_tls(),
        speaks(
            "alpn-h2-but-http-1-1",
            "Agrees on HTTP/2 and speaks HTTP/1.1.",
            not_http(),
            &["h2"],
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        ),
        speaks(
            "alpn-http-1-1-but-h2",
            "Agrees on HTTP/1.1 and speaks HTTP/2.",
            not_http(),
            &["http/1.1"],
            b"\0\0\0\x04\0\0\0\0\0",
        ),
        speaks(
            "alpn-h2-but-another-protocol",
            "Agrees on HTTP/2 and speaks SMTP.",
            not_http(),
            &["h2"],
            b"220 mail.example ESMTP ready\r\n",
        ),
    ]
}
