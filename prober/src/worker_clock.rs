//! The Worker's time on this machine: its last word, and the monotonic time since. A step of the system's own clock
//! moves nothing; that clock is only asked before the Worker has spoken, as in a probe by hand it never does.
//!
//! Votes and signatures carry this time, and certificates are judged by it: a machine whose clock is off must not
//! call a good one expired.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;

/// One word of the Worker's about its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Milliseconds since the epoch, by the Worker.
    pub(crate) worker_ms: i64,
    /// When that word arrived here.
    pub(crate) at: Instant,
}

impl Reading {
    /// The Worker's time at `instant`, before or after this reading.
    pub(crate) fn time_ms(self, instant: Instant) -> i64 {
        let after = instant.saturating_duration_since(self.at).as_millis();
        let before = self.at.saturating_duration_since(instant).as_millis();
        let offset = i64::try_from(after).unwrap_or(i64::MAX) - i64::try_from(before).unwrap_or(i64::MAX);
        self.worker_ms.saturating_add(offset)
    }
}

/// The last reading, for all who need the time.
#[derive(Debug, Default)]
pub(crate) struct WorkerClock(Mutex<Option<Reading>>);

impl WorkerClock {
    pub(crate) fn set(&self, reading: Reading) {
        *self.lock() = Some(reading);
    }

    /// The Worker's time now, as well as we know it.
    pub(crate) fn now_ms(&self) -> i64 {
        self.told_ms().unwrap_or_else(system_ms)
    }

    /// The Worker's time now; None before it has told it.
    pub(crate) fn told_ms(&self) -> Option<i64> {
        let reading = *self.lock();
        reading.map(|reading| reading.time_ms(Instant::now()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Reading>> {
        // A reading is whole or absent: a panic elsewhere cannot have left half of one.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl TimeProvider for WorkerClock {
    fn current_time(&self) -> Option<UnixTime> {
        let since = u64::try_from(self.now_ms()).unwrap_or(0);
        Some(UnixTime::since_unix_epoch(Duration::from_millis(since)))
    }
}

fn system_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_from_the_reading_and_back_before_it() {
        let at = Instant::now() + Duration::from_secs(10);
        let reading = Reading { worker_ms: 1_000_000, at };
        assert_eq!(reading.time_ms(at), 1_000_000);
        assert_eq!(reading.time_ms(at + Duration::from_millis(1_234)), 1_001_234);
        assert_eq!(reading.time_ms(at - Duration::from_millis(500)), 999_500);
    }

    #[test]
    fn the_worker_is_believed_over_the_system() {
        let clock = WorkerClock::default();
        assert!((clock.now_ms() - system_ms()).abs() < 5_000);
        clock.set(Reading { worker_ms: 42_000, at: Instant::now() });
        assert!((42_000..47_000).contains(&clock.now_ms()));
    }
}
