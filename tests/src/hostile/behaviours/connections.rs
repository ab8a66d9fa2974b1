//! Connections that end too early, at every step, and ports that speak something else.

use std::io::{Read, Write};
use std::net::TcpStream;

use shared::outcome::{Class, Phase, Reason};

use crate::hostile::exchange::{EVENTS, JSON};
use crate::hostile::request::{Kind, Request};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = ends();
    all.extend(between_requests());
    all.extend(other_protocols());
    all
}

#[derive(Clone, Copy)]
enum End {
    Close,
    HalfClose,
    Reset,
}

/// The connection ends after these bytes, `{}` being the good answer.
fn ends_after(name: &str, says: &str, expected: Expected, text: &'static str, end: End) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        exchange.raw(text.replace("{}", &answer))?;
        match end {
            End::Close => exchange.close(),
            End::HalfClose => exchange.half_close()?,
            End::Reset => exchange.reset()?,
        }
        Ok(())
    })
}

const HALF_A_LINE: &str = "HTTP/1.";
const HALF_A_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: appl";
const HALF_A_BODY: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\"";
const HALF_A_STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n";
const WHOLE: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}";

fn ends() -> Vec<Behaviour> {
    let empty = || Expected::headers(Class::Closed, Reason::EmptyReply);
    let head = || Expected::headers(Class::Closed, Reason::PartialAnswer);
    let body = || Expected::body(Class::Closed, Reason::PartialAnswer);
    let reset = || Expected::headers(Class::ConnectFailed, Reason::ConnectionReset);
    vec![
        ends_after("closed-after-the-request", "Takes the request and closes.", empty(), "", End::Close),
        ends_after(
            "half-closed-after-the-request",
            "Takes the request and says that nothing will come.",
            empty(),
            "",
            End::HalfClose,
        ),
        ends_after(
            "reset-after-the-request",
            "Takes the request and resets the connection.",
            reset(),
            "",
            End::Reset,
        ),
        ends_after(
            "closed-within-the-status-line",
            "Closes within the status line.",
            head(),
            HALF_A_LINE,
            End::Close,
        ),
        ends_after(
            "reset-within-the-status-line",
            "Resets within the status line.",
            head(),
            HALF_A_LINE,
            End::Reset,
        ),
        ends_after(
            "closed-within-the-headers",
            "Closes within the headers.",
            head(),
            HALF_A_HEAD,
            End::Close,
        ),
        ends_after(
            "half-closed-within-the-headers",
            "Half-closes within the headers.",
            head(),
            HALF_A_HEAD,
            End::HalfClose,
        ),
        ends_after("reset-within-the-headers", "Resets within the headers.", head(), HALF_A_HEAD, End::Reset),
        ends_after("closed-within-the-body", "Closes within the body.", body(), HALF_A_BODY, End::Close),
        ends_after(
            "half-closed-within-the-body",
            "Half-closes within the body.",
            body(),
            HALF_A_BODY,
            End::HalfClose,
        ),
        ends_after("reset-within-the-body", "Resets within the body.", body(), HALF_A_BODY, End::Reset),
        ends_after("closed-within-a-stream", "Closes within an event.", body(), HALF_A_STREAM, End::Close),
        ends_after("reset-within-a-stream", "Resets within an event.", body(), HALF_A_STREAM, End::Reset),
        ends_after(
            "closed-after-the-answer",
            "Closes after a whole answer.",
            Expected::up(),
            WHOLE,
            End::Close,
        ),
        ends_after(
            "half-closed-after-the-answer",
            "Half-closes after a whole answer.",
            Expected::up(),
            WHOLE,
            End::HalfClose,
        ),
        Behaviour::raw(
            "closed-before-the-request",
            "Closes as soon as it has accepted.",
            empty(),
            |mut stream| {
                // Reads the request away, so that closing is no reset.
                stream.shutdown(std::net::Shutdown::Write)?;
                stream.read_to_end(&mut Vec::new()).map(|_| ())
            },
        ),
        Behaviour::at_tools(
            "closed-when-asked-for-tools",
            "Closes when asked for its tools.",
            Expected::tools_failed(Phase::Headers),
            |exchange| {
                exchange.close();
                Ok(())
            },
        ),
        Behaviour::at_tools(
            "reset-when-asked-for-tools",
            "Resets when asked for its tools.",
            Expected::tools_failed(Phase::Headers),
            |exchange| exchange.reset(),
        ),
        Behaviour::at_tools(
            "reset-within-the-tools",
            "Resets within the list of tools.",
            Expected::tools_failed(Phase::Body),
            |exchange| {
                exchange.answer(200, &[JSON, ("Content-Length", "9999")], "{\"jsonrpc\"")?;
                exchange.reset()
            },
        ),
    ]
}

