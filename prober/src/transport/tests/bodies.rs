//! Responses: bodies of every kind, and what stays within one probe.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder};

use super::*;
use shared::outcome::{Class, Reason};

/// 64 MiB of blanks in 96 bytes, with a window of 1 GiB ("large window brotli", which no content encoding is).
const LARGE_WINDOW: &[u8] =
    b"\x11\x1e\x46\x00\x00\x10\x88\xb3\xa5\x7e\xd9\x0c\x51\xab\x14\xed\xf7\xd5\xb4\x24\x9c\xa8\x82\x90\
    \x0c\xb0\xf0\x60\x79\x6b\xfe\x2b\x92\x50\x43\x98\xa6\x0b\x79\xe4\xde\x19\xfc\xff\xff\x07\x40\x02\
    \x24\x1e\x0b\x87\xdc\xfb\x7f\xfe\xff\xff\x03\x20\x01\x10\x87\x05\x80\xee\xfd\x3f\xff\xff\xff\x01\
    \x90\x00\x88\xc3\x02\x40\xf7\xfe\x9f\xff\xff\xff\x00\x48\x00\xc4\x61\x01\xa0\x7b\xff\x6f\x00\x03";

async fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(text).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

async fn brotli(text: &[u8]) -> Vec<u8> {
    let mut encoder = BrotliEncoder::new(Vec::new());
    encoder.write_all(text).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

#[tokio::test]
async fn every_request_says_who_we_are_and_no_more() {
    let seen = Arc::new(Mutex::new(String::new()));
    let noted = seen.clone();
    let url = answering(move |request| {
        *noted.lock().unwrap() = request.to_owned();
        ok("", b"{}")
    })
    .await;
    response_of(&url).await;
    let request = seen.lock().unwrap().to_ascii_lowercase();
    assert!(request.starts_with("post /mcp http/1.1\r\n"), "{request}");
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    for line in [
        &format!("host: {host}"),
        "accept-encoding: gzip, br",
        &format!("user-agent: {}", USER_AGENT.to_ascii_lowercase()),
    ] {
        assert_eq!(request.matches(&format!("\r\n{line}\r\n")).count(), 1, "{line} in {request}");
    }
    assert_eq!(request.matches("\r\ncontent-length: ").count(), 1);
    for unwanted in ["origin:", "cookie:", "referer:", "authorization:", "transfer-encoding:", "expect:"] {
        assert!(!request.contains(&format!("\r\n{unwanted}")), "{unwanted} in {request}");
    }
}

#[tokio::test]
async fn encodings_are_decoded_and_what_does_not_decode_says_so() {
    let text = vec![b'x'; 50_000];
    let packed = gzip(&text).await;
    let mut cut_short = packed.clone();
    cut_short.truncate(packed.len() - 5);
    let mut joined = gzip(&text[..100]).await;
    joined.extend(gzip(&text[..50]).await);
    let table = [
        ("gzip", packed.clone(), BodyEnd::Complete, 50_000),
        ("X-GZIP", packed.clone(), BodyEnd::Complete, 50_000),
        ("gzip", joined, BodyEnd::Complete, 150),
        ("br", brotli(&text).await, BodyEnd::Complete, 50_000),
        ("identity", text.clone(), BodyEnd::Complete, 50_000),
        ("gzip", Vec::new(), BodyEnd::Complete, 0),
        ("gzip", cut_short, BodyEnd::Undecodable, 50_000),
        ("gzip", text.clone(), BodyEnd::Undecodable, 0),
        ("br", LARGE_WINDOW.to_vec(), BodyEnd::Undecodable, 0),
        ("br", b"\xff\xff\xff\xff not brotli".to_vec(), BodyEnd::Undecodable, 0),
        ("zstd", text.clone(), BodyEnd::Undecodable, 0),
        ("utf-8", text.clone(), BodyEnd::Complete, text.len()),
        ("gzip, gzip", gzip(&packed).await, BodyEnd::Undecodable, 0),
    ];
    for (encoding, bytes, end, length) in table {
        let url = answering(move |_| ok(&format!("Content-Encoding: {encoding}\r\n"), &bytes)).await;
        let body = response_of(&url).await.body;
        assert_eq!((body.end, body.bytes.len()), (end, length), "{encoding}");
    }
}

#[tokio::test]
async fn an_endless_body_and_a_bomb_stop_at_the_cap() {
    let cap = shared::methodology::limits::HANDSHAKE_BYTES;
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 4_096]).await.is_ok() {}
    })
    .await;
    let endless = response_of(&format!("http://{address}/mcp")).await.body;
    assert_eq!((endless.end, endless.bytes.len()), (BodyEnd::Capped, cap));

    let bomb = gzip(&vec![b'x'; 20 * 1024 * 1024]).await;
    let url = answering(move |_| ok("Content-Encoding: gzip\r\n", &bomb)).await;
    let bomb = response_of(&url).await.body;
    assert_eq!((bomb.end, bomb.bytes.len()), (BodyEnd::Capped, cap));

    let bomb = brotli(&vec![b'x'; 20 * 1024 * 1024]).await;
    let url = answering(move |_| ok("Content-Encoding: br\r\n", &bomb)).await;
    let bomb = response_of(&url).await.body;
    assert_eq!((bomb.end, bomb.bytes.len()), (BodyEnd::Capped, cap));
}

