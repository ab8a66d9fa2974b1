//! The client against a real HTTP server on loopback that checks signatures with the shared rules.

use std::sync::{Arc, Mutex};

use shared::signature::{SignatureFault, verify};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::config::test_key;

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// A Worker whose clock stands at `now_ms`; `answer` gives status, further headers and body once the signature fits.
async fn worker(now_ms: i64, answer: fn() -> (u16, &'static str, String)) -> (Url, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let noted = log.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let noted = noted.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                loop {
                    let mut piece = [0; 8_192];
                    let length = stream.read(&mut piece).await.unwrap_or(0);
                    if length == 0 {
                        return;
                    }
                    bytes.extend_from_slice(&piece[..length]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let field = |name: &str| {
                        head.lines()
                            .find_map(|line| {
                                line.to_ascii_lowercase()
                                    .strip_prefix(&format!("{name}: "))
                                    .map(|_| line[name.len() + 2..].to_owned())
                            })
                            .unwrap_or_default()
                    };
                    if body.len() < field("content-length").parse().unwrap_or(0) {
                        continue;
                    }
                    let network = field(HEADER_NETWORK);
                    let signed = Signed {
                        network: &network,
                        method: "POST",
                        path_and_query: head.split(' ').nth(1).unwrap(),
                        time_ms: field(HEADER_TIME).parse().unwrap(),
                        body: body.as_bytes(),
                    };
                    let checked = verify(&[KEY.as_bytes()], &signed, &field(HEADER_SIGNATURE), now_ms);
                    noted.lock().unwrap().push(format!("{checked:?}"));
                    let (status, headers, body) = match checked {
                        Ok(()) => answer(),
                        Err(_) => (
                            401,
                            "",
                            r#"{"title":"Unauthorized","detail":"signature: no \u001b[31m good"}"#.into(),
                        ),
                    };
                    let reply = format!(
                        "HTTP/1.1 {status} X\r\n{HEADER_NOW}: {now_ms}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    let _ = stream.write_all(reply.as_bytes()).await;
                    bytes.clear();
                }
            });
        }
    });
    (url, log)
}

fn client(url: Url, key: &str) -> Client {
    Client::new(url, "native".into(), test_key(key), &Tls::new(None, Arc::default()).unwrap(), Arc::default())
        .unwrap()
}

fn request() -> ClaimRequest {
    ClaimRequest { holder: "here".into(), capacity: 5 }
}

fn no_claims() -> (u16, &'static str, String) {
    (200, "", r#"{"now_ms":42000,"claims":[],"held_elsewhere":0,"next_ms":60000}"#.into())
}

#[tokio::test]
async fn a_wrong_system_clock_is_mended_by_the_first_refusal() {
    // 42 seconds after the epoch: decades from the system's clock, whatever that says.
    let (url, log) = worker(42_000, no_claims).await;
    let client = client(url, KEY);
    let (answer, reading) = client.claims(&request()).await.unwrap();
    assert_eq!((answer.next_ms, reading.worker_ms), (60_000, 42_000));
    client.claims(&request()).await.unwrap();
    let expired = format!("{:?}", Err::<(), _>(SignatureFault::Expired));
    assert_eq!(*log.lock().unwrap(), [expired.as_str(), "Ok(())", "Ok(())"]);
}

#[tokio::test]
async fn a_wrong_key_is_told_in_words_that_are_safe() {
    let (url, log) = worker(42_000, no_claims).await;
    let fault = client(url, "another-key-another-key-another-key").claims(&request()).await.unwrap_err();
    assert_eq!(fault.kind, CallFaultKind::Unauthorized);
    assert_eq!(
        fault.message,
        "/api/v2/claims answered 401: signature: no \\u{1b}[31m good \
         (check that network and key are those of the Worker's NETWORK_KEYS)"
    );
    assert_eq!(log.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn refusals_are_told_apart_and_retry_after_is_read() {
    type Reply = fn() -> (u16, &'static str, String);
    let table: [(Reply, CallFaultKind, Option<u64>); 8] = [
        (
            || {
                let dates =
                    "Date: Mon, 30 Nov 2026 16:34:30 GMT\r\nRetry-After: Mon, 30 Nov 2026 16:35:30 GMT\r\n";
                (429, dates, String::new())
            },
            CallFaultKind::Passing,
            Some(60),
        ),
        (|| (302, "Location: http://127.0.0.1:1/\r\n", String::new()), CallFaultKind::Passing, None),
        (|| (429, "Retry-After: 17\r\n", String::new()), CallFaultKind::Passing, Some(17)),
        (|| (503, "Retry-After: soon\r\n", String::new()), CallFaultKind::Passing, None),
        (|| (500, "", "<html>".into()), CallFaultKind::Passing, None),
        (|| (413, "", String::new()), CallFaultKind::BodyRefused, None),
        (|| (400, "", "{}".into()), CallFaultKind::BodyRefused, None),
        (|| (200, "", "garbage".into()), CallFaultKind::Passing, None),
    ];
    for (reply, kind, retry_after) in table {
        let (url, _) = worker(42_000, reply).await;
        let fault = client(url, KEY).votes(b"{}".to_vec()).await.unwrap_err();
        assert_eq!((fault.kind, fault.retry_after), (kind, retry_after.map(Duration::from_secs)), "{fault}");
    }
}

#[tokio::test]
async fn no_worker_is_a_passing_fault() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let fault = client(url, KEY).votes(Vec::new()).await.unwrap_err();
    assert_eq!(fault.kind, CallFaultKind::Passing);
    assert!(fault.message.starts_with("/api/v2/votes: no answer"), "{fault}");
}

#[tokio::test]
async fn the_largest_answer_to_a_claim_is_read() {
    let (url, _) = worker(42_000, || {
        let long = |length: usize| Some(format!("https://mcp.example/{}", "a".repeat(length - 20)));
        let claim = |listing| shared::vote::Claim {
            listing,
            slug: "a".repeat(*shared::methodology::SLUG_CHARACTERS.end()),
            url: long(ENDPOINT_BYTES).unwrap(),
            slot: u32::MAX,
            due_ms: i64::MIN,
            interval_minutes: u32::MAX,
            era: Some(shared::outcome::Era::Modern),
            resource_metadata: long(FRONT_DOOR_URL),
            authorization_server: long(FRONT_DOOR_URL),
            end_session: false,
            known_shape: Some(shared::shape::Shape::default().digest()),
        };
        let claims = (0..CLAIM_SLOTS).map(|number| claim(u32::MAX - number)).collect();
        let answer = ClaimAnswer { now_ms: 42_000, claims, held_elsewhere: u32::MAX, next_ms: u32::MAX };
        (200, "", serde_json::to_string(&answer).unwrap())
    })
    .await;
    assert_eq!(client(url, KEY).claims(&request()).await.unwrap().0.claims.len(), CLAIM_SLOTS as usize);
}
