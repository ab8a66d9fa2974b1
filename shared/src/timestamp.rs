//! Times in documents: whole seconds UTC, written as RFC 3339.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Seconds since the epoch. JSON: `"2026-11-30T17:36:58Z"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms.div_euclid(1_000))
    }

    /// Seconds since the epoch.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// The calendar date and time, UTC. Times beyond the calendar's range read as the epoch.
    #[must_use]
    pub fn date_time(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(self.0).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.date_time().format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str> as Deserialize>::deserialize(deserializer)?;
        let parsed = OffsetDateTime::parse(&text, &Rfc3339);
        let time =
            parsed.map_err(|_| serde::de::Error::custom(format_args!("not a time of RFC 3339: {text:?}")))?;
        Ok(Self(time.unix_timestamp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_in_utc() {
        assert_eq!(Timestamp::from_ms(1_796_060_218_999).to_string(), "2026-11-30T17:36:58Z");
        assert_eq!(Timestamp::from_ms(-1).seconds(), -1);
        assert_eq!(Timestamp::from_seconds(i64::MAX).to_string(), "1970-01-01T00:00:00Z");
    }
    #[test]
    fn what_was_written_is_read() {
        for seconds in [0, -1, 1_796_060_218] {
            let text = serde_json::to_string(&Timestamp::from_seconds(seconds)).unwrap();
            assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap().seconds(), seconds, "{text}");
        }
        assert!(serde_json::from_str::<Timestamp>("\"yesterday\"").is_err());
    }
}
