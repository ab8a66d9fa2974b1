//! The laws of packed history, and what it costs.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::outcome::{Class, Phase, Precision, Reason};
use crate::shape::Digest;

const CHUNK: u32 = 83_152;
const BEGIN: u32 = CHUNK * CHUNK_MINUTES;

fn digest() -> impl Strategy<Value = Digest> {
    // Few different ones, so that dictionaries are shared.
    (0u8..4).prop_map(|seed| Digest([seed; 8]))
}

prop_compose! {
    fn record()(
        offset in 0..CHUNK_MINUTES,
        since_slot in prop_oneof![-60i64..700, any::<i32>().prop_map(i64::from)],
        class in select(Class::ALL),
        reason in option::of(select(Reason::ALL)),
        phase in option::of(select(Phase::ALL)),
        precision in select(Precision::ALL),
        http_status in option::of(any::<u16>()),
        latency_ms in option::of(prop_oneof![0u32..900, any::<u32>()]),
        tools_ok in any::<Option<bool>>(),
        violations in prop_oneof![Just(0), any::<u64>()],
        (colo, session_ended) in (option::of(Just(*b"BOM")), any::<bool>()),
        identity in option::of(digest()),
        shape in option::of((digest(), any::<bool>()).prop_map(|(digest, complete)| ShapeSeen { digest, complete })),
        excused in prop_oneof![9 => Just(None), 1 => Just(Some(Reason::AfterOurDelete))],
    ) -> Record {
        let slot = BEGIN + offset;
        Record {
            slot, started_s: i64::from(slot) * 60 + since_slot, class, reason, phase, precision, http_status, latency_ms,
            tools_ok, violations, colo, session_ended, identity, shape, excused,
        }
    }
}

/// Any number of different slots, sorted: what a chunk holds.
fn records() -> impl Strategy<Value = Vec<Record>> {
    proptest::collection::btree_map(0..CHUNK_MINUTES, record(), 0..40).prop_map(|map| {
        map.into_iter().map(|(offset, record)| Record { slot: BEGIN + offset, ..record }).collect()
    })
}

proptest! {
    #[test]
    fn what_is_encoded_decodes(records in records()) {
        prop_assert_eq!(decode(CHUNK, &encode(&records)), Ok(records));
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200), chunk: u32) {
        let _ = decode(chunk, &bytes);
        let mut versioned = vec![VERSION];
        versioned.extend(bytes);
        if let Ok(records) = decode(chunk, &versioned) {
            prop_assert!(records.len() <= CHUNK_MINUTES as usize);
            prop_assert!(records.windows(2).all(|pair| pair[0].slot < pair[1].slot));
        }
    }

    /// A stored chunk with damaged bytes is refused or reads as some valid chunk; it never stops the reader.
    #[test]
    fn damaged_chunks_have_an_answer(records in records(), place: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let mut bytes = encode(&records);
        if !bytes.is_empty() {
            let index = place.index(bytes.len());
            bytes[index] = byte;
            if let Ok(read) = decode(CHUNK, &bytes) {
                prop_assert_eq!(decode(CHUNK, &encode(&read)), Ok(read), "what decodes can be stored again");
            }
            let short = &encode(&records)[..cut.index(bytes.len())];
            prop_assert!(short.is_empty() || decode(CHUNK, short).is_err());
        }
    }

    /// The bytes depend on the set of records alone: not on the order of arrival, nor on how they were batched.
    #[test]
    fn order_and_batches_leave_the_same_chunk(records in records(), shuffled in records().prop_shuffle(), size in 1usize..9) {
        let set = || records.iter().copied().chain(shuffled.iter().copied().filter(
            |record| !records.iter().any(|other| other.slot == record.slot)));
        let at_once = merge(CHUNK, &[], &set().collect::<Vec<_>>()).unwrap();
        let mut backwards: Vec<Record> = set().collect();
        backwards.reverse();
        let mut bytes = Vec::new();
        for batch in backwards.chunks(size) {
            bytes = encode(&merge(CHUNK, &bytes, batch).unwrap().records);
        }
        prop_assert_eq!(bytes, encode(&at_once.records));
    }

    #[test]
    fn twice_changes_nothing(records in records()) {
        let once = merge(CHUNK, &[], &records).unwrap();
        prop_assert!(once.placements.iter().all(|placement| *placement == Placement::Accepted));
        let twice = merge(CHUNK, &encode(&once.records), &records).unwrap();
        prop_assert!(twice.placements.iter().all(|placement| *placement == Placement::Duplicate));
        prop_assert!(!twice.changed());
        prop_assert_eq!(twice.records, once.records);
    }

    /// Of two different votes for one slot in one batch the same one wins in either order, and later ones change nothing.
    #[test]
    fn a_slot_is_taken_once(one in record(), other in record()) {
        let other = Record { slot: one.slot, ..other };
        prop_assume!(!one.same_vote(&other));
        let forth = merge(CHUNK, &[], &[one, other]).unwrap();
        let back = merge(CHUNK, &[], &[other, one]).unwrap();
        prop_assert_eq!(&forth.records, &back.records);
        let first = merge(CHUNK, &[], &[one]).unwrap();
        let second = merge(CHUNK, &encode(&first.records), &[other]).unwrap();
        prop_assert_eq!(second.placements, vec![Placement::SlotTaken]);
        prop_assert_eq!(second.records, first.records);
    }
}

