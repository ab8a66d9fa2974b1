//! Reads a response body piece by piece and says when enough has come.

use std::ops::ControlFlow;

use super::reply::{Body, BodyEnd, Headers};
use super::request::{Reading, Request};
use crate::mcp::BYTE_ORDER_MARK;
use crate::mcp::json;
use crate::mcp::rpc::{self, Answer, Incoming};
use crate::mcp::sse::{Event, SseReader};
use crate::methodology::limits::ERROR_BYTES;
use crate::outcome::Violation;

/// Whether the transport should go on reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    More,
    /// Stop reading now: the answer is here, the cap is reached, or the body is not wanted.
    Enough,
}

/// What was read of an event stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    /// The answer to our request, with violations of the text it stood in.
    pub(crate) answer: Option<(Answer, Vec<Violation>)>,
    /// An answer to somebody else's request came by.
    pub(crate) other_answer: bool,
    /// An event's data was not a JSON text.
    pub(crate) unreadable: Option<json::JsonFault>,
    /// A message claimed to be JSON-RPC and was not.
    pub(crate) broken: bool,
    /// An event held a JSON text that is no JSON-RPC.
    pub(crate) not_json_rpc: bool,
    /// The `endpoint` event of the retired HTTP+SSE transport.
    pub(crate) endpoint_event: bool,
    /// The last event was not ended by a blank line.
    pub(crate) unterminated: bool,
    /// The media type did not say that this is an event stream.
    pub(crate) mislabelled: bool,
}

/// Takes the body of one response. Create it when the headers are there, push decoded bytes, then finish.
#[derive(Debug)]
pub struct Intake {
    id: u32,
    cap: usize,
    taken: usize,
    says_stream: bool,
    mode: Mode,
    capped: bool,
    bytes: Vec<u8>,
    /// While sniffing: where the text behind blank bytes begins, as far as is known, so that none is looked at twice.
    opening: usize,
}

#[derive(Debug)]
enum Mode {
    /// The body is not wanted.
    Unwanted,
    /// Too few bytes to know what this is.
    Sniffing,
    /// One text, kept whole.
    Whole,
    Stream(Box<(SseReader, Stream)>),
}

impl Intake {
    /// For the response to `request`; ask [`Intake::flow`] before reading the first byte.
    #[must_use]
    pub fn new(request: &Request, status: u16, headers: &Headers) -> Self {
        let (id, cap, mode) = match request.reading {
            Reading::Headers => (0, 0, Mode::Unwanted),
            Reading::Document { cap } if (200..300).contains(&status) => (0, cap, Mode::Whole),
            Reading::Document { .. } => (0, 0, Mode::Unwanted),
            Reading::Answer { id, cap } => match status {
                204 | 205 | 300..=399 | 401 | 402 | 429 | 451 => (id, 0, Mode::Unwanted),
                // Cloudflare names its own refusals in the body.
                403 if !headers.is("server", "cloudflare") => (id, 0, Mode::Unwanted),
                200..300 => (id, cap, Mode::Sniffing),
                _ => (id, cap.min(ERROR_BYTES), Mode::Sniffing),
            },
        };
        let says_stream = media_type(headers).eq_ignore_ascii_case("text/event-stream");
        Self { id, cap, taken: 0, says_stream, mode, capped: false, bytes: Vec::new(), opening: 0 }
    }

    /// Whether any (more) of the body is wanted.
    #[must_use]
    pub fn flow(&self) -> Flow {
        let answered = match &self.mode {
            Mode::Unwanted => true,
            Mode::Stream(stream) => stream.1.is_settled(),
            Mode::Sniffing | Mode::Whole => false,
        };
        if answered || self.capped { Flow::Enough } else { Flow::More }
    }

    /// Decoded bytes that are taken, at most.
    #[must_use]
    pub const fn cap(&self) -> usize {
        self.cap
    }

    /// Takes the next bytes, in any chunking.
    pub fn push(&mut self, bytes: &[u8]) -> Flow {
        if self.flow() == Flow::Enough {
            return Flow::Enough;
        }
        let room = self.cap - self.taken;
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.taken += taken.len();
        self.take(taken);
        // A body of exactly the cap is fine; one more byte is not.
        self.capped = bytes.len() > room;
        self.flow()
    }

    fn take(&mut self, bytes: &[u8]) {
        match &mut self.mode {
            Mode::Unwanted => {}
            Mode::Whole => self.bytes.extend_from_slice(bytes),
            Mode::Sniffing => {
                self.bytes.extend_from_slice(bytes);
                self.sniff(false);
            }
            Mode::Stream(stream) => {
                let (reader, seen) = stream.as_mut();
                // Whether the reader stopped early is asked of `seen`.
                let _ = reader.push(bytes, &mut |event| seen.take(&event, self.id));
            }
        }
    }

    /// Decides between one text and an event stream as soon as the first bytes tell; at the end they must.
    fn sniff(&mut self, at_end: bool) {
        self.opening = opening(&self.bytes, self.opening);
        match looks_like(&self.bytes, self.opening, self.says_stream, at_end) {
            Look::Unknown => {}
            Look::Text => self.mode = Mode::Whole,
            Look::Stream => {
                let bytes = std::mem::take(&mut self.bytes);
                let seen = Stream { mislabelled: !self.says_stream, ..Stream::default() };
                self.mode = Mode::Stream(Box::new((SseReader::new(self.cap), seen)));
                self.take(&bytes);
            }
        }
    }

