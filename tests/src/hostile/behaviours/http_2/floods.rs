//! Frames without end: each costs the server nothing, and must cost us little.

use super::*;

pub(super) fn behaviours() -> Vec<Behaviour> {
    vec![
        answering(
            "h2-flood-of-continuations",
            "Headers that go on and on.",
            too_large(),
            |connection, asked| {
                connection.frame(HEADERS, 0, asked.stream, &[STATUS_200])?;
                let piece = frame(CONTINUATION, 0, asked.stream, &field("x-filler", &"a".repeat(1_000)));
                connection.endless(&piece)
            },
        ),
        answering(
            "h2-flood-of-empty-continuations",
            "Headers that go on and on without a byte.",
            too_large(),
            |connection, asked| {
                connection.frame(HEADERS, 0, asked.stream, &[STATUS_200])?;
                connection.endless(&frame(CONTINUATION, 0, asked.stream, &[]))
            },
        ),
        answering(
            "h2-flood-of-empty-data",
            "A body of empty pieces without end.",
            broken(),
            |connection, asked| {
                open(connection, asked)?;
                connection.endless(&frame(DATA, 0, asked.stream, &[]))
            },
        ),
        answering("h2-flood-of-settings", "Settings without end.", too_large(), |connection, _| {
            connection.endless(&frame(SETTINGS, 0, 0, &[0, 4, 0, 1, 0, 0]))
        }),
        answering(
            "h2-flood-of-pings",
            "Pings without end, and never reads our answers.",
            too_large(),
            |connection, _| connection.endless(&frame(PING, 0, 0, &[7; 8])),
        ),
        answering(
            "h2-flood-of-ping-answers",
            "Answers without end to pings we never sent.",
            too_large(),
            |connection, _| connection.endless(&frame(PING, ACK, 0, &[7; 8])),
        ),
        answering(
            "h2-flood-of-priorities",
            "Priorities of streams nobody opened.",
            too_large(),
            |connection, _| connection.endless(&frame(PRIORITY, 0, 101, &[0, 0, 0, 0, 16])),
        ),
        answering(
            "h2-flood-of-resets",
            "Resets the same stream again and again.",
            closed(),
            |connection, asked| connection.endless(&frame(RST_STREAM, 0, asked.stream, &8_u32.to_be_bytes())),
        ),
        answering(
            "h2-flood-of-windows",
            "Grows our window by one, without end.",
            too_large(),
            |connection, asked| {
                connection.endless(&frame(WINDOW_UPDATE, 0, asked.stream, &1_u32.to_be_bytes()))
            },
        ),
        answering(
            "h2-flood-of-unknown-frames",
            "Frames of a kind nobody knows.",
            too_large(),
            |connection, _| connection.endless(&frame(0xee, 0, 0, &[0; 64])),
        ),
        answering(
            "h2-flood-of-interim-answers",
            "102 Processing without end.",
            too_large(),
            |connection, asked| {
                connection.endless(&frame(HEADERS, END_HEADERS, asked.stream, &field(":status", "102")))
            },
        ),
        answering(
            "h2-body-without-end",
            "A body without end.",
            Expected::is(Class::TooLarge).at(Phase::Body),
            |connection, asked| {
                open(connection, asked)?;
                // As fast as we let it: windows are ours to open.
                connection.raw(&frame(DATA, 0, asked.stream, &[b'x'; 16 * 1024]).repeat(16))?;
                loop {
                    connection.window(asked.stream)?;
                    connection.frame(DATA, 0, asked.stream, &[b'x'; 1024])?;
                }
            },
        ),
        answering("h2-trailers-without-end", "Trailers that go on and on.", broken(), |connection, asked| {
            open(connection, asked)?;
            connection.frame(HEADERS, END_STREAM, asked.stream, &field("x-trailer", "a"))?;
            let piece = frame(CONTINUATION, 0, asked.stream, &field("x-filler", &"a".repeat(1_000)));
            connection.endless(&piece)
        }),
    ]
}
