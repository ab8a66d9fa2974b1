//! Sessions: ids that are odd, that change, that are lost, and ends that are answered oddly.

use std::io;

use shared::methodology::limits;
use shared::outcome::{Phase, Reason, Violation};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [sent_back(), left(), changing(), lost(), notified(), ended()].concat()
}

/// Opens a session with these bytes of header lines; answers each later request by `act`.
fn session(
    name: &str,
    says: &str,
    expected: Expected,
    lines: impl Into<Vec<u8>>,
    act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    let lines = lines.into();
    Behaviour::new(format!("session-{name}"), says, expected, move |exchange| {
        if exchange.request.kind() != Kind::Initialize {
            return act(exchange);
        }
        let answer = exchange.good_answer().to_string();
        exchange.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")?;
        exchange.raw(&lines)?;
        exchange.raw(format!("Content-Length: {}\r\n\r\n{answer}", answer.len()))
    })
}

fn line(id: impl AsRef<[u8]>) -> Vec<u8> {
    [b"Mcp-Session-Id: ", id.as_ref(), b"\r\n"].concat()
}

/// Ids that come back with every request as they were.
fn sent_back() -> Vec<Behaviour> {
    [
        ("of-one-letter", "of one letter", "s".to_owned()),
        ("of-every-character", "of every visible character", (0x21..0x7f_u8).map(char::from).collect()),
        ("of-markup", "of markup", "<script>alert(1)</script>".into()),
        ("of-a-path", "of a path", "../../etc/passwd".into()),
        ("as-long-as-we-send", "as long as we send", "s".repeat(limits::HEADER_BYTES)),
    ]
    .into_iter()
    .map(|(name, says, id)| {
        let (says, lines) = (format!("A session id {says}, which must come back as it is."), line(&id));
        session(name, &says, Expected::up(), lines, move |exchange| {
            if exchange.request.header("mcp-session-id") == Some(id.as_str()) {
                return exchange.good();
            }
            exchange.answer(404, &[], "")
        })
    })
    .collect()
}

/// Ids that cannot be sent, and are left out.
fn left() -> Vec<Behaviour> {
    let invalid = || Expected::breach(Violation::SessionIdInvalid);
    let mut all: Vec<Behaviour> = [
        ("empty", "without a letter", Vec::new()),
        ("with-a-blank", "with a blank", b"a b".to_vec()),
        ("with-a-tab", "with a tab", b"a\tb".to_vec()),
        ("beyond-ascii", "beyond ASCII", "s\u{e9}\u{202e}".into()),
        ("of-bytes-of-no-encoding", "of bytes that are no text", b"\xff\xfe\xc3".to_vec()),
        ("longer-than-we-send", "a byte longer than we send", vec![b's'; limits::HEADER_BYTES + 1]),
        ("of-60-kibibytes", "of 60 KiB", vec![b's'; 60 * 1024]),
    ]
    .into_iter()
    .map(|(name, says, id)| {
        session(name, &format!("A session id {says}."), invalid(), line(id), |exchange| exchange.good())
    })
    .collect();
    all.push(session(
        "with-an-escape",
        "A session id with a terminal escape.",
        Expected::not_http(),
        line("\u{1b}[2J"),
        |exchange| exchange.good(),
    ));
    all
}

fn changing() -> Vec<Behaviour> {
    let keeps = |id: &'static str| {
        move |exchange: &mut Exchange<'_>| match exchange.request.header("mcp-session-id") {
            Some(sent) if sent == id => exchange.good(),
            _ => exchange.answer(404, &[], ""),
        }
    };
    vec![
        session(
            "changed-on-each-answer",
            "Another session id with every answer; the first one is kept.",
            Expected::up(),
            line("first"),
            |exchange| {
                if exchange.request.header("mcp-session-id") != Some("first") {
                    return exchange.answer(404, &[], "");
                }
                let other = format!("other-{}", exchange.number);
                match exchange.good_result() {
                    Some(_) => {
                        let answer = exchange.good_answer().to_string();
                        exchange.answer(200, &[JSON, ("Mcp-Session-Id", &other)], answer)
                    }
                    None => exchange.answer(202, &[("Mcp-Session-Id", &other)], ""),
                }
            },
        ),
        session(
            "given-twice",
            "Two session ids, of which the first counts.",
            Expected::up(),
            [line("first"), line("second")].concat(),
            keeps("first"),
        ),
        session(
            "given-twice-the-same",
            "The same session id twice.",
            Expected::up(),
            [line("first"), line("first")].concat(),
            keeps("first"),
        ),
        session(
            "given-late",
            "No session id in the handshake, and one afterwards, which is not taken up.",
            Expected::up(),
            Vec::new(),
            |exchange| {
                if exchange.request.header("mcp-session-id").is_some() {
                    return exchange.answer(400, &[], "");
                }
                match exchange.good_result() {
                    Some(_) => {
                        let answer = exchange.good_answer().to_string();
                        exchange.answer(200, &[JSON, ("Mcp-Session-Id", "late")], answer)
                    }
                    None => exchange.answer(202, &[("Mcp-Session-Id", "late")], ""),
                }
            },
        ),
    ]
}