    /// The body. `end` says why the transport stopped: `Enough` where `flow` said so, else what it saw.
    #[must_use]
    pub fn finish(mut self, end: BodyEnd) -> Body {
        if matches!(self.mode, Mode::Sniffing) {
            self.sniff(true);
        }
        let end = if self.capped { BodyEnd::Capped } else { end };
        match self.mode {
            Mode::Stream(stream) => {
                let (reader, mut seen) = *stream;
                if end == BodyEnd::Complete && !seen.is_settled() {
                    let id = self.id;
                    let mut pending = false;
                    reader.finish(&mut |event| {
                        pending = true;
                        seen.take(&event, id)
                    });
                    seen.unterminated = pending;
                }
                Body { bytes: Vec::new(), end, length: self.taken, stream: Some(seen) }
            }
            _ => Body { bytes: self.bytes, end, length: self.taken, stream: None },
        }
    }
}

impl Stream {
    /// Nothing that follows can change what this stream says about our request.
    fn is_settled(&self) -> bool {
        self.answer.is_some()
    }

    fn take(&mut self, event: &Event<'_>, id: u32) -> ControlFlow<()> {
        if event.name == "endpoint" {
            self.endpoint_event = true;
            return ControlFlow::Continue(());
        }
        if event.data.is_empty() {
            return ControlFlow::Continue(());
        }
        match json::read(event.data.as_bytes()) {
            Err(fault) => self.unreadable = self.unreadable.or(Some(fault)),
            Ok(text) => {
                let mut violations = text.violations();
                violations.extend(event.invalid_unicode.then_some(Violation::InvalidUnicode));
                match rpc::read(text.value, id) {
                    Incoming::Answer(answer) => self.answer = Some((answer, violations)),
                    Incoming::OtherAnswer => self.other_answer = true,
                    Incoming::RequestOrNotification => {}
                    Incoming::Broken => self.broken = true,
                    Incoming::NotJsonRpc => self.not_json_rpc = true,
                }
            }
        }
        if self.is_settled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Look {
    Unknown,
    Text,
    Stream,
}

/// The first byte that is neither byte order mark nor blank; those before `known` are so already.
fn opening(bytes: &[u8], known: usize) -> usize {
    let from = if known == 0 && bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { known };
    let blank = bytes.iter().skip(from).take_while(|byte| byte.is_ascii_whitespace()).count();
    from + blank
}

/// What a body is, told from the first bytes of its text, at `opening`; the media type decides only where they do not.
fn looks_like(bytes: &[u8], opening: usize, says_stream: bool, at_end: bool) -> Look {
    const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    if BYTE_ORDER_MARK.starts_with(bytes) && !at_end {
        return Look::Unknown;
    }
    let text = bytes.get(opening..).unwrap_or(&[]);
    let undecided = if at_end && !says_stream { Look::Text } else { Look::Unknown };
    match text.first() {
        // Blank lines may open an event stream; an empty one stays what it says it is.
        None if says_stream && at_end => Look::Stream,
        None => undecided,
        Some(b'{' | b'[' | b'<') => Look::Text,
        Some(_) if says_stream => Look::Stream,
        Some(_) if FIELDS.iter().any(|field| text.starts_with(field)) => Look::Stream,
        Some(_) if !at_end && FIELDS.iter().any(|field| field.starts_with(text)) => Look::Unknown,
        Some(_) => Look::Text,
    }
}

/// The media type of a response without its parameters; empty where there is none.
pub(crate) fn media_type(headers: &Headers) -> &str {
    headers.get("content-type").unwrap_or("").split(';').next().unwrap_or("").trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide_before_the_media_type() {
        let table = [
            ("{\"a\":1}", true, Look::Text),
            ("  \n[", true, Look::Text),
            ("<!doctype html>", true, Look::Text),
            ("data: {}", false, Look::Stream),
            (": keep-alive", false, Look::Stream),
            ("dat", false, Look::Unknown),
            ("date", false, Look::Text),
            ("OK", false, Look::Text),
            ("foo: bar", true, Look::Stream),
            ("", true, Look::Unknown),
            ("\u{feff}{", false, Look::Text),
            ("\u{feff}data:", false, Look::Stream),
        ];
        for (text, says_stream, expected) in table {
            assert_eq!(look(text.as_bytes(), says_stream, false), expected, "{text:?}");
        }
        assert_eq!(look(b"dat", false, true), Look::Text);
        assert_eq!(look(b"", true, true), Look::Stream);
        assert_eq!(look(b"", false, true), Look::Text);
    }

    fn look(bytes: &[u8], says_stream: bool, at_end: bool) -> Look {
        looks_like(bytes, opening(bytes, 0), says_stream, at_end)
    }

    proptest::proptest! {
        /// Where the text begins does not depend on how the bytes arrive.
        #[test]
        fn the_opening_is_found_in_any_chunking(text in "\u{feff}?[ \n\r\t\u{feff}d:{]{0,12}") {
            let bytes = text.as_bytes();
            let known = (0..=bytes.len()).fold(0, |known, length| opening(&bytes[..length], known));
            proptest::prop_assert_eq!(known, opening(bytes, 0));
        }
    }

    /// A body of blanks, a byte at a time, costs its length and not its square: that would take hours.
    #[test]
    fn blanks_are_looked_at_once() {
        let cap = crate::methodology::limits::TOOLS_BYTES;
        let mut intake = Intake {
            id: 1,
            cap,
            taken: 0,
            says_stream: false,
            mode: Mode::Sniffing,
            capped: false,
            bytes: Vec::new(),
            opening: 0,
        };
        while intake.push(b" ") == Flow::More {}
        assert_eq!(intake.opening, cap, "all are known to be blank");
        assert_eq!(intake.finish(BodyEnd::Enough).length, cap);
    }
}
