//! How a document comes: statuses, bodies, encodings, pace, and connections that end.

use std::io;

use shared::outcome::FrontDoorNote as Note;

use super::{Document, ok, partial};
use crate::hostile::Behaviour;
use crate::hostile::behaviours::encodings::{BROTLI_BOMB, GZIP_BOMB, gzip};
use crate::hostile::exchange::{Exchange, JSON};

const HTML: (&str, &str) = ("Content-Type", "text/html; charset=utf-8");
const PAGE: &str = "<!doctype html><title>Welcome</title>";

pub(super) fn behaviours() -> Vec<Behaviour> {
    Document::BOTH
        .into_iter()
        .flat_map(|document| {
            [statuses(document), walls(document), wrapped(document), other_bodies(document), sizes(document)]
                .concat()
                .into_iter()
                .chain(endings(document))
                .chain(paces(document))
        })
        .collect()
}

/// The right document under this status is none unless the status says that it is there.
fn statuses(document: Document) -> Vec<Behaviour> {
    let mut table = vec![
        (201, ok(&[])),
        (203, ok(&[])),
        (206, ok(&[])),
        (402, document.not_observed()),
        (403, document.not_observed()),
        (429, document.not_observed()),
        (451, document.not_observed()),
    ];
    table.extend(
        [204, 300, 304, 400, 401, 404, 405, 406, 410, 421, 500, 502, 503, 504]
            .map(|status| (status, document.missing())),
    );
    table.sort_by_key(|(status, _)| *status);
    table
        .into_iter()
        .map(|(status, expected)| {
            let (name, says) =
                (format!("under-{status}"), format!("as it should be, under status {status}."));
            document.behaviour(&name, &says, expected, move |exchange| {
                let text = document.right(exchange);
                exchange.answer(
                    status,
                    &[JSON],
                    if status == 204 || status == 304 { String::new() } else { text },
                )
            })
        })
        .collect()
}

/// Somebody else answers.
fn walls(document: Document) -> Vec<Behaviour> {
    let walled = |name: &str, says: &str, expected, status, fields: &'static [(&str, &str)]| {
        document.behaviour(name, says, expected, move |exchange| exchange.answer(status, fields, PAGE))
    };
    vec![
        walled(
            "behind-a-bot-wall",
            "behind a bot wall.",
            document.not_observed(),
            403,
            &[HTML, ("cf-mitigated", "challenge")],
        ),
        walled(
            "behind-a-polite-bot-wall",
            "behind a bot wall that says 200.",
            document.not_observed(),
            200,
            &[HTML, ("cf-mitigated", "challenge")],
        ),
        walled(
            "without-a-route",
            "at a path that a gateway has no route for.",
            document.missing(),
            403,
            &[("x-amzn-ErrorType", "MissingAuthenticationTokenException")],
        ),
        walled(
            "behind-a-challenge",
            "behind a challenge that names another document.",
            document.missing(),
            401,
            &[("WWW-Authenticate", "Bearer resource_metadata=\"/astray\"")],
        ),
        walled(
            "replaced-by-a-page",
            "replaced by a page under 200.",
            document.missing(),
            200,
            &[
                HTML,
                ("Refresh", "0; url=/astray"),
                ("Link", "</astray>; rel=\"oauth-protected-resource\""),
                ("Set-Cookie", "a=b"),
            ],
        ),
    ]
}

/// The right document, in one thing not as usual.
fn wrapped(document: Document) -> Vec<Behaviour> {
    let typed = |name: &str, says: &str, fields: &'static [(&str, &str)]| {
        document.behaviour(name, says, ok(&[]), move |exchange| {
            let text = document.right(exchange);
            exchange.answer(200, fields, text)
        })
    };
    let made = |name: &str, says: &str, expected, make: fn(String) -> Vec<u8>| {
        document.behaviour(name, says, expected, move |exchange| {
            let text = make(document.right(exchange));
            exchange.answer(200, &[JSON], text)
        })
    };
    let padded = |bytes: usize| move |text: String| format!("{}{text}", " ".repeat(bytes - text.len()));
    let sized = |name: &str, says: &str, expected, bytes| {
        document.behaviour(name, says, expected, move |exchange| {
            let text = padded(bytes)(document.right(exchange));
            exchange.answer(200, &[JSON], text)
        })
    };
    let cap = shared::methodology::limits::HANDSHAKE_BYTES;
    vec![
        typed("without-a-type", "without a media type.", &[]),
        typed("labelled-as-a-page", "labelled as a page.", &[HTML]),
        typed(
            "labelled-as-a-download",
            "labelled as bytes to keep.",
            &[
                ("Content-Type", "application/octet-stream"),
                ("Content-Disposition", "attachment; filename=\"../../etc/passwd\""),
            ],
        ),
        made("behind-a-byte-order-mark", "behind a byte order mark.", ok(&[]), |text| {
            format!("\u{feff}{text}").into_bytes()
        }),
        made("in-utf-16", "in UTF-16.", document.missing(), |text| {
            text.encode_utf16().flat_map(u16::to_be_bytes).collect()
        }),
        made("within-a-list", "within a list.", document.missing(), |text| format!("[{text}]").into_bytes()),
        made("within-a-text", "as a text of JSON.", document.missing(), |text| {
            serde_json::Value::String(text).to_string().into_bytes()
        }),
        made("within-an-event", "within an event.", document.missing(), |text| {
            format!("data: {text}\n\n").into_bytes()
        }),
        made("twice", "twice.", document.missing(), |text| text.repeat(2).into_bytes()),
        made("cut-short", "without its last brace.", document.missing(), |mut text| {
            text.pop();
            text.into_bytes()
        }),
        made("with-a-comment", "with a comment.", document.missing(), |text| {
            format!("/* welcome */ {text}").into_bytes()
        }),
        made("with-rubbish-behind-it", "with rubbish behind it.", document.missing(), |text| {
            format!("{text};").into_bytes()
        }),
        sized("as-long-as-we-read", "as long as we read.", ok(&[]), cap),
        sized("a-byte-longer-than-we-read", "a byte longer than we read.", document.missing(), cap + 1),
        document.behaviour("packed", "packed with gzip.", ok(&[]), move |exchange| {
            let text = gzip(document.right(exchange).as_bytes());
            exchange.answer(200, &[JSON, ("Content-Encoding", "gzip")], text)
        }),
    ]
}

