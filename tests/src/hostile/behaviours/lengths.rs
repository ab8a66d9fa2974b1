//! Lies about where a body ends.

use shared::outcome::{Class, Reason};

use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = content_lengths();
    all.extend(chunks());
    all.extend(transfer_encodings());
    all
}

/// A head of these fields, then this body, `{}` being the answer to us and `{length}` its length; then the end.
fn lying(name: &str, says: &str, expected: Expected, fields: &'static str, body: &'static str) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        let length = answer.len();
        let put = |text: &str| {
            text.replace("{length}", &length.to_string())
                .replace("{hex}", &format!("{length:x}"))
                .replace("{}", &answer)
        };
        exchange.close();
        exchange.raw(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{}\r\n{}",
            put(fields),
            put(body)
        ))
    })
}

fn content_lengths() -> Vec<Behaviour> {
    let partial = Expected::body(Class::Closed, Reason::PartialAnswer);
    let not_json = Expected::body(Class::Malformed, Reason::NotJson);
    let not_http = Expected::not_http;
    vec![
        lying(
            "length-too-long",
            "A length of 100 bytes more than follow.",
            partial.clone(),
            "Content-Length: 1{length}\r\n",
            "{}",
        ),
        lying("length-too-short", "A length of 20 bytes.", not_json, "Content-Length: 20\r\n", "{}"),
        lying(
            "length-of-nothing",
            "A length of 0, and an answer.",
            Expected::body(Class::NotMcp, Reason::Empty),
            "Content-Length: 0\r\n",
            "{}",
        ),
        lying(
            "length-beyond-any-disk",
            "A length of nine exabytes.",
            partial,
            "Content-Length: 9000000000000000000\r\n",
            "{}",
        ),
        lying(
            "length-beyond-64-bits",
            "A length of 30 digits.",
            not_http(),
            "Content-Length: 100000000000000000000000000000\r\n",
            "{}",
        ),
        lying(
            "length-twice-the-same",
            "The right length, twice.",
            Expected::up(),
            "Content-Length: {length}\r\nContent-Length: {length}\r\n",
            "{}",
        ),
        lying(
            "length-twice-different",
            "Two lengths.",
            not_http(),
            "Content-Length: {length}\r\nContent-Length: 20\r\n",
            "{}",
        ),
        lying(
            "length-in-a-list",
            "The right length twice in one header.",
            Expected::up(),
            "Content-Length: {length}, {length}\r\n",
            "{}",
        ),
        lying("length-negative", "A length of -1.", not_http(), "Content-Length: -1\r\n", "{}"),
        lying(
            "length-with-a-plus",
            "A length with a plus sign.",
            not_http(),
            "Content-Length: +{length}\r\n",
            "{}",
        ),
        lying(
            "length-in-hexadecimal",
            "A length in hexadecimal.",
            not_http(),
            "Content-Length: 0x{hex}\r\n",
            "{}",
        ),
        lying("length-empty", "An empty length.", not_http(), "Content-Length: \r\n", "{}"),
        lying("length-in-words", "A length in words.", not_http(), "Content-Length: many\r\n", "{}"),
        lying("length-missing", "No length: the body ends with the connection.", Expected::up(), "", "{}"),
        lying(
            "two-answers-for-one-request",
            "The answer, and a second one behind it.",
            Expected::up(),
            "Content-Length: {length}\r\n",
            "{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{ }",
        ),
    ]
}

fn chunked(name: &str, says: &str, expected: Expected, body: &'static str) -> Behaviour {
    lying(name, says, expected, "Transfer-Encoding: chunked\r\n", body)
}