/// Starts that no vote has are refused; those at the ends of what one can have are kept, far apart as they are.
#[test]
fn starts_at_the_ends_of_time_can_be_stored_again() {
    let chunk = |starts: [i64; 2]| {
        // One template, one run, no base.
        let mut bytes = vec![VERSION, 2, 1, 0, 0, 0, 1, Class::Up.code(), 0, 0, 0, 0, 2];
        starts.iter().zip(i64::from(BEGIN)..).for_each(|(start, slot)| {
            bytes::put_signed(&mut bytes, start.saturating_sub(slot * 60));
        });
        bytes
    };
    let (first, last) = (i64::MIN.div_euclid(1_000), i64::MAX.div_euclid(1_000));
    for starts in [[first, last], [last, first]] {
        let records = decode(CHUNK, &chunk(starts)).unwrap();
        assert_eq!(records.iter().map(|record| record.started_s).collect::<Vec<_>>(), starts);
        assert_eq!(decode(CHUNK, &encode(&records)), Ok(records));
    }
    for far in [first - 1, last + 1, i64::MIN, i64::MAX] {
        for starts in [[far, 0], [0, far], [first, far], [far, last]] {
            assert_eq!(decode(CHUNK, &chunk(starts)), Err(ChunkFault::Range), "{starts:?}");
        }
    }
}

#[test]
fn an_excused_vote_delivered_again_is_a_duplicate() {
    let vote = Record { class: Class::Closed, ..ordinary(5, 0) };
    let excused = Record { excused: Some(Reason::AfterOurDelete), ..vote };
    let again = merge(CHUNK, &encode(&[excused]), &[vote]).unwrap();
    assert_eq!(again.placements, [Placement::Duplicate]);
    assert_eq!(again.records, [excused]);
    assert_eq!(excused.published_class(), Class::VantageError);
    assert_eq!(excused.published_reason(), Some(Reason::AfterOurDelete));
}

#[test]
fn a_record_of_another_chunk_is_refused() {
    let record = Record { slot: BEGIN - 1, ..ordinary(0, 0) };
    assert_eq!(merge(CHUNK, &[], &[record]), Err(ChunkFault::Slot));
}

#[test]
fn a_later_form_is_named() {
    assert_eq!(decode(CHUNK, &[9, 9, 9]), Err(ChunkFault::Version(9)));
}

#[test]
fn numbers_at_the_ends_of_their_range() {
    for value in [0, 1, 127, 128, u64::MAX - 1, u64::MAX] {
        let mut out = Vec::new();
        bytes::put_unsigned(&mut out, value);
        assert_eq!(bytes::Reader(&out).unsigned(), Ok(value));
    }
    for value in [0, -1, 63, -64, 64, i64::MAX, i64::MIN] {
        let mut out = Vec::new();
        bytes::put_signed(&mut out, value);
        assert_eq!(bytes::Reader(&out).signed(), Ok(value));
    }
    assert_eq!(bytes::Reader(&[0xff; 11]).unsigned(), Err(ChunkFault::Range));
}

fn ordinary(slot: u32, jitter_s: i64) -> Record {
    Record {
        slot: BEGIN + slot,
        started_s: i64::from(BEGIN + slot) * 60 + 150 + jitter_s,
        class: Class::Up,
        reason: None,
        phase: None,
        precision: Precision::Exact,
        http_status: Some(200),
        latency_ms: Some(412),
        tools_ok: Some(true),
        violations: 0,
        colo: None,
        session_ended: true,
        identity: Some(Digest([1; 8])),
        shape: Some(ShapeSeen { digest: Digest([2; 8]), complete: true }),
        excused: None,
    }
}

/// A repeatable stream of numbers for generated days.
fn numbers() -> impl FnMut() -> u32 {
    let mut state = 7_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}

/// A generated chunk: latency around its median with a long tail, 1 in 200 failing, 1 in 100 slots missed.
fn generated_chunk(mut number: impl FnMut() -> u32, interval: u32) -> Vec<Record> {
    let reach = interval * 6;
    (0..CHUNK_MINUTES)
        .step_by(interval as usize)
        .filter_map(|slot| {
            let mut record = ordinary(slot, i64::from(number() % (2 * reach + 1)) - i64::from(reach));
            // The sum of three throws is near a bell; one answer in twenty takes much longer.
            let noise = number() % 80 + number() % 80 + number() % 80;
            let tail = if number().is_multiple_of(20) { number() % 3_000 } else { 0 };
            record.latency_ms = Some(300 + noise + tail);
            if number().is_multiple_of(200) {
                record = Record {
                    class: Class::Timeout,
                    phase: Some(Phase::Headers),
                    http_status: None,
                    latency_ms: None,
                    tools_ok: None,
                    session_ended: false,
                    identity: None,
                    shape: None,
                    ..record
                };
            }
            (!number().is_multiple_of(100)).then_some(record)
        })
        .collect()
}

#[test]
fn a_vote_costs_about_three_bytes() {
    let mut number = numbers();
    for (interval, bound) in [(5, 3.4), (30, 8.0)] {
        let (mut votes, mut bytes) = (0, 0);
        for _ in 0..400 {
            let records = generated_chunk(&mut number, interval);
            let encoded = encode(&records);
            assert!(encoded.len() < 1_000, "a page of SQLite must hold the chunk beside others");
            votes += records.len();
            bytes += encoded.len();
        }
        let cost = bytes as f64 / votes as f64;
        println!("every {interval} min: {cost:.2} bytes a vote");
        assert!(cost <= bound, "every {interval} min: {cost:.2} bytes a vote");
    }
}

#[test]
fn a_listing_that_changes_with_every_vote_stays_small() {
    let records: Vec<Record> = (0..CHUNK_MINUTES)
        .step_by(5)
        .map(|slot| Record { identity: Some(Digest([slot as u8; 8])), ..ordinary(slot, 0) })
        .collect();
    let encoded = encode(&records);
    assert_eq!(decode(CHUNK, &encoded), Ok(records));
    assert!(encoded.len() < 1_500, "{} bytes", encoded.len());
}
