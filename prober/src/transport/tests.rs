//! The transport against real sockets on loopback that misbehave in one way each.

use std::future::Future;
use std::net::SocketAddr;

use shared::probe::{CertificateFault, Deadlines, Plan, Probe, Step};
use shared::verdict::Verdict;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::conversation::{self, converse};

mod addresses;
mod bodies;
mod encrypted;
mod faults;
mod reach;

/// How much faster than published the deadlines run here.
const HASTE: u32 = 20;

fn vantage(allow_private: bool) -> Arc<Vantage> {
    Arc::new(Vantage {
        names: Names::new(&[]).unwrap(),
        tls: Tls::new(None, Arc::default()).unwrap(),
        gaps: HostGaps::default(),
        guard: Guard::new(allow_private),
    })
}

fn hasty_plan(url: &str) -> Plan {
    let mut plan =
        conversation::plan(Url::parse(url).unwrap(), conversation::Memory::default(), true, true, 0);
    plan.deadlines = Deadlines::divided_by(HASTE);
    plan
}

/// The first request of a probe of `url`.
fn first_request(url: &str) -> Request {
    match Probe::start(hasty_plan(url)).1 {
        Step::Send(request) => *request,
        Step::Done(verdict) => panic!("no request but {verdict:?}"),
    }
}

/// Sends the first request of a probe.
async fn send(url: &str) -> Reply {
    Transport::new(vantage(true)).send(&first_request(url)).await
}

async fn fault_of(url: &str) -> Fault {
    send(url).await.outcome.expect_err("a fault")
}

async fn response_of(url: &str) -> Response {
    send(url).await.outcome.expect("a response")
}

/// A whole probe.
async fn probe(url: &str) -> Verdict {
    converse(hasty_plan(url), Transport::new(vantage(true)), &mut ()).await
}

/// Serves every connection with `behaviour`; gives the address.
async fn serve<B, F>(behaviour: B) -> SocketAddr
where
    B: Fn(TcpStream) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(behaviour(stream));
        }
    });
    address
}

/// Reads one request whole; None where the client closed instead.
async fn read_request<S: AsyncReadExt + Unpin>(stream: &mut S) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned))
                .and_then(|value| value.trim().parse::<usize>().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return Some(text);
            }
        }
        let mut piece = [0; 4_096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
        }
    }
}

/// The id of a JSON-RPC request.
fn id_of(request: &str) -> serde_json::Value {
    let body = request.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str::<serde_json::Value>(body).unwrap()["id"].clone()
}

/// An answer with everything `initialize` needs.
fn initialize_result(id: &serde_json::Value) -> String {
    serde_json::json!({"jsonrpc": "2.0", "id": id, "result": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": {"name": "loopback", "version": "1"}}})
    .to_string()
}

/// Answers every request on every connection with `answer(request)`, bytes and all, and goes on.
async fn answering(answer: impl Fn(&str) -> Vec<u8> + Clone + Send + Sync + 'static) -> String {
    let address = serve(move |mut stream| {
        let answer = answer.clone();
        async move {
            while let Some(request) = read_request(&mut stream).await {
                if stream.write_all(&answer(&request)).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    format!("http://{address}/mcp")
}

/// A 200 with these headers and this body, its length given.
fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

proptest::proptest! {
    /// Every URL a server or a listing can come up with makes a request that can be sent, in both versions.
    #[test]
    fn every_url_makes_a_request(path in "[ -~]{0,40}", query in "\\PC{0,20}") {
        let text = format!("https://mcp.example:8443/{path}?{query}");
        if let Ok(url) = Url::parse(&text) {
            let mut request = first_request("https://mcp.example/");
            request.url = url;
            for http_2 in [false, true] {
                let message = message(&request, http_2);
                proptest::prop_assert!(message.is_ok(), "{}", request.url);
            }
        }
    }
}
