//! No response: every way a connection can fail has its own fault and phase.

use super::*;
use shared::outcome::Phase::{Connect, Dns, Headers, Tls};

/// A fault that has a phase.
fn fault(phase: Phase, kind: FaultKind) -> Fault {
    at(phase, kind)
}

/// Closes with a reset instead of a normal end.
fn reset(stream: TcpStream) {
    stream.set_zero_linger().unwrap();
    drop(stream);
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(fault_of(&url).await, fault(Connect, FaultKind::ConnectionRefused));
}

#[tokio::test]
async fn endings_before_the_headers_are_told_apart() {
    type Behaviour = fn(TcpStream) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
    let table: [(&str, Behaviour, FaultKind); 7] = [
        (
            "closes after the request",
            |mut stream| Box::pin(async move { drop(read_request(&mut stream).await) }),
            FaultKind::EmptyReply,
        ),
        (
            "resets after the request",
            |mut stream| {
                Box::pin(async move {
                    read_request(&mut stream).await;
                    reset(stream);
                })
            },
            FaultKind::ConnectionReset,
        ),
        (
            "closes within the headers",
            |mut stream| {
                Box::pin(async move {
                    read_request(&mut stream).await;
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Ty").await;
                })
            },
            FaultKind::PartialHeaders,
        ),
        (
            "resets within the headers",
            |mut stream| {
                Box::pin(async move {
                    read_request(&mut stream).await;
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Ty").await;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    reset(stream);
                })
            },
            FaultKind::PartialHeaders,
        ),
        (
            "speaks another protocol when asked",
            |mut stream| {
                Box::pin(async move {
                    read_request(&mut stream).await;
                    let _ = stream.write_all(b"220 mail.example ESMTP ready\r\n").await;
                })
            },
            FaultKind::NotHttp,
        ),
        (
            "speaks another protocol first",
            |mut stream| {
                Box::pin(async move {
                    let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").await;
                    read_request(&mut stream).await;
                })
            },
            FaultKind::NotHttp,
        ),
        (
            "sends headers without end",
            |mut stream| {
                Box::pin(async move {
                    read_request(&mut stream).await;
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
                    let field = format!("X-Filler: {}\r\n", "a".repeat(8_000));
                    while stream.write_all(field.as_bytes()).await.is_ok() {}
                })
            },
            FaultKind::HeadersTooLarge,
        ),
    ];
    for (what, behaviour, kind) in table {
        let address = serve(behaviour).await;
        assert_eq!(fault_of(&format!("http://{address}/mcp")).await, fault(Headers, kind), "{what}");
    }
}

#[tokio::test]
async fn a_close_before_the_request_is_an_end_or_a_reset_without_a_byte() {
    // Which of the two the system reports depends on whether the request was on its way already.
    let address = serve(|stream| async { drop(stream) }).await;
    let fault = fault_of(&format!("http://{address}/mcp")).await;
    assert_eq!(fault.phase, Some(Headers));
    assert!(matches!(fault.kind, FaultKind::EmptyReply | FaultKind::ConnectionReset), "{fault:?}");
}

#[tokio::test]
async fn silence_after_the_request_is_a_timeout_of_the_headers() {
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        std::future::pending::<()>().await;
    })
    .await;
    let reply = send(&format!("http://{address}/mcp")).await;
    assert_eq!(reply.outcome.unwrap_err(), fault(Headers, FaultKind::Timeout));
    let deadline = Deadlines::divided_by(HASTE).handshake_ms;
    assert!((deadline..deadline + 500).contains(&reply.ended_ms), "{} of {deadline}", reply.ended_ms);
}

#[tokio::test]
async fn slow_headers_are_waited_for_until_the_deadline() {
    let address = serve(|mut stream| async move {
        while let Some(request) = read_request(&mut stream).await {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let answer =
                ok("Content-Type: application/json\r\n", initialize_result(&id_of(&request)).as_bytes());
            for piece in answer.chunks(40) {
                let _ = stream.write_all(piece).await;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    })
    .await;
    let reply = send(&format!("http://{address}/mcp")).await;
    assert_eq!(reply.outcome.unwrap().status, 200);
    assert!(reply.ended_ms >= 300, "{}", reply.ended_ms);
}

#[tokio::test]
async fn a_silent_tls_server_is_a_timeout_of_tls() {
    let address = serve(|stream| async move {
        let _open = stream;
        std::future::pending::<()>().await;
    })
    .await;
    assert_eq!(fault_of(&format!("https://{address}/mcp")).await, fault(Tls, FaultKind::Timeout));
}

#[tokio::test]
async fn private_addresses_and_plain_http_are_refused_before_a_packet() {
    let table = [
        ("https://127.0.0.1:1/mcp", FaultKind::PrivateAddress),
        ("https://[::1]:1/mcp", FaultKind::PrivateAddress),
        ("https://[::ffff:10.0.0.1]/mcp", FaultKind::PrivateAddress),
        ("https://localhost:1/mcp", FaultKind::PrivateAddress),
        ("https://2130706433/mcp", FaultKind::PrivateAddress),
        ("https://169.254.169.254/latest/meta-data", FaultKind::PrivateAddress),
        ("http://192.0.2.1/mcp", FaultKind::NotHttps),
    ];
    for (url, kind) in table {
        let reply = Transport::new(vantage(false)).send(&first_request(url)).await;
        let phase = (kind != FaultKind::NotHttps).then_some(Dns);
        assert_eq!(reply.outcome.unwrap_err(), Fault { kind, phase }, "{url}");
    }
}

#[tokio::test]
async fn a_v6_only_target_without_a_v6_route_is_no_fault_of_the_target() {
    // 2001:db8:: is documentation space: where even this has a route, the test says nothing.
    let target: SocketAddr = "[2001:db8::1]:443".parse().unwrap();
    if std::net::UdpSocket::bind("[::]:0").is_ok_and(|socket| socket.connect(target).is_ok()) {
        return;
    }
    assert_eq!(fault_of("https://[2001:db8::1]/mcp").await, fault(Connect, FaultKind::NoIpv6));
}
