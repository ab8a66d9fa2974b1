//! Reads a `text/event-stream` body in any chunking, as WHATWG HTML section 9.2.6 says.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::BYTE_ORDER_MARK;

/// One event, delivered as soon as its blank line is there.
///
/// As in the standard, a block without any `data` line (a comment, a lone `retry`) is no event, and a block whose
/// data line is empty (the priming event of several servers) is one with empty data: callers skip it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// `message` where the stream names none.
    pub name: &'a str,
    /// The data lines, joined by line feeds.
    pub data: &'a str,
    /// Invalid UTF-8 in it was replaced by U+FFFD.
    pub invalid_unicode: bool,
}

/// Takes each event; `Break` ends the reading.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// Whether the reader wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The caller stopped it.
    Stopped,
    /// An unfinished event or line is over the cap; nothing of it is delivered.
    TooLarge,
}

/// The reader. It keeps at most one unfinished line and one unfinished event, together about as large as the cap.
#[derive(Debug)]
pub struct SseReader {
    cap: usize,
    progress: Progress,
    /// No line has ended yet: a byte order mark may stand here.
    first_line: bool,
    /// The last byte was a carriage return: a line feed next belongs to it.
    after_carriage_return: bool,
    line: Vec<u8>,
    name: String,
    /// Each data line with a line feed behind it; None before the first.
    data: Option<String>,
    invalid_unicode: bool,
}

const DEFAULT_NAME: &str = "message";

impl SseReader {
    /// `cap`: bytes an unfinished event may take.
    #[must_use]
    pub fn new(cap: usize) -> Self {
        Self {
            cap,
            progress: Progress::More,
            first_line: true,
            after_carriage_return: false,
            line: Vec::new(),
            name: String::new(),
            data: None,
            invalid_unicode: false,
        }
    }

    /// Takes the next bytes and delivers every event that ends in them. After `Stopped` or `TooLarge` it takes none.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut OnEvent<'_>) -> Progress {
        let mut rest = bytes;
        while self.progress == Progress::More {
            let Some(&first) = rest.first() else { break };
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, terminated) = rest.split_at(end.unwrap_or(rest.len()));
            self.line.extend_from_slice(piece);
            if self.pending_bytes() > self.cap {
                self.progress = Progress::TooLarge;
                break;
            }
            let Some((&terminator, after)) = terminated.split_first() else { break };
            self.after_carriage_return = terminator == b'\r';
            rest = after;
            self.end_line(on_event);
        }
        self.progress
    }

    /// The stream has ended: delivers what is pending. True where that is an event, which a conforming stream
    /// would have ended with a blank line.
    pub fn finish(mut self, on_event: &mut OnEvent<'_>) -> bool {
        if self.progress != Progress::More {
            return false;
        }
        if !self.line.is_empty() {
            self.end_line(on_event);
        }
        // What replaced invalid bytes in the last line may be longer than they were.
        if self.pending_bytes() > self.cap {
            return false;
        }
        let pending = self.data.is_some();
        self.dispatch(on_event);
        pending
    }

    fn pending_bytes(&self) -> usize {
        self.line.len() + self.name.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self, on_event: &mut OnEvent<'_>) {
        let taken = std::mem::take(&mut self.line);
        let mut line = taken.as_slice();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(on_event);
        } else {
            self.field(line);
        }
        // The allocation serves the next line too.
        self.line = taken;
        self.line.clear();
    }

    /// One line that is not blank. `id`, `retry`, comments and unknown fields mean nothing to us.
    fn field(&mut self, line: &[u8]) {
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (line.get(..colon).unwrap_or_default(), line.get(colon + 1..).unwrap_or_default()),
            None => (line, [].as_slice()),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                let text = self.text(value);
                let data = self.data.get_or_insert_default();
                data.push_str(&text);
                data.push('\n');
            }
            b"event" => self.name = self.text(value).into_owned(),
            _ => {}
        }
    }

    fn text<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        let text = String::from_utf8_lossy(bytes);
        self.invalid_unicode |= matches!(text, Cow::Owned(_));
        text
    }

    fn dispatch(&mut self, on_event: &mut OnEvent<'_>) {
        let name = std::mem::take(&mut self.name);
        let invalid_unicode = std::mem::take(&mut self.invalid_unicode);
        let Some(data) = self.data.take() else { return };
        let event = Event {
            name: if name.is_empty() { DEFAULT_NAME } else { &name },
            data: data.strip_suffix('\n').unwrap_or(&data),
            invalid_unicode,
        };
        if on_event(event).is_break() {
            self.progress = Progress::Stopped;
        }
    }
}
