//! Stability: how much the advertised tools changed, each change weighing half after a week. (section 3)

use crate::drift::Kind;
use crate::methodology::score::{DRIFT_DIVISOR, DRIFT_HALF_LIFE_S, DRIFT_SAME_KIND, DRIFT_WINDOW_S};

use super::decay::power_of_two;
use super::round::thousandths;

/// A change as it is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// When it was first seen, seconds since the epoch.
    pub at: i64,
    pub kind: Kind,
    /// Thousandths; 0 where it is muted.
    pub severity: u32,
}

/// clamp(1 - sum of severities / 2, 0, 1) in thousandths, over the changes of the 30 days before `as_of`, in any order.
#[must_use]
pub fn score(changes: &[Change], as_of: i64) -> u32 {
    let mut inside: Vec<Change> = changes
        .iter()
        .filter(|change| change.severity > 0 && change.at < as_of && change.at >= as_of - DRIFT_WINDOW_S)
        .copied()
        .collect();
    // Of equal ones any two count; and sums are taken in one order, however the changes came.
    inside.sort_unstable();
    let mut sum = 0.0;
    let mut same = (None, 0);
    for change in inside {
        let first_seen = Some((change.at, change.kind));
        same = if same.0 == first_seen { (first_seen, same.1 + 1) } else { (first_seen, 1) };
        if same.1 <= DRIFT_SAME_KIND {
            let age = (as_of - change.at) as f64 / DRIFT_HALF_LIFE_S as f64;
            sum += f64::from(change.severity) / 1_000.0 * power_of_two(-age);
        }
    }
    thousandths((1.0 - sum / f64::from(DRIFT_DIVISOR)).clamp(0.0, 1.0))
}
