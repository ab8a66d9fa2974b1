//! Eight bytes of SHA-256: enough to notice a change, too little to store what changed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::canonical;

/// The first eight bytes of a SHA-256, written as 16 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 8]);

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 16 lower-case hexadecimal digits, got {0:?}")]
pub struct NotADigest(String);

impl Digest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        let [a, b, c, d, e, f, g, h, ..] = hash;
        Self([a, b, c, d, e, f, g, h])
    }

    /// Of the canonical JSON (RFC 8785) of a value; of nothing where there is none, which no value equals.
    #[must_use]
    pub fn of_json(value: Option<&Value>) -> Self {
        Self::of(value.map(canonical::to_text).unwrap_or_default().as_bytes())
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::str::FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let well_formed =
            text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        match u64::from_str_radix(text, 16) {
            Ok(value) if well_formed => Ok(Self(value.to_be_bytes())),
            _ => Err(NotADigest(text.chars().take(40).collect())),
        }
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str> as Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_the_start_of_sha_256_in_hexadecimal() {
        // SHA-256 of nothing and of "abc", FIPS 180-4.
        assert_eq!(Digest::of(b"").to_string(), "e3b0c44298fc1c14");
        assert_eq!(Digest::of(b"abc").to_string(), "ba7816bf8f01cfea");
        assert_eq!(Digest::of_json(None), Digest::of(b""));
        assert_eq!(
            Digest::of_json(Some(&json!({"b": 1.0, "a": "é"}))),
            Digest::of("{\"a\":\"é\",\"b\":1}".as_bytes())
        );
    }

    #[test]
    fn the_text_comes_back_and_nothing_else_is_one() {
        let digest = Digest([0, 1, 0x80, 0xff, 0xab, 5, 6, 7]);
        assert_eq!(digest.to_string(), "000180ffab050607");
        assert_eq!("000180ffab050607".parse(), Ok(digest));
        assert_eq!(serde_json::from_str::<Digest>("\"000180ffab050607\"").unwrap(), digest);
        assert_eq!(serde_json::to_string(&digest).unwrap(), "\"000180ffab050607\"");
        for text in [
            "",
            "000180ffab05060",
            "000180ffab0506070",
            "000180FFAB050607",
            "+00180ffab050607",
            "é80ffab050607aa",
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
