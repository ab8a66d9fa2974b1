//! The laws of ingest, with rows in a map in place of the database.

use shared::methodology::OPEN_INTERVAL_MINUTES;
use shared::outcome::{Era, Precision, Reason};
use shared::shape::Shape;
use shared::verdict::{Learned, ServerIdentity};
use shared::vote::{Identity, ShapeReference};

use super::*;

const FIRST: u32 = 29_934_720;
const MINUTE: i64 = 60_000;
const NOW_MS: i64 = (FIRST as i64 + 2_000) * MINUTE;

fn network() -> Network {
    Network { id: 1, name: "native".into(), precision: Precision::Exact }
}

fn known(listings: std::ops::RangeInclusive<u32>) -> Known {
    let listing = || KnownListing {
        cadence: Cadence::new(vec![Segment { from_slot: FIRST, interval_minutes: OPEN_INTERVAL_MINUTES }]),
        memory: Memory { tier: Tier::Unknown, identity: None, shape: None, remembered_ms: 0, fuse: None },
        revision: 0,
    };
    let mut known = Known::default();
    listings.for_each(|id| known.listings.set(id, listing()));
    known
}

fn shape() -> Shape {
    Shape::default()
}

fn vote(listing: u32, number: u32) -> Vote {
    let slot = FIRST + number * OPEN_INTERVAL_MINUTES;
    Vote {
        listing,
        slot,
        started_ms: i64::from(slot) * MINUTE + 12_345,
        class: Class::Up,
        reason: None,
        phase: None,
        precision: Precision::Exact,
        http_status: Some(200),
        latency_ms: Some(400 + number),
        tools_ok: Some(true),
        violations: Vec::new(),
        colo: None,
        identity: Some(identity("1.0")),
        shape: Some(ShapeReference { digest: shape().digest(), count: 0, complete: true }),
        learned: Learned::default(),
    }
}

fn identity(version: &str) -> Identity {
    Identity {
        era: Some(Era::Legacy),
        protocol_version: Some("2025-06-18".into()),
        server: Some(ServerIdentity { name: "s".into(), version: version.into() }),
        front_door: None,
        front_door_notes: Vec::new(),
        resource_metadata: None,
        authorization_server: None,
        issuer: None,
        redirect_host: None,
        retired_transport: false,
    }
}

fn batch(votes: Vec<Vote>) -> VoteBatch {
    VoteBatch { votes, shapes: Table::from_iter([(shape().digest(), shape())]) }
}

fn statuses(plan: &Plan) -> Vec<(VoteStatus, Option<Rejection>)> {
    plan.results.iter().map(|result| (result.status, result.reason)).collect()
}

/// What the database does with the rows.
fn apply(known: &mut Known, writes: Writes) {
    for ChunkWrite { listing, chunk, revision, bytes } in writes.chunks {
        let before = known.chunks.get(&(listing, chunk)).map_or(0, |before| before.revision);
        assert_eq!(before + 1, revision);
        known.chunks.set((listing, chunk), StoredChunk { revision, bytes });
    }
    known.shapes.extend(writes.shapes.into_iter().map(|(key, _)| key));
    for MemoryWrite { listing, revision, memory } in writes.memories {
        let before = known.listings.get(&listing).unwrap().clone();
        assert_eq!(before.revision + 1, revision);
        known.listings.set(listing, KnownListing { memory, revision, ..before });
    }
}

fn deliver(known: &mut Known, votes: Vec<Vote>) -> Vec<(VoteStatus, Option<Rejection>)> {
    let plan = plan(&batch(votes), &network(), known, NOW_MS).unwrap();
    let statuses = statuses(&plan);
    apply(known, plan.writes);
    statuses
}

#[test]
fn a_batch_delivered_twice_and_shuffled_leaves_the_same_rows() {
    let votes: Vec<Vote> =
        (1..=5).flat_map(|listing| (0..80).map(move |number| vote(listing, number))).collect();
    let mut once = known(1..=5);
    assert!(deliver(&mut once, votes.clone()).iter().all(|status| *status == (VoteStatus::Accepted, None)));

    // A fixed permutation: 7 and the number of votes have no common divisor.
    let shuffled: Vec<Vote> = (0..votes.len()).map(|index| votes[index * 7 % votes.len()].clone()).collect();
    let mut other = known(1..=5);
    deliver(&mut other, shuffled.clone());
    let again = deliver(&mut other, shuffled);
    assert!(again.iter().all(|status| *status == (VoteStatus::Duplicate, None)));
    assert_eq!(other.chunks, once.chunks);
    for (id, listing) in &once.listings {
        assert_eq!(other.listings.get(id).unwrap().memory, listing.memory);
    }
}

