//! The 95 % interval beside every availability: Wilson's score interval on Kish's effective sample. (section 7)
//!
//! E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
//! Statistical Association 22 (1927); L. Kish, "Survey Sampling" (1965). It takes the figures as printed, so that a
//! reader who has those has the bounds.

use crate::methodology::score::{MOST_WITH_A_FAILURE, Z_95};

use super::round::thousandths;

/// Bounds in thousandths, with lo <= point <= hi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub lo: u32,
    pub hi: u32,
}

/// Of a point in thousandths and an effective sample in tenths, each as printed. Without a sample, everything is
/// possible.
#[must_use]
pub fn wilson(point: u32, effective_tenths: u32, failed: bool) -> Interval {
    let point = point.min(1_000);
    let most = if failed { MOST_WITH_A_FAILURE.max(point) } else { 1_000 };
    if effective_tenths == 0 {
        return Interval { lo: 0, hi: most };
    }
    let share = f64::from(point) / 1_000.0;
    let sample = f64::from(effective_tenths) / 10.0;
    let spread = Z_95 * Z_95 / sample;
    let centre = share + spread / 2.0;
    let half_width = Z_95 * (share * (1.0 - share) / sample + spread / (4.0 * sample)).sqrt();
    let scale = 1.0 + spread;
    Interval {
        lo: thousandths((centre - half_width) / scale).min(point),
        hi: thousandths((centre + half_width) / scale).clamp(point, most),
    }
}
