//! What a network delivered of what it should have, in the window. (section 6)

use crate::methodology::score::WINDOW_S;
use crate::schedule::Cadence;

use super::grade::Coverage;
use super::probe::Probe;

/// Coverage of one network: its slots are those that began in the window and are over, from its first one of the
/// listing on. None where it has had no slot yet.
#[must_use]
pub fn coverage(cadence: &Cadence, probes: &[Probe], as_of: i64) -> Option<Coverage> {
    let from = minute(as_of - WINDOW_S + 59);
    let now = minute(as_of);
    let first_slot = cadence.first_slot().filter(|first| *first <= now)?;
    let is_over = |slot: u32, interval: u32| slot.saturating_add(interval) <= now;
    let mut coverage = Coverage { first_slot, ..Coverage::default() };
    let slots = cadence.slots_between(from.max(first_slot), now);
    coverage.slots = count(slots.filter(|(slot, interval)| is_over(*slot, *interval)).count());
    let mut last = None;
    for probe in probes.iter().filter(|probe| probe.slot >= from) {
        // Two votes of one slot do not exist; whoever gives them anyway gets one.
        if last == Some(probe.slot) {
            continue;
        }
        last = Some(probe.slot);
        coverage.delivered += 1;
        coverage.declined += u32::from(probe.is_declined());
        if probe.is_counted() && is_over(probe.slot, probe.interval_minutes) {
            coverage.counted += 1;
        }
    }
    Some(coverage)
}

/// The minute a time lies in.
fn minute(seconds: i64) -> u32 {
    u32::try_from(seconds.div_euclid(60)).unwrap_or(if seconds < 0 { 0 } else { u32::MAX })
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
