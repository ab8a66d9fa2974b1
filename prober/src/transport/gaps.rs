//! The pause between probes at hosts that are no probe's own: authorization servers that many listings share.
//!
//! A probe's own host is the scheduler's business; here it is only noted, so that others keep their distance.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use shared::methodology::HOST_GAP_MS;
use tokio::time::{Duration, Instant};

const GAP: Duration = Duration::from_millis(HOST_GAP_MS);
/// Hosts remembered before those whose pause is over are first looked for.
const FIRST_SWEEP: usize = 1_024;

/// When each host was last promised to a probe.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostGaps(Arc<Mutex<Promised>>);

#[derive(Debug, Default)]
struct Promised {
    last: HashMap<String, Instant>,
    sweep_at: usize,
}

impl HostGaps {
    /// Takes the next free moment at this host, `now` or later.
    pub(super) fn reserve(&self, host: &str, now: Instant) -> Instant {
        let mut promised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = promised.last.get(host).map_or(now, |last| now.max(*last + GAP));
        promised.note(host, free, now);
        free
    }

    /// Notes that a probe of this host begins.
    pub(super) fn note(&self, host: &str, now: Instant) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note(host, now, now);
    }
}

impl Promised {
    fn note(&mut self, host: &str, at: Instant, now: Instant) {
        let last = self.last.entry(host.to_owned()).or_insert(at);
        *last = at.max(*last);
        if self.last.len() >= self.sweep_at.max(FIRST_SWEEP) {
            self.last.retain(|_, last| *last + GAP > now);
            self.sweep_at = 2 * self.last.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_who_come_at_once_get_moments_a_gap_apart() {
        let gaps = HostGaps::default();
        let now = Instant::now();
        assert_eq!(gaps.reserve("a", now), now);
        assert_eq!(gaps.reserve("a", now), now + GAP);
        assert_eq!(gaps.reserve("b", now), now);
        assert_eq!(gaps.reserve("a", now + 5 * GAP), now + 5 * GAP);
        gaps.note("c", now);
        assert_eq!(gaps.reserve("c", now), now + GAP);
    }

    #[test]
    fn hosts_are_forgotten_once_their_pause_is_over() {
        let gaps = HostGaps::default();
        let start = Instant::now();
        for number in 0..10 * FIRST_SWEEP as u32 {
            gaps.reserve(&number.to_string(), start + number * GAP);
        }
        assert!(gaps.0.lock().unwrap().last.len() <= 2 * FIRST_SWEEP);
    }
}
