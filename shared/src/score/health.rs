//! Health: four inputs, fixed weights, integers only. (section 3)

use crate::methodology::score::{WEIGHT_AVAILABILITY, WEIGHT_LATENCY, WEIGHT_PROTOCOL, WEIGHT_STABILITY};

/// The inputs in thousandths, measured or from priors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    pub availability: u32,
    pub latency: u32,
    pub protocol: u32,
    pub stability: u32,
}

impl Inputs {
    /// The weighed sum in millionths: the digits before rounding.
    #[must_use]
    pub const fn sum(self) -> u32 {
        WEIGHT_AVAILABILITY * self.availability
            + WEIGHT_LATENCY * self.latency
            + WEIGHT_PROTOCOL * self.protocol
            + WEIGHT_STABILITY * self.stability
    }

    /// Health in thousandths, 0 to 1,000: one decimal, as boards are ranked.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        (self.sum() + 500) / 1_000
    }

    /// Health, 0 to 100: (600 a + 200 l + 150 p + 50 s + 5,000) div 10,000.
    #[must_use]
    pub const fn health(self) -> u32 {
        (self.sum() + 5_000) / 10_000
    }
}