fn chunks() -> Vec<Behaviour> {
    let encoding = Expected::body(Class::Malformed, Reason::Encoding);
    let partial = Expected::body(Class::Closed, Reason::PartialAnswer);
    let mut all = vec![
        chunked("chunks", "One chunk, and the end.", Expected::up(), "{hex}\r\n{}\r\n0\r\n\r\n"),
        chunked(
            "chunk-with-an-extension",
            "A chunk with an extension.",
            Expected::up(),
            "{hex};name=\"value\"\r\n{}\r\n0\r\n\r\n",
        ),
        chunked(
            "chunks-with-trailers",
            "Trailers behind the last chunk.",
            Expected::up(),
            "{hex}\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n",
        ),
        chunked(
            "chunk-without-a-last-one",
            "The connection ends where another chunk should begin.",
            partial.clone(),
            "{hex}\r\n{}\r\n",
        ),
        chunked("chunk-cut-short", "The connection ends within a chunk.", partial, "fff\r\n{}"),
        chunked(
            "chunk-size-of-letters",
            "A chunk whose size is zz.",
            encoding.clone(),
            "zz\r\n{}\r\n0\r\n\r\n",
        ),
        chunked(
            "chunk-size-negative",
            "A chunk whose size is -1.",
            encoding.clone(),
            "-1\r\n{}\r\n0\r\n\r\n",
        ),
        chunked(
            "chunk-size-beyond-64-bits",
            "A chunk whose size has 20 digits.",
            encoding.clone(),
            "fffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        ),
        chunked("chunk-size-empty", "A chunk without a size.", encoding.clone(), "\r\n{}\r\n0\r\n\r\n"),
        chunked(
            "chunk-longer-than-its-size",
            "A chunk longer than it says.",
            encoding.clone(),
            "5\r\n{}\r\n0\r\n\r\n",
        ),
        chunked("chunked-that-is-not", "Named chunked, and is not.", encoding.clone(), "{}"),
        Behaviour::at_handshake("chunks-of-one-byte", "A chunk for each byte.", Expected::up(), |exchange| {
            exchange.raw(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            )?;
            let answer = exchange.good_answer().to_string();
            let chunks: String = answer.chars().map(|character| format!("1\r\n{character}\r\n")).collect();
            exchange.raw(format!("{chunks}0\r\n\r\n"))
        }),
    ];
    let endless = |name: &str, says: &str, expected: Expected, start: &'static str, piece: &'static str| {
        Behaviour::at_handshake(name, says, expected, move |exchange| {
            let answer = exchange.good_answer().to_string();
            let start = start.replace("{hex}", &format!("{:x}", answer.len())).replace("{}", &answer);
            exchange.raw(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            )?;
            exchange.raw(start)?;
            exchange.endless(piece)
        })
    };
    all.extend([
        endless(
            "endless-chunks",
            "Chunks of eight bytes without end.",
            Expected::too_large(),
            "",
            "8\r\n        \r\n",
        ),
        endless("endless-chunk-extension", "A chunk extension without end.", encoding.clone(), "1;a=", "a"),
        endless(
            "endless-chunk-extensions",
            "Chunks of one byte, each with a long extension, without end.",
            encoding.clone(),
            "",
            "1;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n \r\n",
        ),
        endless(
            "endless-trailers",
            "The whole answer, and trailers without end.",
            encoding,
            "{hex}\r\n{}\r\n0\r\n",
            "X-Trailer: a\r\n",
        ),
        endless("endless-chunk-size", "Zeros of a chunk's size without end.", Expected::too_large(), "", "0"),
    ]);
    all
}

fn transfer_encodings() -> Vec<Behaviour> {
    let chunks = "{hex}\r\n{}\r\n0\r\n\r\n";
    vec![
        lying(
            "chunked-and-a-length",
            "Both chunked and a length: chunked counts.",
            Expected::up(),
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            chunks,
        ),
        lying(
            "chunked-in-capitals",
            "Chunked in capitals.",
            Expected::up(),
            "Transfer-Encoding: CHUNKED\r\n",
            chunks,
        ),
        Behaviour::at_handshake(
            "chunked-under-http-1-0",
            "Chunked in an answer of HTTP/1.0, which has no such thing.",
            Expected::not_http(),
            |exchange| {
                exchange.close();
                let answer = exchange.good_answer().to_string();
                exchange.raw("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
                exchange.raw(format!("{:x}\r\n{answer}\r\n0\r\n\r\n", answer.len()))
            },
        ),
        lying(
            "transfer-encoding-nobody-knows",
            "A transfer encoding that does not exist, up to the end of the connection.",
            Expected::up(),
            "Transfer-Encoding: hostile\r\n",
            "{}",
        ),
        lying(
            "transfer-encoding-identity",
            "Transfer-Encoding: identity, up to the end of the connection.",
            Expected::up(),
            "Transfer-Encoding: identity\r\n",
            "{}",
        ),
    ]
}
