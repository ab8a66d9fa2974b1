//! Reads our own JSON documents, member by member, without a tree in between. A fault says where it is and which rule
//! was broken: `votes[3].latency_ms`.
//!
//! For documents whose every member we know: votes, claims, configuration, rows of the database. What a measured server
//! sends is read by `mcp::json`. serde's derived readers do not serve here: with the floating point numbers that no
//! document of ours holds, they were a fifth of the Worker's module, and a fault named a line and a column.

mod members;
#[cfg(test)]
mod tests;
mod values;

use std::borrow::Cow;

use json_event_parser::{JsonEvent, LowLevelJsonParser};

use crate::methodology::cuts::cut;

#[doc(inline)]
pub use members::members;
pub use values::MemberName;

/// Levels of nesting read at most; our deepest document has six.
const DEPTH: usize = 16;
/// Bytes shown of a name or a word at most: in a wrong document they are anybody's.
const SHOWN_BYTES: usize = 64;

/// What a document or a part of it is read as.
pub trait Read: Sized {
    /// Takes the next value.
    ///
    /// # Errors
    /// It is not one of this type, or breaks a rule of it.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault>;
}

/// Reads a whole document.
///
/// # Errors
/// The first fault, with its place.
pub fn document<T: Read>(text: &[u8]) -> Result<T, Fault> {
    let mut reader = Reader::new(text);
    let value = T::read(&mut reader)?;
    match reader.take()? {
        JsonEvent::Eof => Ok(value),
        _ => Err(reader.fault("something follows the document")),
    }
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{rule}", place, if place.is_empty() { "" } else { ": " })]
pub struct Fault {
    /// Such as `votes[3].latency_ms`; empty for the document as a whole.
    pub place: String,
    /// Which rule it breaks.
    pub rule: String,
}

/// The document from here on.
pub struct Reader<'a> {
    parser: LowLevelJsonParser,
    rest: &'a [u8],
    /// Looked at, and not yet taken.
    ahead: Option<JsonEvent<'a>>,
    place: Vec<Level<'a>>,
}

/// Kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
    /// There is none: of the list, the object or the document.
    End,
}

/// One step from the document to the value that is being read.
enum Level<'a> {
    Member(Cow<'a, str>),
    Element(usize),
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Self {
        let parser = LowLevelJsonParser::new().with_max_stack_size(DEPTH);
        Self { parser, rest: text, ahead: None, place: Vec::new() }
    }

    /// A broken rule of the value that is being read.
    pub fn fault(&self, rule: impl Into<String>) -> Fault {
        let mut place = String::new();
        for level in &self.place {
            match level {
                Level::Member(name) => {
                    if !place.is_empty() {
                        place.push('.');
                    }
                    place.push_str(cut(name, SHOWN_BYTES));
                }
                Level::Element(index) => place.push_str(&format!("[{index}]")),
            }
        }
        Fault { place, rule: rule.into() }
    }

    /// A value that is none of those it may be.
    pub fn unknown(&self, what: &str, word: &str) -> Fault {
        self.fault(format!("unknown {what} {:?}", cut(word, SHOWN_BYTES)))
    }

    /// A member that was there before.
    pub fn twice(&self) -> Fault {
        self.fault("the member is there twice")
    }

    /// The next value, a text.
    ///
    /// # Errors
    /// It is none.
    pub fn text(&mut self) -> Result<Cow<'a, str>, Fault> {
        match self.take()? {
            JsonEvent::String(text) => Ok(text),
            other => Err(self.unexpected("a text", &other)),
        }
    }

    /// Whether the next value is null; takes it if so.
    ///
    /// # Errors
    /// The document is no JSON there.
    pub fn null(&mut self) -> Result<bool, Fault> {
        let null = self.kind()? == Kind::Null;
        if null {
            self.take()?;
        }
        Ok(null)
    }

    /// What the next value is.
    ///
    /// # Errors
    /// The document is no JSON there.
    pub fn kind(&mut self) -> Result<Kind, Fault> {
        let event = self.take()?;
        let kind = match event {
            JsonEvent::Null => Kind::Null,
            JsonEvent::Boolean(_) => Kind::Boolean,
            JsonEvent::Number(_) => Kind::Number,
            JsonEvent::String(_) => Kind::Text,
            JsonEvent::StartArray => Kind::List,
            JsonEvent::StartObject => Kind::Object,
            _ => Kind::End,
        };
        self.ahead = Some(event);
        Ok(kind)
    }

    /// Takes a list: `each` takes one element a call.
    ///
    /// # Errors
    /// It is no list, or what `each` finds.
    pub fn elements(&mut self, each: &mut dyn FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        match self.take()? {
            JsonEvent::StartArray => {}
            other => return Err(self.unexpected("a list", &other)),
        }
        for index in 0.. {
            match self.take()? {
                JsonEvent::EndArray => break,
                event => self.ahead = Some(event),
            }
            self.place.push(Level::Element(index));
            each(self)?;
            self.place.pop();
        }
        Ok(())
    }

    /// Takes an object: `each` gets a member's name and takes its value.
    ///
    /// # Errors
    /// It is no object, or what `each` finds.
    pub fn members(
        &mut self,
        each: &mut dyn FnMut(&mut Self, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match self.take()? {
            JsonEvent::StartObject => {}
            other => return Err(self.unexpected("an object", &other)),
        }
        loop {
            let name = match self.take()? {
                JsonEvent::ObjectKey(name) => name,
                _ => return Ok(()),
            };
            self.place.push(Level::Member(name.clone()));
            each(self, &name)?;
            self.place.pop();
        }
    }

    /// The next step of the document.
    fn take(&mut self) -> Result<JsonEvent<'a>, Fault> {
        if let Some(event) = self.ahead.take() {
            return Ok(event);
        }
        loop {
            let result = self.parser.parse_next(self.rest, true);
            self.rest = self.rest.get(result.consumed_bytes..).unwrap_or_default();
            match result.event {
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => return Err(self.fault(error.message())),
                None => {}
            }
        }
    }

    fn unexpected(&self, expected: &str, found: &JsonEvent<'_>) -> Fault {
        let found = match found {
            JsonEvent::String(_) => "a text",
            JsonEvent::Number(number) => cut(number, SHOWN_BYTES),
            JsonEvent::Boolean(true) => "true",
            JsonEvent::Boolean(false) => "false",
            JsonEvent::Null => "null",
            JsonEvent::StartArray => "a list",
            JsonEvent::StartObject => "an object",
            _ => "the end",
        };
        self.fault(format!("expected {expected}, found {found}"))
    }
}