/// Writes `head` and then `piece` for ever; the answer, and the bytes that were taken.
async fn flooded(head: &'static [u8], piece: Vec<u8>) -> (Result<Response, Fault>, u64) {
    let written = Arc::new(AtomicU64::new(0));
    let count = written.clone();
    let address = serve(move |mut stream| {
        let (piece, count) = (piece.clone(), count.clone());
        async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(head).await;
            while stream.write_all(&piece).await.is_ok() {
                count.fetch_add(piece.len() as u64, Ordering::Relaxed);
            }
        }
    })
    .await;
    (unhurried(&format!("http://{address}/mcp")).await, written.load(Ordering::Relaxed))
}

/// Sends the first request of a probe with the published deadline.
async fn unhurried(url: &str) -> Result<Response, Fault> {
    let mut request = first_request(url);
    request.deadline_ms *= HASTE;
    Transport::new(vantage(true)).send(&request).await.outcome
}

#[tokio::test]
async fn bytes_that_carry_nothing_are_not_read_for_ever() {
    /// What the sockets of both sides may hold besides what was read.
    const IN_FLIGHT: u64 = 24 * 1024 * 1024;
    let empty_members = gzip(b"").await.repeat(10_000);
    let (answer, written) =
        flooded(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", empty_members).await;
    assert_eq!(answer.expect("a response").body.end, BodyEnd::Capped);
    assert!(written < IN_FLIGHT, "{written} bytes");

    let long_name = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\0";
    let (answer, written) = flooded(long_name, vec![b'x'; 65_536]).await;
    assert_eq!(answer.expect("a response").body.end, BodyEnd::Capped);
    assert!(written < IN_FLIGHT, "{written} bytes");

    // Sixteen bits of window, and then blocks of metadata without a byte (RFC 7932, section 9.2).
    let brotli = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\x0c";
    let (answer, written) = flooded(brotli, vec![0x06; 65_536]).await;
    assert_eq!(answer.expect("a response").body.end, BodyEnd::Capped);
    assert!(written < IN_FLIGHT, "{written} bytes");

    let (answer, written) = flooded(b"", b"HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)).await;
    assert_eq!(answer.expect_err("no answer").kind, FaultKind::HeadersTooLarge);
    assert!(written < IN_FLIGHT, "{written} bytes");
}

#[tokio::test]
async fn an_answer_in_chunks_of_one_byte_is_read_whole() {
    let text = vec![b'x'; shared::methodology::limits::HANDSHAKE_BYTES];
    let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    text.iter().for_each(|byte| answer.extend([b'1', b'\r', b'\n', *byte, b'\r', b'\n']));
    answer.extend(b"0\r\n\r\n");
    let url = answering(move |_| answer.clone()).await;
    let body = unhurried(&url).await.expect("a response").body;
    assert_eq!((body.end, body.bytes.len()), (BodyEnd::Complete, text.len()));
}

#[tokio::test]
async fn hundreds_of_header_fields_are_nobodys_fault() {
    let fields: String = (0..500).map(|number| format!("X-Field-{number}: value\r\n")).collect();
    let url = answering(move |_| ok(&fields, b"{}")).await;
    assert_eq!(response_of(&url).await.body.bytes, b"{}");
}

/// A block of headers is too large or not by its size alone, in however many pieces it arrives.
#[tokio::test]
async fn the_size_of_a_header_block_decides_and_not_its_pieces() {
    const CAP: usize = 64 * 1024;
    let of_fields = |bytes: usize| {
        let around = "Content-Length: 0\r\nX: \r\n".len();
        let filler = "x".repeat(bytes - around);
        format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: {filler}\r\n\r\n").into_bytes()
    };
    for first in [1, 20_000, 40_000, 65_000, CAP, CAP + 10] {
        for (bytes, fits) in [(CAP, true), (CAP + 1, false), (CAP + 4_096, false)] {
            let answer = of_fields(bytes);
            let address = serve(move |mut stream| {
                let answer = answer.clone();
                async move {
                    read_request(&mut stream).await;
                    let (one, other) = answer.split_at(first);
                    let _ = stream.write_all(one).await;
                    // The client has read it when it wants to go on.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let _ = stream.write_all(other).await;
                }
            })
            .await;
            let outcome = unhurried(&format!("http://{address}/mcp")).await;
            let kind = outcome.err().map(|fault| fault.kind);
            let expected = (!fits).then_some(FaultKind::HeadersTooLarge);
            assert_eq!(kind, expected, "{bytes} bytes, of which {first} came first");
        }
    }
}

#[tokio::test]
async fn a_body_that_does_not_end_well_says_how() {
    let table: [(&str, &[u8], BodyEnd); 5] = [
        ("shorter than its length", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nxyz", BodyEnd::Broken),
        (
            "ends within a chunk",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nxyz",
            BodyEnd::Broken,
        ),
        (
            "without the last chunk",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n",
            BodyEnd::Broken,
        ),
        (
            "a chunk length that is none",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nxyz",
            BodyEnd::Undecodable,
        ),
        ("ended by the connection", b"HTTP/1.1 200 OK\r\n\r\nxyz", BodyEnd::Complete),
    ];
    for (what, bytes, end) in table {
        let address = serve(move |mut stream| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(bytes).await;
        })
        .await;
        assert_eq!(response_of(&format!("http://{address}/mcp")).await.body.end, end, "{what}");
    }
}

#[tokio::test]
async fn a_body_that_stalls_times_out_with_what_came() {
    let address = serve(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nxyz").await;
        std::future::pending::<()>().await;
    })
    .await;
    let body = response_of(&format!("http://{address}/mcp")).await.body;
    assert_eq!((body.end, body.bytes.as_slice()), (BodyEnd::TimedOut, b"xyz".as_slice()));
}

#[tokio::test]
async fn a_redirect_is_handed_over_and_not_followed() {
    let seen = Arc::new(Mutex::new(0));
    let counted = seen.clone();
    let url = answering(move |_| {
        *counted.lock().unwrap() += 1;
        b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".to_vec()
    })
    .await;
    let response = response_of(&url).await;
    assert_eq!((response.status, response.headers.get("location")), (302, Some("/elsewhere")));
    assert_eq!(*seen.lock().unwrap(), 1);
}

/// One chunk of a chunked body.
fn chunk(data: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{:x}\r\n", data.len()).into_bytes();
    bytes.extend_from_slice(data);
    bytes.extend_from_slice(b"\r\n");
    bytes
}

#[tokio::test]
async fn an_event_stream_is_read_up_to_our_answer_and_never_to_its_end() {
    for encoding in ["identity", "gzip"] {
        let address = serve(move |mut stream| async move {
            while let Some(request) = read_request(&mut stream).await {
                let event = format!(
                    ": hello\r\n\r\nid: 0\r\ndata:\r\n\r\ndata: {}\r\n\r\n",
                    initialize_result(&id_of(&request))
                );
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: {encoding}\r\n\
                     Transfer-Encoding: chunked\r\n\r\n"
                );
                let _ = stream.write_all(head.as_bytes()).await;
                let data = if encoding == "gzip" {
                    let mut encoder = GzipEncoder::new(Vec::new());
                    encoder.write_all(event.as_bytes()).await.unwrap();
                    encoder.flush().await.unwrap();
                    encoder.get_ref().clone()
                } else {
                    event.into_bytes()
                };
                let _ = stream.write_all(&chunk(&data)).await;
                std::future::pending::<()>().await;
            }
        })
        .await;
        let start = Instant::now();
        let reply = send(&format!("http://{address}/mcp")).await;
        assert_eq!(reply.outcome.unwrap().body.end, BodyEnd::Enough, "{encoding}");
        assert!(start.elapsed() < Duration::from_millis(500), "{encoding} took {:?}", start.elapsed());
    }
}

