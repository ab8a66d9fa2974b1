//! The two names of a listing: the slug in its address, and the name people read.

use std::fmt;

use crate::methodology::{NAME_CHARACTERS, SLUG_CHARACTERS};

/// A listing's place in our addresses: 3 to 64 of `a-z`, `0-9` and `-`; no hyphen first, last or twice in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(String);

/// Which rule a slug breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SlugFault {
    #[error("a slug has {} to {} characters", SLUG_CHARACTERS.start(), SLUG_CHARACTERS.end())]
    Length,
    #[error("a slug has only lower-case letters a-z, digits and hyphens")]
    Character,
    #[error("a slug neither begins nor ends with a hyphen")]
    OuterHyphen,
    #[error("a slug has no two hyphens in a row")]
    DoubleHyphen,
}

impl Slug {
    /// Checks the rules; nothing is changed on the way, so that two spellings never name one listing.
    ///
    /// # Errors
    /// The first rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, SlugFault> {
        if !SLUG_CHARACTERS.contains(&text.len()) {
            return Err(SlugFault::Length);
        }
        if !text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
            return Err(SlugFault::Character);
        }
        if text.starts_with('-') || text.ends_with('-') {
            return Err(SlugFault::OuterHyphen);
        }
        if text.as_bytes().windows(2).any(|pair| pair == b"--") {
            return Err(SlugFault::DoubleHyphen);
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A listing's display name, ours and never the self-reported one: one line of 1 to 80 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

/// Which rule a name breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    #[error("a name has 1 to {NAME_CHARACTERS} characters")]
    Length,
    #[error("a name has no control or formatting characters")]
    Control,
    #[error("a name neither begins nor ends with white space")]
    OuterSpace,
}

impl Name {
    /// Checks the rules.
    ///
    /// # Errors
    /// The first rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, NameFault> {
        if text.trim() != text {
            return Err(NameFault::OuterSpace);
        }
        if text.is_empty() || text.chars().count() > NAME_CHARACTERS {
            return Err(NameFault::Length);
        }
        if text.chars().any(|char| char.is_control() || is_formatting(char)) {
            return Err(NameFault::Control);
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that change how the text around them is read, without being seen: they could disguise a name.
fn is_formatting(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        // Letters and a pattern that show nothing.
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_rules() {
        for (text, expected) in [
            ("abc", Ok(())),
            ("a-b-3", Ok(())),
            (&"a".repeat(64), Ok(())),
            ("ab", Err(SlugFault::Length)),
            ("", Err(SlugFault::Length)),
            (&"a".repeat(65), Err(SlugFault::Length)),
            ("Abc", Err(SlugFault::Character)),
            ("a_b", Err(SlugFault::Character)),
            ("grün", Err(SlugFault::Character)),
            ("-abc", Err(SlugFault::OuterHyphen)),
            ("abc-", Err(SlugFault::OuterHyphen)),
            ("a--b", Err(SlugFault::DoubleHyphen)),
        ] {
            assert_eq!(Slug::parse(text).map(|_| ()), expected, "{text:?}");
        }
    }

    #[test]
    fn name_rules() {
        for (text, expected) in [
            ("Tidewater Docs", Ok(())),
            ("Grün & Söhne", Ok(())),
            (&"ü".repeat(80), Ok(())),
            (&"ü".repeat(81), Err(NameFault::Length)),
            ("", Err(NameFault::Length)),
            (" x", Err(NameFault::OuterSpace)),
            ("a\nb", Err(NameFault::Control)),
            ("a\u{202e}b", Err(NameFault::Control)),
            ("\u{61c}b", Err(NameFault::Control)),
            ("b\u{e0041}", Err(NameFault::Control)),
            ("\u{3164}", Err(NameFault::Control)),
            ("\u{2800}", Err(NameFault::Control)),
        ] {
            assert_eq!(Name::parse(text).map(|_| ()), expected, "{text:?}");
        }
    }
}
