//! Latency: the median of handshakes seen from exact networks, and what it scores. (section 3)

use crate::methodology::score::{LATENCY_BEST_MS, LATENCY_SPAN_MS};
use crate::outcome::Class;

use super::probe::Probe;

/// What a median scores, in thousandths: clamp(1 - (p50 - best) / span, 0, 1), rounded half up.
#[must_use]
pub fn score(p50_ms: u32) -> u32 {
    let left = (LATENCY_BEST_MS + LATENCY_SPAN_MS).saturating_sub(p50_ms).min(LATENCY_SPAN_MS);
    (2_000 * left + LATENCY_SPAN_MS) / (2 * LATENCY_SPAN_MS)
}

/// Percentiles by nearest rank, in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    pub p50: u32,
    pub p90: u32,
    pub p99: u32,
    /// Values they are of.
    pub values: u32,
}

/// The latency of a vote that is scored: `up` or `degraded`.
#[must_use]
pub fn scored(probe: &Probe) -> Option<u32> {
    matches!(probe.class, Class::Up | Class::Degraded).then_some(probe.latency_ms).flatten()
}

/// Percentiles of values in any order; none without a value.
#[must_use]
pub fn percentiles(mut values: Vec<u32>) -> Option<Percentiles> {
    values.sort_unstable();
    Some(Percentiles {
        p50: nearest_rank(&values, 50)?,
        p90: nearest_rank(&values, 90)?,
        p99: nearest_rank(&values, 99)?,
        values: u32::try_from(values.len()).unwrap_or(u32::MAX),
    })
}

/// The value number ceil(n p / 100) of ascending values, counted from 1; none without a value.
#[must_use]
pub fn nearest_rank(ascending: &[u32], percent: usize) -> Option<u32> {
    let rank = (ascending.len() * percent).div_ceil(100).max(1);
    ascending.get(rank - 1).copied()
}
