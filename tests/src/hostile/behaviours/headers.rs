//! Header blocks that are too large, or not written as HTTP says.

use shared::outcome::{Class, Reason, Violation};

use crate::hostile::exchange::Exchange;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = bombs();
    all.extend(fields());
    all.extend(status_lines());
    all
}

fn bombs() -> Vec<Behaviour> {
    let too_large = Expected::headers(Class::TooLarge, Reason::HeaderTooLarge);
    vec![
        Behaviour::at_handshake(
            "header-of-one-mebibyte",
            "One header value of 1 MiB.",
            too_large.clone(),
            |exchange| {
                let value = "a".repeat(1024 * 1024);
                exchange.answer(200, &[("X-Bomb", &value)], "")
            },
        ),
        Behaviour::at_handshake(
            "header-name-of-one-mebibyte",
            "One header name of 1 MiB.",
            too_large.clone(),
            |exchange| {
                let name = "a".repeat(1024 * 1024);
                exchange.answer(200, &[(&name, "a")], "")
            },
        ),
        Behaviour::at_handshake("ten-thousand-headers", "10,000 headers.", too_large.clone(), |exchange| {
            exchange.raw("HTTP/1.1 200 OK\r\n")?;
            exchange.raw("X-Bomb: a\r\n".repeat(10_000))?;
            exchange.raw("\r\n")
        }),
        Behaviour::at_handshake(
            "two-thousand-headers",
            "2,000 short headers.",
            too_large.clone(),
            |exchange| {
                exchange.raw("HTTP/1.1 200 OK\r\n")?;
                exchange.raw("X: a\r\n".repeat(2_000))?;
                exchange.raw("\r\n")
            },
        ),
        Behaviour::at_handshake("endless-headers", "Headers without end.", too_large.clone(), |exchange| {
            exchange.raw("HTTP/1.1 200 OK\r\n")?;
            exchange.endless("X-Bomb: a\r\n")
        }),
        Behaviour::at_handshake("endless-header", "One header without end.", too_large.clone(), |exchange| {
            exchange.raw("HTTP/1.1 200 OK\r\nX-Bomb: ")?;
            exchange.endless("a")
        }),
        Behaviour::at_handshake(
            "endless-reason-phrase",
            "A reason phrase without end.",
            too_large.clone(),
            |exchange| {
                exchange.raw("HTTP/1.1 200 ")?;
                exchange.endless("a")
            },
        ),
        Behaviour::at_handshake(
            "endless-interim-answers",
            "100 Continue without end.",
            too_large,
            |exchange| exchange.endless("HTTP/1.1 100 Continue\r\n\r\n"),
        ),
        Behaviour::at_handshake("nine-hundred-headers", "900 headers.", Expected::up(), |exchange| {
            good_behind(exchange, "HTTP/1.1 200 OK\r\n", "X-Many: a\r\n".repeat(900))
        }),
        Behaviour::at_handshake(
            "header-of-fifty-kibibytes",
            "A header of 50 KiB.",
            Expected::up(),
            |exchange| {
                let field = format!("X-Long: {}\r\n", "a".repeat(50 * 1024));
                good_behind(exchange, "HTTP/1.1 200 OK\r\n", &field)
            },
        ),
    ]
}

/// The good answer behind these bytes, which begin its head.
fn good_behind(exchange: &mut Exchange<'_>, line: &str, fields: impl AsRef<[u8]>) -> std::io::Result<()> {
    let answer = exchange.good_answer().to_string();
    exchange.raw(line)?;
    exchange.raw(fields)?;
    exchange
        .raw(format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()))
}

/// The good answer with one more line in its head.
fn field(name: &str, says: &str, expected: Expected, line: &'static [u8]) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        good_behind(exchange, "HTTP/1.1 200 OK\r\n", line)
    })
}