fn between_requests() -> Vec<Behaviour> {
    vec![
        Behaviour::new(
            "connection-close-each-time",
            "Connection: close in every answer.",
            Expected::up(),
            |exchange| {
                exchange.close();
                let answer = exchange.good_result().map(|_| exchange.good_answer().to_string());
                let status = if answer.is_some() { 200 } else { 202 };
                exchange.answer(status, &[JSON, ("Connection", "close")], answer.unwrap_or_default())
            },
        ),
        Behaviour::new(
            "closes-without-saying-so",
            "Closes after every answer and does not say so.",
            Expected::up(),
            |exchange| {
                exchange.close();
                exchange.good()
            },
        ),
        Behaviour::new(
            "resets-after-every-answer",
            "Closes after every answer with a reset.",
            Expected::up(),
            |exchange| {
                exchange.good()?;
                exchange.reset()
            },
        ),
        Behaviour::new(
            "deaf-on-an-open-connection",
            "Takes one request a connection and closes at the next one.",
            Expected::up(),
            |exchange| match exchange.number {
                2 => {
                    exchange.close();
                    Ok(())
                }
                _ => exchange.good(),
            },
        ),
        Behaviour::new(
            "streams-cut-after-the-answer",
            "Each answer is an event, and then the connection is reset.",
            Expected::up(),
            |exchange| match exchange.request.kind() {
                Kind::Initialize | Kind::ToolsList => {
                    let answer = exchange.good_answer();
                    exchange.answer(
                        200,
                        &[EVENTS, ("Content-Length", "99999")],
                        format!("data: {answer}\n\n"),
                    )?;
                    exchange.reset()
                }
                _ => exchange.good(),
            },
        ),
    ]
}

/// Sends these bytes when it has the request, and closes.
fn speaks(name: &str, says: &str, expected: Expected, bytes: &'static [u8]) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        exchange.raw(bytes)?;
        exchange.half_close()
    })
}

/// Sends these bytes before it has heard anything.
fn greets(name: &str, says: &str, expected: Expected, bytes: &'static [u8]) -> Behaviour {
    Behaviour::raw(name, says, expected, move |mut stream: TcpStream| {
        stream.write_all(bytes)?;
        Request::read(&mut stream)?;
        stream.shutdown(std::net::Shutdown::Write)?;
        stream.read_to_end(&mut Vec::new()).map(|_| ())
    })
}

fn other_protocols() -> Vec<Behaviour> {
    let not_http = Expected::not_http;
    vec![
        speaks("http-0-9", "A page without a head, as HTTP/0.9 sent it.", not_http(), b"<html>hello</html>"),
        speaks(
            "http-2-preface",
            "The frames a server of HTTP/2 begins with.",
            not_http(),
            b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64",
        ),
        speaks(
            "http-2-preface-of-a-client",
            "The words a client of HTTP/2 begins with.",
            not_http(),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ),
        speaks("rtsp", "RTSP/1.0 200 OK.", not_http(), b"RTSP/1.0 200 OK\r\n\r\n"),
        speaks("icecast", "ICY 200 OK.", not_http(), b"ICY 200 OK\r\n\r\n"),
        speaks("tls-alert", "A TLS alert.", not_http(), b"\x15\x03\x03\0\x02\x02\x28"),
        speaks(
            "json-without-http",
            "A JSON-RPC answer without HTTP around it.",
            not_http(),
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
        ),
        speaks(
            "garbage",
            "Bytes without any sense.",
            not_http(),
            b"\x00\xff\x17\x2a\x80\x81\x00\x01\x02garbage\r\n\r\n",
        ),
        speaks("redis", "An error of Redis.", not_http(), b"-ERR wrong number of arguments\r\n"),
        speaks(
            "one-byte",
            "One byte, then the end.",
            Expected::headers(Class::Closed, Reason::PartialAnswer),
            b"H",
        ),
        greets("smtp-banner", "Greets as a mail server does.", not_http(), b"220 mail.example ESMTP\r\n"),
        greets("ssh-banner", "Greets as SSH does.", not_http(), b"SSH-2.0-OpenSSH_9.9\r\n"),
    ]
}
