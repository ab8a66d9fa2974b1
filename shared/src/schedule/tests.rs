//! The laws of the schedule.

use proptest::prelude::*;

use super::*;

const NOON: u32 = 29_934_720;

fn cadence(segments: &[(u32, u32)]) -> Cadence {
    Cadence::new(
        segments
            .iter()
            .map(|&(from_slot, interval_minutes)| Segment { from_slot, interval_minutes })
            .collect(),
    )
}

#[test]
fn validity_by_tier() {
    assert_eq!(validity_s(5), 3_000);
    assert_eq!(validity_s(30), 18_000);
    assert_eq!(validity_s(1), 600, "never under 600 s");
}

#[test]
fn the_hash_is_part_of_the_method() {
    // SplitMix64 of 1 to 8, modulo 30, computed apart from this code.
    let phases: Vec<u32> = (1..=8).map(|listing| Segment::beginning(listing, 30, 0).from_slot).collect();
    assert_eq!(phases, [5, 10, 3, 28, 8, 2, 27, 22]);
}

#[test]
fn a_change_of_interval_ends_the_old_grid() {
    let cadence = cadence(&[(102, 30), (100, 5), (100, 1)]);
    let slots: Vec<_> = cadence.slots_between(0, 170).collect();
    assert_eq!(slots, [(100, 1), (101, 1), (102, 30), (132, 30), (162, 30)]);
    assert_eq!(cadence.interval_of(101), Some(1));
    assert_eq!(cadence.interval_of(103), None);
    assert_eq!(cadence.interval_of(99), None);
    assert_eq!(cadence.newest_interval(), Some(30));
}

#[test]
fn a_vote_belongs_to_its_slot_by_its_start() {
    let slot = slot_ms(NOON);
    for (started_ms, now_ms, expected) in [
        (slot, slot, None),
        (slot - 30_000, slot, None),
        (slot - 30_001, slot, Some(Rejection::TooEarly)),
        (slot + 600_000, slot + 700_000, None),
        (slot + 600_001, slot + 700_000, Some(Rejection::TooLate)),
        (slot + 120_000, slot, None),
        (slot + 120_001, slot, Some(Rejection::InFuture)),
        (slot, slot + 7 * 86_400_000, None),
        (slot, slot + 7 * 86_400_000 + 1, Some(Rejection::TooOld)),
        (i64::MIN, slot, Some(Rejection::TooOld)),
        (i64::MAX, slot, Some(Rejection::InFuture)),
    ] {
        assert_eq!(start_fault(started_ms, NOON, 5, now_ms), expected, "{} of {now_ms}", started_ms - slot);
    }
}

#[test]
fn a_slot_is_offerable_for_one_interval() {
    assert!(offerable(NOON, 5, slot_ms(NOON + 5) - 1));
    assert!(!offerable(NOON, 5, slot_ms(NOON + 5)));
}

#[test]
fn times_outside_the_calendar_have_a_minute() {
    assert_eq!(minute_of(i64::MIN), 0);
    assert_eq!(minute_of(i64::MAX), u32::MAX);
    assert_eq!(minute_of(slot_ms(NOON) + 59_999), NOON);
}

proptest! {
    #[test]
    fn the_first_slot_is_the_first_congruent_minute(listing: u32, interval in 1u32..100, minute in 0u32..2_000_000_000) {
        let first = Segment::beginning(listing, interval, minute).from_slot;
        prop_assert!((minute..minute + interval).contains(&first));
        let phase = Segment::beginning(listing, interval, 0).from_slot;
        prop_assert_eq!(first % interval, phase);
    }

    /// A listing that turns from open to gated keeps every sixth slot of its grid.
    #[test]
    fn the_gated_grid_lies_on_the_open_one(listing: u32, minute in 0u32..2_000_000_000) {
        let gated = Segment::beginning(listing, 30, minute).from_slot;
        let open = Segment::beginning(listing, 5, minute).from_slot;
        prop_assert_eq!((gated - open) % 5, 0);
    }

    #[test]
    fn slots_between_are_exactly_the_minutes_with_an_interval(
        segments in proptest::collection::vec((0u32..300, 0u32..40), 0..5), first in 0u32..300, length in 0u32..100,
    ) {
        let cadence = cadence(&segments);
        let expected: Vec<(u32, u32)> = (first..=first + length)
            .filter_map(|minute| Some((minute, cadence.interval_of(minute)?))).collect();
        prop_assert_eq!(cadence.slots_between(first, first + length).collect::<Vec<_>>(), expected);
    }

    /// Due times keep to the slot's share of the interval, so a vote started when due is never too early or too late,
    /// and no two networks look at one listing together.
    #[test]
    fn due_times_stay_in_their_share(
        listing: u32, slot in 1_000_000u32..100_000_000, interval in 1u32..2_000, count in 1u32..4,
    ) {
        let tenth = i64::from(interval) * MINUTE_MS / 10;
        let mut last = i64::MIN;
        for place in 0..count {
            let due = due_ms(listing, place + 1, slot, interval, Turn { place, count });
            let share = slot_ms(slot) + i64::from(interval) * MINUTE_MS * i64::from(place) / i64::from(count);
            prop_assert!((due - share).abs() <= tenth);
            prop_assert!(due > last + tenth);
            prop_assert_eq!(start_fault(due, slot, interval, due), None);
            prop_assert!(offerable(slot, interval, due));
            last = due;
        }
    }

    #[test]
    fn jitter_is_spread_over_its_reach(listing: u32, network in 0u32..4) {
        let turn = Turn { place: 0, count: 1 };
        let mut thirds = [0; 3];
        for slot in (0..3_000).step_by(5) {
            let jitter = due_ms(listing, network, slot, 5, turn) - slot_ms(slot) + 30_000;
            thirds[(jitter / 20_001) as usize] += 1;
        }
        prop_assert!(thirds.iter().all(|&count| count > 130), "{:?}", thirds);
    }
}
