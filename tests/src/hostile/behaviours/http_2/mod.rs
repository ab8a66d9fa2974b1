//! HTTP/2: a server that agrees on it and then misbehaves.

mod floods;

use std::io;

use shared::outcome::{Class, Phase, Reason};

use super::super::behaviour::Behaviour;
use super::super::expected::Expected;
use super::super::good;
use super::super::http_2::{
    ACK, Asked, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, Http2, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, SETTINGS, STATUS_200, WINDOW_UPDATE, field, frame, indexed_field, length,
};

const HEADER_TABLE_SIZE: u16 = 1;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;
const MAX_HEADER_LIST_SIZE: u16 = 6;

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = breaches();
    all.extend(floods::behaviours());
    all.extend(endings());
    all.extend(limits());
    all
}

/// Greets, reads the handshake, and answers in this way; honest before and after.
fn answering(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    answer: impl Fn(&mut Http2, &Asked) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    greeting(name, says, expected, &[], answer)
}

fn greeting(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    settings: &'static [(u16, u32)],
    answer: impl Fn(&mut Http2, &Asked) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    Behaviour::raw(name, says, expected, move |stream| {
        let mut connection = Http2::accept(stream)?;
        connection.settings(settings)?;
        while let Some(asked) = connection.request()? {
            if asked.message["method"] == "initialize" {
                answer(&mut connection, &asked)?;
            } else {
                connection.accepted(asked.stream)?;
            }
        }
        Ok(())
    })
    .over_tls()
    .native_only()
}

/// The honest answer to the handshake; without tools.
fn honest(connection: &mut Http2, asked: &Asked) -> io::Result<()> {
    connection.json(asked.stream, &result(asked))
}

fn result(asked: &Asked) -> serde_json::Value {
    let result = serde_json::json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": {"name": "hostile", "version": "1.0"}});
    good::answer(&asked.message["id"], &result)
}

fn up() -> Expected {
    Expected::up().because(Reason::ToolsNotOffered)
}

fn at_headers(class: Class, reason: Reason) -> Expected {
    Expected::is(class).because(reason).at(Phase::Headers)
}

fn not_http() -> Expected {
    at_headers(Class::NotMcp, Reason::NotHttp)
}

fn too_large() -> Expected {
    at_headers(Class::TooLarge, Reason::HeaderTooLarge)
}

fn broken() -> Expected {
    Expected::is(Class::Closed).because(Reason::PartialAnswer).at(Phase::Body)
}

/// The head of a good answer whose body goes on.
fn open(connection: &mut Http2, asked: &Asked) -> io::Result<()> {
    let mut block = vec![STATUS_200];
    block.extend(field("content-type", "application/json"));
    connection.frame(HEADERS, END_HEADERS, asked.stream, &block)
}

fn breaches() -> Vec<Behaviour> {
    vec![
        answering("h2-good", "Speaks HTTP/2 as it should.", up(), honest),
        answering(
            "h2-body-before-headers",
            "Sends a body without headers.",
            not_http(),
            |connection, asked| {
                connection.frame(DATA, END_STREAM, asked.stream, b"{}")?;
                connection.hang()
            },
        ),
        answering(
            "h2-headers-that-do-not-decode",
            "Refers to headers it never sent.",
            not_http(),
            |connection, asked| {
                connection.frame(HEADERS, END_HEADERS, asked.stream, &[0xff, 0xff, 0xff, 0xff, 0x0f])?;
                connection.hang()
            },
        ),
        answering("h2-no-status", "Sends headers without a status.", not_http(), |connection, asked| {
            connection.frame(HEADERS, END_HEADERS, asked.stream, &field("content-type", "text/plain"))?;
            connection.hang()
        }),
        answering("h2-push", "Pushes an answer to what nobody asked.", not_http(), |connection, asked| {
            let promise = [&2_u32.to_be_bytes()[..], &[0x82, 0x84, 0x87]].concat();
            connection.frame(PUSH_PROMISE, END_HEADERS, asked.stream, &promise)?;
            connection.hang()
        }),
        answering(
            "h2-frame-of-16-mib",
            "Announces a frame far beyond what we allow.",
            not_http(),
            |connection, asked| {
                let mut head = frame(DATA, 0, asked.stream, &[]);
                head[..3].copy_from_slice(&[0xff, 0xff, 0xff]);
                connection.raw(&head)?;
                connection.endless(&[0; 1024])
            },
        ),
        answering("h2-window-beyond-its-end", "Lets our window overflow.", not_http(), |connection, _| {
            let grow = 0x7fff_ffff_u32.to_be_bytes();
            connection.frame(WINDOW_UPDATE, 0, 0, &grow)?;
            connection.frame(WINDOW_UPDATE, 0, 0, &grow)?;
            connection.hang()
        }),
        answering(
            "h2-more-body-than-allowed",
            "Sends more than our window holds at once.",
            not_http(),
            |connection, asked| {
                // Before the headers, so that nothing of it is read and our window never grows.
                let piece = frame(DATA, 0, 2 + asked.stream, &[b'x'; 16 * 1024]);
                connection.endless(&piece)
            },
        ),
    ]
}

fn closed() -> Expected {
    at_headers(Class::Closed, Reason::EmptyReply)
}