fn other_bodies(document: Document) -> Vec<Behaviour> {
    let empty_object = match document {
        Document::Resource => partial(&[Note::MetadataInvalid, Note::NoAuthorizationServer]),
        Document::Server => partial(&[Note::AuthorizationServerInvalid]),
    };
    let missing = |name: &str, says: &str, text: String| document.text(name, says, document.missing(), text);
    vec![
        missing("replaced-by-nothing", "replaced by nothing.", String::new()),
        missing("replaced-by-null", "replaced by null.", "null".into()),
        missing("replaced-by-a-number", "replaced by a number.", "5".into()),
        missing("replaced-by-a-list", "replaced by an empty list.", "[]".into()),
        missing("replaced-by-prose", "replaced by prose.", "Not here.".into()),
        missing("that-is-deep", "that is ten thousand objects deep.", "{\"a\":".repeat(10_000)),
        document.text(
            "of-many-values",
            "of a hundred thousand values.",
            empty_object.clone(),
            format!("{{\"a\":[{}1]}}", "1,".repeat(100_000)),
        ),
        document.text(
            "replaced-by-json-rpc",
            "replaced by a JSON-RPC answer.",
            empty_object,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ]
}

fn sizes(document: Document) -> Vec<Behaviour> {
    let missing = |name: &str, says: &str, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        document.behaviour(name, says, document.missing(), act)
    };
    vec![
        missing("without-end", "without end.", |exchange| {
            exchange.open(200, &[JSON])?;
            exchange.raw("{\"resource\":\"")?;
            exchange.endless("a")
        }),
        missing("of-blanks-without-end", "of blanks without end.", |exchange| {
            exchange.open(200, &[JSON])?;
            exchange.endless(" ")
        }),
        missing("with-headers-without-end", "with headers without end.", |exchange| {
            exchange.raw("HTTP/1.1 200 OK\r\n")?;
            exchange.endless("X-Filler: a\r\n")
        }),
        missing("that-is-a-gzip-bomb", "that is a bomb of gzip.", |exchange| {
            exchange.answer(200, &[JSON, ("Content-Encoding", "gzip")], &*GZIP_BOMB)
        }),
        missing("that-is-a-brotli-bomb", "that is a bomb of brotli.", |exchange| {
            exchange.answer(200, &[JSON, ("Content-Encoding", "br")], &*BROTLI_BOMB)
        }),
        missing("that-does-not-unpack", "that is no gzip and says so.", |exchange| {
            exchange.answer(200, &[JSON, ("Content-Encoding", "gzip")], "{}")
        }),
    ]
}

fn endings(document: Document) -> Vec<Behaviour> {
    let missing = |name: &str, says: &str, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        document.behaviour(name, says, document.missing(), act)
    };
    vec![
        missing("never-begun", "never begun: the connection is closed.", |exchange| {
            exchange.close();
            Ok(())
        }),
        missing("reset", "never begun: the connection is reset.", |exchange| exchange.reset()),
        missing("closed-within", "that ends within.", |exchange| {
            exchange.open(200, &[JSON, ("Content-Length", "1000")])?;
            exchange.raw("{\"resource\":")
        }),
        missing("reset-within", "that is reset within.", |exchange| {
            exchange.open(200, &[JSON, ("Content-Length", "1000")])?;
            exchange.raw("{\"resource\":")?;
            exchange.reset()
        }),
        missing("that-is-not-http", "that is not HTTP.", |exchange| {
            exchange.close();
            exchange.raw("SSH-2.0-OpenSSH_9.2\r\n")
        }),
    ]
}

fn paces(document: Document) -> Vec<Behaviour> {
    let late = |name: &str, says: &str, act: fn(&mut Exchange<'_>) -> io::Result<()>| {
        document.behaviour(name, says, document.not_observed(), act).waits()
    };
    vec![
        late("that-never-comes", "that never comes.", |exchange| exchange.hang()),
        late("whose-body-never-comes", "whose body never comes.", |exchange| {
            exchange.open(200, &[JSON, ("Content-Length", "100")])?;
            exchange.hang()
        }),
        late("that-drips", "that grows by a byte every 20 ms.", |exchange| {
            exchange.open(200, &[JSON])?;
            exchange.drip(" ")
        }),
        late("whose-headers-drip", "whose headers grow by one every 20 ms.", |exchange| {
            exchange.raw("HTTP/1.1 200 OK\r\n")?;
            exchange.drip("X-Filler: a\r\n")
        }),
    ]
}