/// A server that lists one tool, counts connections and notes each request line.
async fn small_server(after_answer: &'static str) -> (String, Arc<Mutex<(u32, Vec<String>)>>) {
    let seen = Arc::new(Mutex::new((0, Vec::new())));
    let noted = seen.clone();
    let address = serve(move |mut stream| {
        noted.lock().unwrap().0 += 1;
        let noted = noted.clone();
        async move {
            while let Some(request) = read_request(&mut stream).await {
                let method = request
                    .split_once("\"method\":\"")
                    .map_or("", |(_, rest)| rest.split('"').next().unwrap());
                noted.lock().unwrap().1.push(method.to_owned());
                let answer = match method {
                    "initialize" => {
                        let result = initialize_result(&id_of(&request))
                            .replace("\"capabilities\":{}", "\"capabilities\":{\"tools\":{}}");
                        ok("Content-Type: application/json\r\n", result.as_bytes())
                    }
                    "tools/list" => {
                        let result = serde_json::json!({"jsonrpc": "2.0", "id": id_of(&request), "result": {
                            "tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}});
                        ok("Content-Type: application/json\r\n", result.to_string().as_bytes())
                    }
                    _ => b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_vec(),
                };
                let _ = stream.write_all(&answer).await;
                if after_answer == "close" {
                    return;
                }
            }
        }
    })
    .await;
    (format!("http://{address}/mcp"), seen)
}

#[tokio::test]
async fn a_probe_keeps_its_connection_and_a_second_probe_never_uses_it() {
    let (url, seen) = small_server("stay").await;
    let shared_vantage = vantage(true);
    for probes in 1..=2 {
        let verdict = converse(hasty_plan(&url), Transport::new(shared_vantage.clone()), &mut ()).await;
        assert_eq!(verdict.class, Class::Up, "{verdict:?}");
        let (connections, methods) = seen.lock().unwrap().clone();
        assert_eq!(connections, probes);
        assert_eq!(methods.len() as u32, probes * 3);
    }
    assert_eq!(seen.lock().unwrap().1[..3], ["initialize", "notifications/initialized", "tools/list"]);
}

#[tokio::test]
async fn a_server_that_closes_after_each_answer_is_up_all_the_same() {
    let (url, seen) = small_server("close").await;
    let verdict = probe(&url).await;
    assert_eq!((verdict.class, verdict.tools.unwrap().count), (Class::Up, 1));
    assert_eq!(seen.lock().unwrap().0, 3);
}

#[tokio::test]
async fn a_page_of_html_is_not_mcp() {
    let url =
        answering(|_| ok("Content-Type: text/html\r\n", b"<!doctype html><title>Welcome</title>")).await;
    let verdict = probe(&url).await;
    assert_eq!((verdict.class, verdict.reason), (Class::NotMcp, Some(Reason::Html)));
}