/// Ways to end a stream or the connection in the protocol's own words.
fn endings() -> Vec<Behaviour> {
    let mut all = Vec::new();
    for (name, code) in [
        ("no-error", 0_u32),
        ("protocol-error", 1),
        ("internal-error", 2),
        ("refused-stream", 7),
        ("cancel", 8),
        ("enhance-your-calm", 11),
    ] {
        all.push(answering(
            format!("h2-reset-{name}"),
            format!("Resets our stream with code {code} instead of an answer."),
            closed(),
            move |connection, asked| {
                connection.frame(RST_STREAM, 0, asked.stream, &code.to_be_bytes())?;
                connection.hang()
            },
        ));
        all.push(answering(
            format!("h2-goaway-{name}"),
            format!("Ends the connection with code {code} instead of an answer."),
            closed(),
            move |connection, _| connection.frame(GOAWAY, 0, 0, &[&[0; 4][..], &code.to_be_bytes()].concat()),
        ));
    }
    all.extend([
        answering(
            "h2-reset-within-the-body",
            "Resets our stream in the middle of the answer.",
            broken(),
            |connection, asked| {
                open(connection, asked)?;
                connection.frame(DATA, 0, asked.stream, b"{\"jsonrpc\":")?;
                connection.frame(RST_STREAM, 0, asked.stream, &2_u32.to_be_bytes())?;
                connection.hang()
            },
        ),
        answering(
            "h2-goaway-after-the-answer",
            "Answers, and ends the connection.",
            up(),
            |connection, asked| {
                honest(connection, asked)?;
                connection.frame(GOAWAY, 0, 0, &[&asked.stream.to_be_bytes()[..], &[0; 4]].concat())?;
                connection.hang()
            },
        ),
        answering(
            "h2-closes-without-a-word",
            "Reads our request and closes the connection.",
            at_headers(Class::Closed, Reason::PartialAnswer),
            |_, _| Err(io::ErrorKind::ConnectionAborted.into()),
        ),
    ]);
    all
}

fn limits() -> Vec<Behaviour> {
    let timeout = || Expected::is(Class::Timeout).at(Phase::Headers);
    vec![
        greeting(
            "h2-header-table-of-4-gib",
            "Offers a table of 4 GiB for our headers.",
            up(),
            &[(HEADER_TABLE_SIZE, u32::MAX)],
            honest,
        ),
        greeting(
            "h2-accepts-no-headers",
            "Allows no byte of headers.",
            up(),
            &[(MAX_HEADER_LIST_SIZE, 0)],
            honest,
        ),
        greeting(
            "h2-frame-size-out-of-range",
            "Sets a frame size that is not allowed.",
            not_http(),
            &[(MAX_FRAME_SIZE, 1)],
            honest,
        ),
        greeting(
            "h2-window-out-of-range",
            "Sets a window that is not allowed.",
            not_http(),
            &[(INITIAL_WINDOW_SIZE, u32::MAX)],
            honest,
        ),
        greeting(
            "h2-window-of-nothing",
            "Never lets us send our body.",
            timeout(),
            &[(INITIAL_WINDOW_SIZE, 0)],
            |connection, _| connection.hang(),
        )
        .waits(),
        greeting(
            "h2-no-streams",
            "Allows no stream at all.",
            timeout(),
            &[(MAX_CONCURRENT_STREAMS, 0)],
            |connection, _| connection.hang(),
        )
        .waits(),
        answering("h2-silence", "Greets and never answers.", timeout(), |connection, _| connection.hang())
            .waits(),
        answering(
            "h2-answers-pings-alone",
            "Pings now and then and never answers.",
            timeout(),
            |connection, _| loop {
                connection.frame(PING, 0, 0, &[1; 8])?;
                std::thread::sleep(super::super::exchange::DRIP);
            },
        )
        .waits(),
        answering(
            "h2-headers-bomb",
            "A kilobyte of references to one long header: 4 MiB of headers.",
            too_large(),
            |connection, asked| {
                let mut block = vec![STATUS_200];
                block.extend(indexed_field("x-bomb", &"b".repeat(4_000)));
                block.extend([0x80 | 62; 1_000]);
                connection.frame(HEADERS, END_HEADERS | END_STREAM, asked.stream, &block)?;
                connection.hang()
            },
        ),
        answering(
            "h2-table-beyond-ours",
            "Grows its header table beyond what we allow.",
            not_http(),
            |connection, asked| {
                let mut block = length(1 << 30, 5, 0x20);
                block.push(STATUS_200);
                connection.frame(HEADERS, END_HEADERS | END_STREAM, asked.stream, &block)?;
                connection.hang()
            },
        ),
        answering("h2-hundreds-of-headers", "500 headers in 16 KiB.", up(), |connection, asked| {
            let mut block = vec![STATUS_200];
            block.extend(field("content-type", "application/json"));
            (0..500).for_each(|number| block.extend(field(&format!("x-{number}"), "v")));
            connection.frame(HEADERS, END_HEADERS, asked.stream, &block)?;
            connection.frame(DATA, END_STREAM, asked.stream, result(asked).to_string().as_bytes())
        }),
        answering(
            "h2-padding",
            "Each byte of the body in 255 bytes of padding.",
            up(),
            |connection, asked| {
                open(connection, asked)?;
                for byte in result(asked).to_string().bytes() {
                    let mut payload = vec![255, byte];
                    payload.resize(257, 0);
                    connection.frame(DATA, 8, asked.stream, &payload)?;
                }
                connection.frame(DATA, END_STREAM, asked.stream, &[])
            },
        ),
    ]
}