#[test]
fn an_ordinary_vote_writes_one_row() {
    let mut known = known(1..=1);
    deliver(&mut known, vec![vote(1, 0)]);
    let plan = plan(&batch(vec![vote(1, 1)]), &network(), &known, NOW_MS).unwrap();
    assert_eq!(plan.writes.chunks.len(), 1);
    assert_eq!(plan.writes.chunks[0].revision, 2);
    assert!(plan.writes.identities.is_empty() && plan.writes.memories.is_empty());
}

#[test]
fn other_bytes_for_a_taken_slot_are_rejected() {
    let mut known = known(1..=1);
    deliver(&mut known, vec![vote(1, 0)]);
    let other = Vote { latency_ms: Some(1), ..vote(1, 0) };
    assert_eq!(deliver(&mut known, vec![other]), [(VoteStatus::Rejected, Some(Rejection::SlotTaken))]);
    assert_eq!(deliver(&mut known, vec![vote(1, 0)]), [(VoteStatus::Duplicate, None)]);
}

#[test]
fn each_rule_has_its_rejection() {
    let good = || vote(1, 1);
    let late = i64::from(good().slot) * MINUTE + 11 * MINUTE;
    let long = "x".repeat(129);
    let unknown_shape = ShapeReference { digest: Digest([9; 8]), count: 1, complete: true };
    for (vote, expected) in [
        (Vote { listing: 2, ..good() }, Rejection::UnknownListing),
        (Vote { slot: FIRST + 1, ..good() }, Rejection::NotASlot),
        (Vote { slot: FIRST - 5, ..good() }, Rejection::NotASlot),
        (Vote { precision: Precision::Edge, ..good() }, Rejection::WrongPrecision),
        (Vote { started_ms: late, ..good() }, Rejection::TooLate),
        (Vote { started_ms: 0, ..good() }, Rejection::TooOld),
        (Vote { started_ms: i64::MAX, ..good() }, Rejection::InFuture),
        (Vote { http_status: Some(99), ..good() }, Rejection::Invalid),
        (Vote { latency_ms: Some(90_001), ..good() }, Rejection::Invalid),
        (Vote { colo: Some("BOM".into()), ..good() }, Rejection::Invalid),
        (
            Vote { identity: Some(Identity { issuer: Some("x".repeat(513)), ..identity("1") }), ..good() },
            Rejection::Invalid,
        ),
        (Vote { identity: Some(identity(&long)), ..good() }, Rejection::Invalid),
        (Vote { shape: Some(unknown_shape), ..good() }, Rejection::UnknownShape),
        (
            Vote { shape: Some(ShapeReference { count: 1, ..good().shape.unwrap() }), ..good() },
            Rejection::Invalid,
        ),
    ] {
        let plan = plan(&batch(vec![vote]), &network(), &known(1..=1), NOW_MS).unwrap();
        assert_eq!(statuses(&plan), [(VoteStatus::Rejected, Some(expected))]);
        assert_eq!(plan.writes, Writes::default(), "{expected} writes nothing");
    }
}

#[test]
fn a_shape_must_have_the_digest_it_is_sent_under() {
    let mut batch = batch(vec![vote(1, 0)]);
    let other = Digest([7; 8]);
    batch.shapes = Table::from_iter([(other, shape())]);
    batch.votes[0].shape = Some(ShapeReference { digest: other, count: 0, complete: true });
    let plan = plan(&batch, &network(), &known(1..=1), NOW_MS).unwrap();
    assert_eq!(statuses(&plan), [(VoteStatus::Rejected, Some(Rejection::ShapeMismatch))]);
}

#[test]
fn a_stored_shape_need_not_travel_again() {
    let mut known = known(1..=1);
    deliver(&mut known, vec![vote(1, 0)]);
    let bare = VoteBatch { votes: vec![vote(1, 1)], shapes: Table::new() };
    let plan = plan(&bare, &network(), &known, NOW_MS).unwrap();
    assert_eq!(statuses(&plan), [(VoteStatus::Accepted, None)]);
    assert!(plan.writes.shapes.is_empty());
}

