//! Listings: slug, name, endpoint URL, tier and state. (methodology section 1)

pub mod endpoint;
pub mod hosts;
mod slug;

pub use endpoint::{Endpoint, EndpointFault};
pub use hosts::HostList;
pub use slug::{Name, NameFault, Slug, SlugFault};

use crate::words::word_enum;

word_enum! {
    /// What kind of door the endpoint has.
    Tier {
        /// No counted success yet.
        Unknown = 0 "unknown",
        /// The handshake succeeds without authentication.
        Open = 1 "open",
        /// 401: only the front door is measured.
        Gated = 2 "gated",
    }
}

word_enum! {
    /// Whether a listing is measured and scored. Only `active` carries a score.
    State {
        Active = 0 "active",
        UnderReview = 1 "under_review",
        Frozen = 2 "frozen",
        Delisted = 3 "delisted",
        Refused = 4 "refused",
        Unprobeable = 5 "unprobeable",
    }
}

impl State {
    /// Whether slots of such a listing are offered.
    #[must_use]
    pub const fn probed(self) -> bool {
        matches!(self, Self::Active | Self::UnderReview | Self::Frozen)
    }
}
