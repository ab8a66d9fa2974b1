//! What a probe knows before its first request, and its deadlines.

use url::Url;

use crate::methodology::limits;
use crate::outcome::{Era, Precision};

/// The input of one probe.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The endpoint, already through the listing's URL rules.
    pub endpoint: Url,
    /// The era that answered last time, if remembered.
    pub era: Option<Era>,
    /// Where the protected-resource metadata answered last time.
    pub resource_metadata: Option<Url>,
    /// Where the authorization-server metadata answered last time.
    pub authorization_server: Option<Url>,
    /// Whether to end a session with DELETE (the fuse has not blown).
    pub end_session: bool,
    /// What the transport can see.
    pub precision: Precision,
    /// http and private addresses are allowed (local runs): metadata on http loopback URLs then counts as valid.
    pub allow_private: bool,
    pub deadlines: Deadlines,
    /// When the probe starts, in milliseconds since the epoch, by the best clock its vantage has.
    pub started_ms: i64,
    /// Random bits from outside; request ids are derived from it.
    pub seed: u64,
}

/// Deadlines in milliseconds; a parameter, so that tests run at a twentieth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    pub connect_ms: u32,
    pub handshake_ms: u32,
    pub request_ms: u32,
    pub initialized_ms: u32,
    pub end_session_ms: u32,
    pub total_ms: u32,
}

impl Deadlines {
    /// The published deadlines.
    pub const PUBLISHED: Self = Self {
        connect_ms: limits::CONNECT_MS,
        handshake_ms: limits::HANDSHAKE_MS,
        request_ms: limits::REQUEST_MS,
        initialized_ms: limits::INITIALIZED_MS,
        end_session_ms: limits::END_SESSION_MS,
        total_ms: limits::TOTAL_MS,
    };

    /// The published deadlines divided by `divisor` (at least 1), none under 1 ms.
    #[must_use]
    pub fn divided_by(divisor: u32) -> Self {
        let divide = |ms: u32| (ms / divisor.max(1)).max(1);
        let Self { connect_ms, handshake_ms, request_ms, initialized_ms, end_session_ms, total_ms } =
            Self::PUBLISHED;
        Self {
            connect_ms: divide(connect_ms),
            handshake_ms: divide(handshake_ms),
            request_ms: divide(request_ms),
            initialized_ms: divide(initialized_ms),
            end_session_ms: divide(end_session_ms),
            total_ms: divide(total_ms),
        }
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Self::PUBLISHED
    }
}
