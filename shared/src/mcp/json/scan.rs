//! One pass over a JSON text before it is parsed: depth, number of values, unpaired surrogate escapes, numbers no
//! double can hold.
//!
//! It is no validator: what it does not understand it leaves to the parser.

use std::borrow::Cow;

use super::JsonFault;
use crate::methodology::limits;

/// The text, repaired where necessary.
pub(super) struct Scanned<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) replaced_surrogate: bool,
}

const LARGEST: &str = "1.7976931348623157e308";
const SMALLEST: &str = "-1.7976931348623157e308";
const REPLACEMENT: &str = "\\ufffd";

/// The shortest decimal literal without exponent that a double cannot hold has this many digits.
const DIGITS_BEYOND_DOUBLE: usize = 309;

pub(super) fn scan(text: &str) -> Result<Scanned<'_>, JsonFault> {
    let mut scanner = Scanner { text, at: 0, kept_to: 0, repaired: String::new(), replaced_surrogate: false };
    let (mut depth, mut values) = (0_usize, 0_usize);
    while let Some(byte) = scanner.peek() {
        match byte {
            b'"' => scanner.string(),
            b'-' | b'0'..=b'9' => scanner.number(),
            b'{' | b'[' => {
                depth += 1;
                // An object is a node of a tree, of some hundred bytes even where it holds one member.
                values += if byte == b'{' { 2 } else { 1 };
                scanner.at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                scanner.at += 1;
            }
            b',' => {
                values += 1;
                scanner.at += 1;
            }
            _ => scanner.at += 1,
        }
        if depth > limits::JSON_DEPTH {
            return Err(JsonFault::TooDeep);
        }
        if values > limits::JSON_VALUES {
            return Err(JsonFault::TooManyValues);
        }
    }
    Ok(scanner.finish())
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Everything before this offset is in `repaired` already, once there was something to repair.
    kept_to: usize,
    repaired: String,
    replaced_surrogate: bool,
}

/// Whether what Rust reads as a number is one in JSON as well: no leading zero, a digit on either side of the dot.
fn is_json(number: &str) -> bool {
    let digit = |character: char| character.is_ascii_digit();
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let rest = unsigned.trim_start_matches(digit);
    let whole = unsigned.strip_suffix(rest).unwrap_or("");
    let whole_is_json = whole == "0" || whole.starts_with(digit) && !whole.starts_with('0');
    whole_is_json && rest.strip_prefix('.').is_none_or(|fraction| fraction.starts_with(digit))
}

impl<'a> Scanner<'a> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// From an opening quote to behind the closing one.
    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' if self.byte(self.at + 1) == Some(b'u') => self.unicode_escape(),
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    /// At `\u`: a surrogate pair is left alone, half of one is replaced.
    fn unicode_escape(&mut self) {
        match self.code_unit(self.at) {
            Some(0xD800..=0xDBFF) if matches!(self.code_unit(self.at + 6), Some(0xDC00..=0xDFFF)) => {
                self.at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                self.replaced_surrogate = true;
                self.replace(self.at + 6, REPLACEMENT);
            }
            Some(_) => self.at += 6,
            None => self.at += 2,
        }
    }

    /// The value of the escape `\uXXXX` that begins at `at`.
    fn code_unit(&self, at: usize) -> Option<u16> {
        let hex = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            u16::from_str_radix(hex, 16).ok()
        } else {
            None
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let mut exponent = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' | b'-' | b'+' | b'.' => {}
                b'e' | b'E' => exponent = true,
                _ => break,
            }
            self.at += 1;
        }
        if !exponent && self.at - start < DIGITS_BEYOND_DOUBLE {
            return;
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        if let Ok(value) = text.parse::<f64>()
            && value.is_infinite()
            && is_json(text)
        {
            let end = self.at;
            self.at = start;
            self.replace(end, if value > 0.0 { LARGEST } else { SMALLEST });
        }
    }

    /// Puts `with` in the place of the text from here to `end`.
    fn replace(&mut self, end: usize, with: &str) {
        self.repaired.push_str(self.text.get(self.kept_to..self.at).unwrap_or(""));
        self.repaired.push_str(with);
        self.at = end;
        self.kept_to = end;
    }

    fn finish(mut self) -> Scanned<'a> {
        let text = if self.kept_to == 0 {
            Cow::Borrowed(self.text)
        } else {
            self.repaired.push_str(self.text.get(self.kept_to..).unwrap_or(""));
            Cow::Owned(self.repaired)
        };
        Scanned { text, replaced_surrogate: self.replaced_surrogate }
    }
}