#[test]
fn the_first_counted_success_tells_the_tier_and_a_gated_listing_slows_down() {
    let gated = || Vote { class: Class::AuthRequired, shape: None, ..vote(1, 2) };
    let failed = || Vote { class: Class::Timeout, shape: None, identity: None, ..vote(1, 1) };
    let declined = || Vote { class: Class::Refused, shape: None, identity: None, ..vote(1, 0) };
    for (votes, tier) in [
        (vec![declined(), failed()], Tier::Unknown),
        (vec![gated(), failed(), declined()], Tier::Gated),
        (vec![vote(1, 3), gated()], Tier::Gated),
        (vec![vote(1, 1), gated()], Tier::Open),
    ] {
        let mut known = known(1..=1);
        let plan = plan(&batch(votes), &network(), &known, NOW_MS).unwrap();
        let segments = plan.writes.segments.clone();
        apply(&mut known, plan.writes);
        assert_eq!(known.listings.get(&1).unwrap().memory.tier, tier);
        assert_eq!(segments.len(), usize::from(tier == Tier::Gated));
        for (listing, segment) in segments {
            assert_eq!((listing, segment.interval_minutes), (1, GATED_INTERVAL_MINUTES));
            assert!(i64::from(segment.from_slot) * MINUTE > NOW_MS, "slots claimed by now stay slots");
        }
    }
}

#[test]
fn memory_follows_the_newest_vote_whatever_comes_last() {
    let mut known = known(1..=1);
    let newer = Vote { identity: Some(identity("2.0")), ..vote(1, 9) };
    deliver(&mut known, vec![newer]);
    deliver(&mut known, vec![vote(1, 3)]);
    assert_eq!(
        known.listings.get(&1).unwrap().memory.identity,
        Some(history::identity_digest(&identity("2.0")))
    );
}

#[test]
fn an_era_that_no_longer_answers_is_forgotten() {
    let mut known = known(1..=1);
    let modern = Identity { era: Some(Era::Modern), ..identity("2.0") };
    deliver(&mut known, vec![Vote { identity: Some(modern), ..vote(1, 0) }]);
    let failed = || Vote { class: Class::Http4xx, shape: None, identity: None, ..vote(1, 1) };
    deliver(&mut known, vec![failed()]);
    assert!(
        known.listings.get(&1).unwrap().memory.identity.is_some(),
        "a failure alone says nothing of the era"
    );
    let learned = Learned { era: Some(Era::Legacy), ..Learned::default() };
    let left = Vote { learned, slot: vote(1, 2).slot, started_ms: vote(1, 2).started_ms, ..failed() };
    deliver(&mut known, vec![left]);
    assert_eq!(known.listings.get(&1).unwrap().memory.identity, None);
}

#[test]
fn a_failure_after_our_delete_is_excused_and_its_repetition_a_duplicate() {
    let mut known = known(1..=1);
    let mut ended = vote(1, 0);
    ended.learned.session_ended = true;
    let died = || Vote { class: Class::Closed, shape: None, identity: None, http_status: None, ..vote(1, 1) };
    let died = Vote { started_ms: ended.started_ms + 4 * MINUTE, slot: died().slot, ..died() };
    let died = Vote { started_ms: died.started_ms + MINUTE, ..died };
    deliver(&mut known, vec![died.clone(), ended]);
    let stored = &known.chunks.iter().next().unwrap().1;
    let records = history::decode(history::chunk_of(FIRST), &stored.bytes).unwrap();
    assert_eq!(records[1].published_reason(), Some(Reason::AfterOurDelete));
    assert_eq!(records[1].class, Class::Closed, "what was seen is kept");
    assert!(!known.listings.get(&1).unwrap().memory.fuse.as_ref().unwrap().allows_delete());
    assert_eq!(deliver(&mut known, vec![died]), [(VoteStatus::Duplicate, None)]);
}

#[test]
fn a_chunk_that_does_not_decode_stops_the_batch() {
    let mut known = known(1..=1);
    let chunk = (1, history::chunk_of(FIRST));
    known.chunks.set(chunk, StoredChunk { revision: 1, bytes: vec![1, 0xff] });
    assert!(plan(&batch(vec![vote(1, 0)]), &network(), &known, NOW_MS).is_err());
}
