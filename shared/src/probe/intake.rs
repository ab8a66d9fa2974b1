//! Reads a response body piece by piece and says when enough has come.

use super::reply::{Body, BodyEnd, Headers};
use super::request::Request;

/// Whether the transport should go on reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    More,
    /// Stop reading now: the answer is here, the cap is reached, or the body is not wanted.
    Enough,
}

/// What an event stream showed besides the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stream {
    _private: (),
}

/// Takes the body of one response. Create it when the headers are there, push decoded bytes, then finish.
#[derive(Debug)]
pub struct Intake {
    _private: (),
}

impl Intake {
    /// For the response to `request`; ask [`Intake::flow`] before reading the first byte.
    #[must_use]
    pub fn new(_request: &Request, _status: u16, _headers: &Headers) -> Self {
        Self { _private: () }
    }

    /// Whether any (more) of the body is wanted.
    #[must_use]
    pub fn flow(&self) -> Flow {
        Flow::Enough
    }

    /// Takes the next bytes, in any chunking.
    pub fn push(&mut self, _bytes: &[u8]) -> Flow {
        Flow::Enough
    }

    /// The body. `end` says why the transport stopped: `Enough` where `flow` said so, else what it saw.
    #[must_use]
    pub fn finish(self, _end: BodyEnd) -> Body {
        Body::default()
    }
}
