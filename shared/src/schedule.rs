//! When a listing is probed: slots, cadence, due times, shards, and which votes belong to a slot. (methodology section 2)

use crate::methodology::{
    FUTURE_TOLERANCE_S, JITTER_THOUSANDTHS, LATEST_START_INTERVALS, OLDEST_VOTE_S, SHARD_LISTINGS,
    VALIDITY_FLOOR_S, VALIDITY_INTERVALS,
};
use crate::mix::mix;
use crate::sorting::sort_by_key;
use crate::vote::Rejection;

/// Milliseconds in a minute: slots are whole minutes since the epoch.
pub const MINUTE_MS: i64 = 60_000;

/// The minute that `ms` lies in. Times before the epoch read as minute 0.
#[must_use]
pub fn minute_of(ms: i64) -> u32 {
    u32::try_from(ms.div_euclid(MINUTE_MS)).unwrap_or(if ms < 0 { 0 } else { u32::MAX })
}

/// The start of a slot in milliseconds since the epoch.
#[must_use]
pub fn slot_ms(slot: u32) -> i64 {
    i64::from(slot) * MINUTE_MS
}

/// From `from_slot` on there is a slot every `interval_minutes`, until the next segment begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    pub from_slot: u32,
    /// At least 1.
    pub interval_minutes: u32,
}

impl Segment {
    /// The segment of a listing whose interval is in force from `minute` on: it begins at the first minute, not before
    /// that one, that is congruent to the listing's hash modulo the interval.
    #[must_use]
    pub fn beginning(listing: u32, interval_minutes: u32, minute: u32) -> Self {
        let interval = interval_minutes.max(1);
        let phase = (mix(u64::from(listing)) % u64::from(interval)) as u32;
        let wait = (phase + interval - minute % interval) % interval;
        Self { from_slot: minute.saturating_add(wait), interval_minutes: interval }
    }
}

/// All segments of one listing and network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cadence(Vec<Segment>);

impl Cadence {
    /// Takes segments in any order. Of two that begin together the later given counts.
    #[must_use]
    pub fn new(mut segments: Vec<Segment>) -> Self {
        segments.retain(|segment| segment.interval_minutes > 0);
        sort_by_key(&mut segments, |segment| segment.from_slot);
        segments.dedup_by(|later, earlier| {
            let same = later.from_slot == earlier.from_slot;
            if same {
                *earlier = *later;
            }
            same
        });
        Self(segments)
    }

    /// The segment in force at a minute; none before the first.
    #[must_use]
    pub fn segment_at(&self, minute: u32) -> Option<Segment> {
        self.0.iter().rev().find(|segment| segment.from_slot <= minute).copied()
    }

    /// The interval of `slot` in minutes, if that minute is a slot.
    #[must_use]
    pub fn interval_of(&self, slot: u32) -> Option<u32> {
        let segment = self.segment_at(slot)?;
        (slot - segment.from_slot)
            .is_multiple_of(segment.interval_minutes)
            .then_some(segment.interval_minutes)
    }

    /// The first slot there is.
    #[must_use]
    pub fn first_slot(&self) -> Option<u32> {
        self.0.first().map(|segment| segment.from_slot)
    }

    /// The newest interval, also where it begins in the future.
    #[must_use]
    pub fn newest_interval(&self) -> Option<u32> {
        self.0.last().map(|segment| segment.interval_minutes)
    }

    /// The slots from `first` to `last`, both included, with their intervals, ascending.
    pub fn slots_between(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().enumerate().flat_map(move |(index, segment)| {
            let Segment { from_slot, interval_minutes } = *segment;
            let end = match self.0.get(index + 1) {
                Some(next) => last.min(next.from_slot.saturating_sub(1)),
                None => last,
            };
            let steps = first.saturating_sub(from_slot).div_ceil(interval_minutes);
            let start = u64::from(from_slot) + u64::from(steps) * u64::from(interval_minutes);
            (start..=u64::from(end))
                .step_by(interval_minutes as usize)
                .filter_map(move |slot| Some((u32::try_from(slot).ok()?, interval_minutes)))
        })
    }
}

/// Where a network stands among the configured ones: number `place` (from 0) of `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub place: u32,
    /// At least 1.
    pub count: u32,
}

/// When a slot is due, in milliseconds: the slot + place / count of the interval, +-10 % of the interval by a hash.
///
/// Two networks never look at the same instant, and one network's probes do not all start on the minute.
#[must_use]
pub fn due_ms(listing: u32, network: u32, slot: u32, interval_minutes: u32, turn: Turn) -> i64 {
    let interval_ms = i64::from(interval_minutes) * MINUTE_MS;
    let share = interval_ms * i64::from(turn.place) / i64::from(turn.count.max(1));
    let reach = jitter_ms(interval_minutes);
    let hash = mix(mix(mix(u64::from(listing)) ^ u64::from(network)) ^ u64::from(slot));
    let jitter = (hash % (2 * reach.unsigned_abs() + 1)).cast_signed() - reach;
    slot_ms(slot) + share + jitter
}

/// The jitter's reach either way, in milliseconds.
const fn jitter_ms(interval_minutes: u32) -> i64 {
    interval_minutes as i64 * MINUTE_MS * JITTER_THOUSANDTHS as i64 / 1_000
}

/// A slot is offerable until one interval after it, then it is missed for good.
#[must_use]
pub fn offerable(slot: u32, interval_minutes: u32, now_ms: i64) -> bool {
    now_ms < slot_ms(slot) + i64::from(interval_minutes) * MINUTE_MS
}

/// For how many seconds from its start a vote is valid, by the interval of its slot.
#[must_use]
pub fn validity_s(interval_minutes: u32) -> u32 {
    interval_minutes.saturating_mul(60 * VALIDITY_INTERVALS).max(VALIDITY_FLOOR_S)
}

/// The shard of a listing: leases are held by shard.
#[must_use]
pub const fn shard_of(listing: u32) -> u32 {
    listing / SHARD_LISTINGS
}

/// Why a vote that started at `started_ms` does not belong to its slot, or comes at the wrong time.
#[must_use]
pub fn start_fault(started_ms: i64, slot: u32, interval_minutes: u32, now_ms: i64) -> Option<Rejection> {
    let since_slot = started_ms.saturating_sub(slot_ms(slot));
    let latest = i64::from(interval_minutes) * MINUTE_MS * i64::from(LATEST_START_INTERVALS);
    if started_ms > now_ms.saturating_add(FUTURE_TOLERANCE_S * 1_000) {
        Some(Rejection::InFuture)
    } else if started_ms < now_ms.saturating_sub(OLDEST_VOTE_S * 1_000) {
        Some(Rejection::TooOld)
    } else if since_slot < -jitter_ms(interval_minutes) {
        Some(Rejection::TooEarly)
    } else if since_slot > latest {
        Some(Rejection::TooLate)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