/// Forgotten when the tools are asked for.
fn lost() -> Vec<Behaviour> {
    let lost = || Expected::is(shared::outcome::Class::Degraded).because(Reason::SessionLost);
    let at_tools = |name: &str, says: &str, expected, lines: Vec<u8>, status: u16, code: Option<i64>| {
        session(name, says, expected, lines, move |exchange| match (exchange.request.kind(), code) {
            (Kind::ToolsList, Some(code)) => {
                let error = good::error(&exchange.request.id(), code, "Session not found").to_string();
                exchange.answer(status, &[JSON], error)
            }
            (Kind::ToolsList, None) => exchange.answer(status, &[], ""),
            _ => exchange.good(),
        })
    };
    let sticky = || lost().because(Reason::StickyCookie);
    let cookie = [line("s"), b"Set-Cookie: node=1; Path=/\r\n".to_vec()].concat();
    let failed = || Expected::tools_failed(Phase::Headers);
    vec![
        at_tools("lost-with-404", "404 for the tools of a session.", lost(), line("s"), 404, None),
        at_tools("lost-with-400", "400 for the tools of a session.", lost(), line("s"), 400, None),
        at_tools("lost-in-words", "404 and an error of JSON-RPC.", lost(), line("s"), 404, Some(-32_001)),
        at_tools("lost-without-its-cookie", "404 where a cookie was set.", sticky(), cookie, 404, None),
        at_tools(
            "never-opened-and-lost",
            "404 for the tools without a session.",
            failed(),
            Vec::new(),
            404,
            None,
        ),
        at_tools("lost-with-410", "410 for the tools of a session.", failed(), line("s"), 410, None),
        at_tools("lost-with-500", "500 for the tools of a session.", failed(), line("s"), 500, None),
    ]
}

/// Odd answers to the notification.
fn notified() -> Vec<Behaviour> {
    let refused = || Expected::breach(Violation::InitializedRefused);
    let mut table: Vec<(u16, Expected)> =
        [200, 201, 202, 204, 206].map(|status| (status, Expected::up())).into();
    table.extend([400, 401, 403, 404, 405, 429, 500, 503].map(|status| (status, refused())));
    table
        .into_iter()
        .map(|(status, expected)| {
            let (name, says) =
                (format!("notified-under-{status}"), format!("{status} for the notification."));
            session(&name, &says, expected, line("s"), move |exchange| match exchange.request.kind() {
                Kind::Initialized => exchange.answer(status, &[], ""),
                _ => exchange.good(),
            })
        })
        .collect()
}

/// Odd answers to the end of the session, none of which changes anything.
fn ended() -> Vec<Behaviour> {
    let end = |name: &str, says: &str, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        let says = format!("{says} for the end of the session.");
        session(&format!("ended-{name}"), &says, Expected::up(), line("s"), move |exchange| {
            if exchange.request.kind() == Kind::EndSession { act(exchange) } else { exchange.good() }
        })
    };
    let mut all: Vec<Behaviour> = [204, 400, 401, 404, 405, 429, 500]
        .into_iter()
        .map(|status| {
            let (name, says) =
                (format!("ended-under-{status}"), format!("{status} for the end of the session."));
            session(&name, &says, Expected::up(), line("s"), move |exchange| match exchange.request.kind() {
                Kind::EndSession => exchange.answer(status, &[("WWW-Authenticate", "Bearer")], ""),
                _ => exchange.good(),
            })
        })
        .collect();
    all.extend([
        end("with-a-challenge", "A challenge that names a document", |exchange| {
            let challenge = exchange.fill("Bearer resource_metadata=\"{base}/{astray}\"");
            exchange.answer(401, &[("WWW-Authenticate", &challenge)], "")
        }),
        end("closed", "A closed connection", |exchange| {
            exchange.close();
            Ok(())
        }),
        end("reset", "A reset", |exchange| exchange.reset()),
        end("with-garbage", "Bytes that are not HTTP", |exchange| {
            exchange.close();
            exchange.raw("\0\0\0\0")
        }),
        end("without-end", "A body without end", |exchange| {
            exchange.open(200, &[JSON])?;
            exchange.endless(" ")
        }),
        end("with-another-session", "Another session id", |exchange| {
            exchange.answer(200, &[("Mcp-Session-Id", "another")], "")
        }),
    ]);
    all
}
