//! The event-stream reader: the same events whatever the cuts, those of the standard, and never one over the cap.

use std::ops::ControlFlow;

use shared::mcp::sse::{Event, Progress, SseReader};

use crate::pieces::pieces;

/// The first byte says the cap, the second the cuts, the rest is the stream.
pub fn event_stream(data: &[u8]) {
    let [cap, cuts, stream @ ..] = data else { return };
    let cap = 8 << (cap % 16);
    let whole = read([stream].into_iter(), cap, usize::MAX);
    assert_eq!(whole, read(pieces(stream, *cuts), cap, usize::MAX), "in pieces");
    assert_eq!(whole, read(stream.chunks(1), cap, usize::MAX), "in single bytes");

    for event in &whole.events {
        let name = if event.name == "message" { 0 } else { event.name.len() };
        assert!(event.data.len() + name <= cap, "an event over the cap of {cap}");
    }
    if whole.progress == Progress::More {
        let mut standard = by_the_standard(stream);
        if standard.len() == whole.events.len() + 1 {
            // An event that the stream does not end is held against the cap there.
            let over = standard.pop().is_some_and(|last| last.data.len() + last.name.len() >= cap);
            assert!(over && !whole.pending, "what is pending is delivered");
        }
        assert_eq!(whole.events, standard, "against the standard");
    }

    let wanted = whole.events.len() / 2;
    let stopped = read(pieces(stream, *cuts), cap, wanted);
    assert_eq!(stopped.events, whole.events[..wanted.max(1).min(whole.events.len())], "stopped by the caller");
}

#[derive(Debug, PartialEq)]
struct Seen {
    events: Vec<Text>,
    progress: Progress,
    pending: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Text {
    name: String,
    data: String,
    invalid_unicode: bool,
}

/// Reads until as many events came as are wanted.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, cap: usize, wanted: usize) -> Seen {
    let mut events = Vec::new();
    let mut take = |event: Event<'_>| {
        let Event { name, data, invalid_unicode } = event;
        events.push(Text { name: name.to_owned(), data: data.to_owned(), invalid_unicode });
        if events.len() >= wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut reader = SseReader::new(cap);
    let mut progress = Progress::More;
    for piece in pieces {
        progress = reader.push(piece, &mut take);
    }
    let pending = reader.finish(&mut take);
    Seen { events, progress, pending }
}

/// The events of a whole stream as WHATWG HTML section 9.2.6 reads it, and what is pending at its end.
fn by_the_standard(stream: &[u8]) -> Vec<Text> {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut rest = stream;
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.push(&rest[..end]);
        let terminator = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = &rest[end + terminator..];
    }
    // A last line without an end, and the blank line that a stream cut short does not have.
    lines.extend([rest, b""]);

    let mut events = Vec::new();
    let (mut name, mut data, mut invalid_unicode) = (String::new(), None::<Vec<String>>, false);
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = String::from_utf8_lossy(value).into_owned();
        match &line[..colon] {
            b"data" => data.get_or_insert_default().push(text),
            b"event" => name = text,
            b"" if line.is_empty() => {
                let name = std::mem::take(&mut name);
                let name = if name.is_empty() { "message".to_owned() } else { name };
                let invalid_unicode = std::mem::take(&mut invalid_unicode);
                events.extend(data.take().map(|lines| Text { name, data: lines.join("\n"), invalid_unicode }));
                continue;
            }
            _ => continue,
        }
        invalid_unicode |= std::str::from_utf8(value).is_err();
    }
    events
}
