//! How long to wait before trying the Worker again: longer each time, never in step with others.

use std::time::Duration;

/// The first wait.
const FIRST: Duration = Duration::from_secs(1);
/// No wait of our own choice is longer: an outage that ends should be noticed.
const LONGEST: Duration = Duration::from_secs(300);
/// The longest wait a `Retry-After` gets, whatever it asks for.
pub(crate) const LONGEST_ASKED: Duration = Duration::from_secs(3_600);

/// Failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// The wait after one more failure. `asked` is a `Retry-After`, `random` any 64 bits.
    pub(crate) fn failed(&mut self, asked: Option<Duration>, random: u64) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        // Between half of it and all of it.
        let jittered = doubled / 2 + doubled.mul_f64((random % 1_024) as f64 / 2_048.0);
        match asked {
            // Others were asked to come at the same moment.
            Some(asked) => jittered.max(asked.min(LONGEST_ASKED) + jittered.min(FIRST)),
            None => jittered,
        }
    }
}

/// Random bits for a jitter, where predictable ones do no harm.
pub(crate) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn waits_grow_to_a_bound_and_honour_what_was_asked(randoms in prop::collection::vec(any::<u64>(), 1..40), asked in 0_u64..10_000) {
            let mut backoff = Backoff::default();
            for (failures, random) in randoms.into_iter().enumerate() {
                let full = FIRST.saturating_mul(1 << failures.min(16)).min(LONGEST);
                let wait = backoff.failed(None, random);
                prop_assert!(wait >= full / 2 && wait <= full, "{wait:?} of {full:?}");
            }
            let asked = Duration::from_secs(asked);
            prop_assert!(backoff.failed(Some(asked), 0) >= asked.min(LONGEST_ASKED));
            backoff.succeeded();
            prop_assert!(backoff.failed(None, 0) <= FIRST);
        }
    }
}
