//! The shape of a tool listing: digests of what a client relies on, without the schemas themselves.
//! (methodology section 3: "We store no schema")

mod collector;

pub use collector::{Collected, Collector};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Eight bytes of SHA-256, written as 16 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 8]);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::str::FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() != 16 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("a digest is 16 lower-case hexadecimal digits, got {text:?}"));
        }
        let value = u64::from_str_radix(text, 16).map_err(|error| error.to_string())?;
        Ok(Self(value.to_be_bytes()))
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

/// The tools of one listing, sorted by name digest; order as sent never matters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    tools: Vec<ToolShape>,
}

/// The digests of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolShape {
    /// The first 128 bytes of the name, for people.
    pub name: String,
    /// Digest of the whole name: the identity.
    pub id: Digest,
    /// Title and description.
    pub text: Digest,
    /// Output schema.
    pub output: Digest,
    /// Input schema without `properties`, `required` and every `title` and `description`.
    pub input: Digest,
    pub parameters: Vec<ParameterShape>,
}

/// The digests of one top-level parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterShape {
    pub id: Digest,
    pub required: bool,
    /// Digest of `type`.
    pub kind: Digest,
    /// The rest without `title` and `description`.
    pub rest: Digest,
    /// `title` and `description`.
    pub text: Digest,
}

impl Shape {
    /// Tool names as shown to people, in the order of the shape.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// The tools.
    #[must_use]
    pub fn tools(&self) -> &[ToolShape] {
        &self.tools
    }

    /// The digest of the whole shape.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest([0; 8])
    }
}
