//! The laws of claims, run as a prober and the database would.

use shared::methodology::{LEASE_S, OPEN_INTERVAL_MINUTES};
use shared::schedule::Segment;

use super::*;

const MINUTE: i64 = 60_000;
const START: u32 = 29_934_720;

/// The leases as the database keeps them.
#[derive(Default)]
struct Shelf {
    leases: Table<u32, Lease>,
}

impl Shelf {
    fn claim(&mut self, claimant: &Claimant<'_>, candidates: &[Candidate]) -> Offer {
        let offer = offer(claimant, candidates, &self.leases);
        assert_eq!(self.renew(claimant, &offer).len(), offer.slots.len());
        offer
    }

    /// Gives the slots whose shard is still as the offer was planned from.
    fn renew(&mut self, claimant: &Claimant<'_>, offer: &Offer) -> Vec<Slot> {
        let mut slots = offer.slots.clone();
        for Renewal { shard, before, after } in &offer.renewals {
            if self.leases.get(shard).map(|lease| lease.progress) != *before {
                slots.retain(|slot| schedule::shard_of(slot.listing) != *shard);
                continue;
            }
            let expires_ms = claimant.now_ms + LEASE_S * 1_000;
            let lease = Lease { holder: claimant.holder.to_owned(), expires_ms, progress: *after };
            self.leases.set(*shard, lease);
        }
        slots
    }
}

fn candidates(listings: std::ops::Range<u32>) -> Vec<Candidate> {
    listings
        .map(|listing| Candidate {
            listing,
            listed_ms: i64::from(START) * MINUTE,
            cadence: Cadence::new(vec![Segment::beginning(listing, OPEN_INTERVAL_MINUTES, START)]),
        })
        .collect()
}

fn claimant(holder: &str, now_ms: i64) -> Claimant<'_> {
    Claimant { holder, capacity: 1_000, network: 1, turn: Turn { place: 0, count: 1 }, now_ms }
}

fn at(minutes: i64, seconds: i64) -> i64 {
    (i64::from(START) + minutes) * MINUTE + seconds * 1_000
}

/// Slots of the first hour that lie wholly within what was polled.
fn expected(candidates: &[Candidate]) -> usize {
    candidates.iter().map(|candidate| candidate.cadence.slots_between(START, START + 54).count()).sum()
}

fn in_first_hour(slots: &[Slot]) -> usize {
    slots.iter().filter(|slot| slot.slot <= START + 54).count()
}

#[test]
fn every_slot_is_offered_once_and_near_its_time() {
    let candidates = candidates(1..600);
    let mut shelf = Shelf::default();
    let mut slots = Vec::new();
    for minute in 0..60 {
        let now_ms = at(minute, 1);
        let offer = shelf.claim(&claimant("a", now_ms), &candidates);
        assert!(offer.slots.iter().all(|slot| (now_ms..now_ms + MINUTE).contains(&slot.due_ms)));
        slots.extend(offer.slots);
    }
    assert_eq!(in_first_hour(&slots), expected(&candidates));
    slots.sort_by_key(|slot| (slot.listing, slot.slot));
    assert!(slots.windows(2).all(|pair| (pair[0].listing, pair[0].slot) != (pair[1].listing, pair[1].slot)));
}

/// However small the capacity and however often the prober asks, nothing is lost or offered twice.
#[test]
fn capacity_only_delays() {
    let candidates = candidates(1..600);
    let mut shelf = Shelf::default();
    let mut slots = Vec::new();
    for second in (1..3_600).step_by(2) {
        let small = Claimant { capacity: 7, ..claimant("a", at(0, second)) };
        let offer = shelf.claim(&small, &candidates);
        assert!(offer.slots.len() <= 7);
        slots.extend(offer.slots);
    }
    assert_eq!(in_first_hour(&slots), expected(&candidates));
    slots.sort_by_key(|slot| (slot.listing, slot.slot));
    assert!(slots.windows(2).all(|pair| (pair[0].listing, pair[0].slot) != (pair[1].listing, pair[1].slot)));
}

#[test]
fn a_shard_has_one_holder_until_its_lease_ends_and_the_next_goes_on_from_there() {
    let candidates = candidates(1..200);
    let mut shelf = Shelf::default();
    let mut slots = Vec::new();
    for minute in 0..60 {
        // The first holder is killed in minute 20; the second asks all the time.
        if minute < 20 {
            slots.extend(shelf.claim(&claimant("a", at(minute, 1)), &candidates).slots);
        }
        let offer = shelf.claim(&claimant("b", at(minute, 2)), &candidates);
        let expired = minute > 20;
        assert_eq!(offer.held_elsewhere, u32::from(!expired));
        assert_eq!(offer.slots.is_empty(), !expired, "minute {minute}");
        slots.extend(offer.slots);
    }
    // Two minutes are shorter than an interval: the next holder still finds every slot offerable.
    assert_eq!(in_first_hour(&slots), expected(&candidates));
}

