//! The revisions of MCP we speak, and their two eras.

use crate::outcome::Era;

/// The revisions opened by `initialize`, oldest first.
pub const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", ASKED_LEGACY];
/// The revision without `initialize`.
pub const MODERN: &str = "2026-07-28";
/// What our `initialize` asks for: the newest legacy revision, never the modern one.
pub const ASKED_LEGACY: &str = "2025-11-25";

/// The era of a revision, where we speak it.
#[must_use]
pub fn era_of(version: &str) -> Option<Era> {
    if version == MODERN {
        Some(Era::Modern)
    } else if LEGACY.contains(&version) {
        Some(Era::Legacy)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_belongs_to_one_era_and_no_other_text_does() {
        for version in LEGACY {
            assert_eq!(era_of(version), Some(Era::Legacy), "{version}");
        }
        assert_eq!(era_of(MODERN), Some(Era::Modern));
        for other in ["", "2025-11-24", "2027-01-01", "draft", " 2025-11-25", "2025-11-25 "] {
            assert_eq!(era_of(other), None, "{other:?}");
        }
    }

    #[test]
    fn we_ask_for_the_newest_legacy_revision() {
        assert_eq!(LEGACY.iter().max(), Some(&ASKED_LEGACY));
        assert!(ASKED_LEGACY < MODERN);
    }
}
