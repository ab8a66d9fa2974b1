//! `word_enum!`: an enum whose variants have one stable word (JSON, pages) and one stable number (packed storage);
//! and words as an older version reads them.

use serde::de::{Deserialize, Deserializer, IntoDeserializer, value};

/// A word as somebody reads it who may be older than its writer: one that is not known here spoils nothing around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word<T> {
    Known(T),
    /// As it was written.
    Unknown(String),
}

impl<T> Word<T> {
    /// What it means here, if anything.
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(known) => Some(known),
            Self::Unknown(_) => None,
        }
    }
}

impl<'de, T: for<'word> Deserialize<'word>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let known = T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(word.as_str()));
        Ok(known.map_or(Self::Unknown(word), Self::Known))
    }
}

/// Reads an optional word that says nothing where it is not known, for `#[serde(deserialize_with)]`.
pub(crate) fn where_known<'de, D: Deserializer<'de>, T: for<'word> Deserialize<'word>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Word<T>>::deserialize(deserializer)?.and_then(Word::known))
}

/// Declares an enum with `ALL`, `word()`, `code()`, `from_word()`, `from_code()`, `Display` and serde as its word.
///
/// A word or number once published is never reused for something else.
macro_rules! word_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $code:literal $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable word used in JSON and on pages.
            #[must_use]
            pub const fn word(self) -> &'static str { match self { $(Self::$variant => $word,)+ } }

            /// The stable number used in packed storage.
            #[must_use]
            pub const fn code(self) -> u8 { match self { $(Self::$variant => $code,)+ } }

            /// The variant with this word, if any.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                // A list to go through is a quarter of the code of a match on texts.
                Self::ALL.iter().copied().find(|variant| variant.word() == word)
            }

            /// The variant with this number, if any.
            #[must_use]
            pub const fn from_code(code: u8) -> Option<Self> { match code { $($code => Some(Self::$variant),)+ _ => None } }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.word()) }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl $crate::reading::Read for $name {
            fn read(reader: &mut $crate::reading::Reader<'_>) -> Result<Self, $crate::reading::Fault> {
                let word = reader.text()?;
                Self::from_word(&word).ok_or_else(|| reader.unknown(stringify!($name), &word))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                Self::from_word(&word).ok_or_else(|| {
                    serde::de::Error::custom(format_args!(concat!("unknown ", stringify!($name), " {:?}"), word))
                })
            }
        }
    };
}

pub(crate) use word_enum;