fn fields() -> Vec<Behaviour> {
    let not_http = Expected::not_http;
    vec![
        field(
            "header-folded",
            "A header over two lines, as HTTP once allowed.",
            Expected::up(),
            b"X-Folded: a\r\n b\r\n",
        ),
        field(
            "header-folded-with-a-tab",
            "A header over two lines, the second behind a tab.",
            Expected::up(),
            b"X-Folded: a\r\n\tb\r\n",
        ),
        field("header-with-nul", "A NUL byte in a value.", not_http(), b"X-Odd: a\0b\r\n"),
        field("header-with-escape", "A terminal escape in a value.", not_http(), b"X-Odd: \x1b[2J\r\n"),
        field(
            "header-with-bytes-beyond-ascii",
            "Bytes beyond ASCII in a value.",
            Expected::up(),
            b"X-Odd: \xff\xfe\xc3\xa9\r\n",
        ),
        field("header-without-a-colon", "A line without a colon.", not_http(), b"X-Odd\r\n"),
        field("header-without-a-name", "A line that begins with its colon.", not_http(), b": a\r\n"),
        field(
            "header-with-a-blank-before-the-colon",
            "A blank before the colon.",
            not_http(),
            b"X-Odd : a\r\n",
        ),
        field(
            "header-name-with-bytes-beyond-ascii",
            "A name that is no token.",
            not_http(),
            b"X-\xc3\xa9: a\r\n",
        ),
        field("header-without-a-value", "An empty value.", Expected::up(), b"X-Odd:\r\n"),
        field(
            "header-with-a-bare-carriage-return",
            "A carriage return in a value.",
            not_http(),
            b"X-Odd: a\rb\r\n",
        ),
        field(
            "header-lines-that-end-in-line-feeds",
            "A line that ends in LF alone.",
            Expected::up(),
            b"X-Odd: a\n",
        ),
        field(
            "cookies",
            "Cookies, which are neither kept nor sent.",
            Expected::up(),
            b"Set-Cookie: a=b\r\nSet-Cookie: c=d; Path=/\r\n",
        ),
        field(
            "headers-about-other-things",
            "Alt-Svc, Refresh, Link and Clear-Site-Data.",
            Expected::up(),
            b"Alt-Svc: h3=\":443\"\r\nRefresh: 0; url=/elsewhere\r\n\
Link: </x>; rel=preload\r\nClear-Site-Data: \"*\"\r\n",
        ),
        Behaviour::at_handshake(
            "no-headers",
            "No header at all, and a body up to the end of the connection.",
            Expected::breach(Violation::ContentType),
            |exchange| {
                exchange.close();
                let answer = exchange.good_answer();
                exchange.raw(format!("HTTP/1.1 200 OK\r\n\r\n{answer}"))
            },
        ),
    ]
}

/// The good answer under this status line.
fn status_line(name: &str, says: &str, expected: Expected, line: &'static str) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| good_behind(exchange, line, ""))
}

fn status_lines() -> Vec<Behaviour> {
    let not_http = Expected::not_http;
    vec![
        status_line(
            "status-line-without-a-reason",
            "No reason phrase, and no blank before it.",
            Expected::up(),
            "HTTP/1.1 200\r\n",
        ),
        status_line(
            "status-line-with-odd-bytes",
            "A reason phrase beyond ASCII.",
            Expected::up(),
            "HTTP/1.1 200 gr\u{fc}n\r\n",
        ),
        status_line(
            "status-line-that-ends-in-a-line-feed",
            "A status line that ends in LF alone.",
            Expected::up(),
            "HTTP/1.1 200 OK\n",
        ),
        status_line("status-line-of-http-1-0", "HTTP/1.0.", Expected::up(), "HTTP/1.0 200 OK\r\n"),
        status_line(
            "status-line-of-http-1-2",
            "HTTP/1.2, which does not exist.",
            not_http(),
            "HTTP/1.2 200 OK\r\n",
        ),
        status_line(
            "status-line-of-http-2",
            "HTTP/2.0 in the words of HTTP/1.",
            not_http(),
            "HTTP/2.0 200 OK\r\n",
        ),
        status_line("status-of-two-digits", "Status 20.", not_http(), "HTTP/1.1 20 OK\r\n"),
        status_line("status-of-four-digits", "Status 2000.", not_http(), "HTTP/1.1 2000 OK\r\n"),
        status_line("status-099", "Status 099.", not_http(), "HTTP/1.1 099 OK\r\n"),
        status_line("status-of-letters", "Status abc.", not_http(), "HTTP/1.1 abc OK\r\n"),
        status_line("status-negative", "Status -200.", not_http(), "HTTP/1.1 -200 OK\r\n"),
        status_line(
            "blank-lines-before-the-status",
            "Blank lines before the status line.",
            Expected::up(),
            "\r\n\r\nHTTP/1.1 200 OK\r\n",
        ),
        status_line(
            "early-hints",
            "A 103 before the answer.",
            Expected::up(),
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n",
        ),
        status_line(
            "processing",
            "Two 102 before the answer.",
            Expected::up(),
            "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n",
        ),
        status_line(
            "upgrade-that-nobody-asked-for",
            "101 Switching Protocols.",
            not_http(),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
        ),
        status_line(
            "upgrade-to-http-2",
            "101 Switching Protocols to h2c.",
            not_http(),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI * HTTP/2.0\r\n",
        ),
    ]
}
