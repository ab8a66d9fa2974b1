//! Reads a `text/event-stream` body in any chunking, as WHATWG HTML section 9.2.6 says.

use std::ops::ControlFlow;

/// One event. An event without any `data` line is never delivered; one whose data is empty (a priming event) is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// `message` where the stream names none.
    pub name: &'a str,
    /// The data lines, joined by line feeds.
    pub data: &'a str,
    /// Invalid UTF-8 in it was replaced by U+FFFD.
    pub invalid_unicode: bool,
}

/// Whether the reader wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The caller stopped it.
    Stopped,
    /// An unfinished event or line is over the cap.
    TooLarge,
}

/// The reader.
#[derive(Debug)]
pub struct SseReader {
    cap: usize,
}

impl SseReader {
    /// `cap`: bytes an unfinished event may take.
    #[must_use]
    pub fn new(cap: usize) -> Self {
        Self { cap }
    }

    /// Takes the next bytes and delivers every event that ends in them, until the caller breaks.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Progress {
        let _ = (bytes, on_event, self.cap);
        Progress::More
    }

    /// The stream has ended: delivers what is pending. True where there was something to deliver, which a
    /// conforming stream would have ended with a blank line.
    pub fn finish(self, on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> bool {
        let _ = on_event;
        false
    }
}