#[test]
fn a_slot_is_missed_for_good_after_one_interval() {
    let candidates = candidates(1..100);
    let mut shelf = Shelf::default();
    shelf.claim(&claimant("a", at(0, 1)), &candidates);
    let late = shelf.claim(&claimant("a", at(30, 0)), &candidates);
    assert!(!late.slots.is_empty());
    for slot in &late.slots {
        assert!((START + 26..=START + 31).contains(&slot.slot), "{}", slot.slot);
        assert!(slot.due_ms >= at(30, 0));
    }
}

#[test]
fn a_listing_added_after_the_last_offer_gets_its_first_slot() {
    let mut shelf = Shelf::default();
    shelf.claim(&claimant("a", at(0, 1)), &candidates(1..100));
    for listing in 100..150 {
        let added = Candidate {
            listing,
            listed_ms: at(0, 30),
            cadence: Cadence::new(vec![Segment::beginning(listing, OPEN_INTERVAL_MINUTES, START)]),
        };
        let first = added.cadence.slots_between(START, START + 10).next().unwrap().0;
        let mut shelf = Shelf { leases: shelf.leases.clone() };
        let mut all = candidates(1..100);
        all.push(added);
        let offered: Vec<u32> = (1..8)
            .flat_map(|minute| shelf.claim(&claimant("a", at(minute, 1)), &all).slots)
            .filter(|slot| slot.listing == listing)
            .map(|slot| slot.slot)
            .collect();
        assert_eq!(offered.first(), Some(&first), "listing {listing}");
        assert!(offered.windows(2).all(|pair| pair[0] + 5 == pair[1]));
    }
}

#[test]
fn an_idle_minute_writes_no_lease() {
    let candidates = candidates(1..2);
    let mut shelf = Shelf::default();
    let writes: usize = (0..600)
        .map(|step| shelf.claim(&claimant("a", at(0, 1 + step * 6)), &candidates).renewals.len())
        .sum();
    // Sixty minutes: twelve slots, and a renewal each minute between them.
    assert!(writes <= 72, "{writes}");
}

#[test]
fn the_second_network_is_due_half_an_interval_later() {
    let candidates = candidates(1..300);
    let mut shelf = Shelf::default();
    for minute in 0..20 {
        let second =
            Claimant { network: 2, turn: Turn { place: 1, count: 2 }, ..claimant("e", at(minute, 1)) };
        for slot in shelf.claim(&second, &candidates).slots {
            let since_slot = slot.due_ms - i64::from(slot.slot) * MINUTE;
            assert!((119_000..=181_000).contains(&since_slot), "{since_slot}");
        }
    }
}

fn added(listing: u32, listed_ms: i64) -> Candidate {
    let cadence = Cadence::new(vec![Segment::beginning(listing, OPEN_INTERVAL_MINUTES, START)]);
    Candidate { listing, listed_ms, cadence }
}

/// Whatever was added since the last offer, and however the clocks of the two claims differ.
#[test]
fn of_two_claims_at_once_one_gets_a_slot() {
    for listing in 100..150 {
        for (first_ms, second_ms) in [(at(4, 1), at(4, 1)), (at(4, 1), at(4, 2)), (at(4, 2), at(4, 1))] {
            let mut shelf = Shelf::default();
            let mut all = candidates(1..100);
            shelf.claim(&claimant("a", at(4, 0)), &all);
            all.push(added(listing, at(4, 0) + 1));
            let (first, second) = (claimant("a", first_ms), claimant("a", second_ms));
            let offers = [offer(&first, &all, &shelf.leases), offer(&second, &all, &shelf.leases)];
            let mut slots = shelf.renew(&first, &offers[0]);
            slots.extend(shelf.renew(&second, &offers[1]));
            // And once more, with the clock that was behind.
            slots.extend(shelf.claim(&claimant("a", at(4, 0) + 500), &all).slots);
            let mut keys: Vec<_> = slots.iter().map(|slot| (slot.listing, slot.slot)).collect();
            keys.sort_unstable();
            assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{listing} {first_ms} {second_ms}");
        }
    }
}

/// Two slots of one listing may be due in one minute where its interval changes.
#[test]
fn capacity_never_parts_the_slots_of_one_listing_and_minute() {
    let now_ms = at(10, 1);
    let segment = |from_slot, interval_minutes| Segment { from_slot, interval_minutes };
    for gap in 1..4 {
        let cadence = Cadence::new(vec![segment(START, 5), segment(START + 5 + gap, 30)]);
        let candidates = [Candidate { listing: 1, listed_ms: 0, cadence }];
        for capacity in 0..4 {
            let mut shelf = Shelf::default();
            let small = Claimant { capacity, ..claimant("a", now_ms) };
            let mut slots: Vec<u32> =
                (0..6).flat_map(|_| shelf.claim(&small, &candidates).slots).map(|slot| slot.slot).collect();
            slots.sort_unstable();
            assert!(slots.windows(2).all(|pair| pair[0] != pair[1]), "{gap} {capacity}: {slots:?}");
        }
    }
}
