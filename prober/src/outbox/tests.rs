//! What an outbox promises: nothing is lost, nothing comes twice, and damage is told and kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use shared::outcome::{Class, Phase, Precision, Reason, Violation};
use shared::vote::{Identity, ShapeReference};

use super::*;

/// A folder of its own for one test, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let own = format!("isitstillup-outbox-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(own);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn outbox(&self) -> PathBuf {
        self.0.join("outbox.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(folder: &Folder) -> Outbox {
    let (outbox, moved) = Outbox::open(&folder.outbox()).unwrap();
    assert_eq!(moved, None);
    outbox
}

pub(crate) fn vote(listing: u32, slot: u32) -> Vote {
    Vote {
        listing,
        slot,
        started_ms: i64::from(slot) * 60_000,
        class: Class::Up,
        reason: None,
        phase: None,
        precision: Precision::Exact,
        http_status: Some(200),
        latency_ms: Some(12),
        tools_ok: Some(true),
        violations: Vec::new(),
        colo: None,
        identity: None,
        shape: None,
        learned: Default::default(),
    }
}

pub(crate) fn entry(listing: u32, slot: u32) -> Entry {
    Entry { vote: vote(listing, slot), shape: None, carry_shape: false }
}

/// A vote that refers to the (empty) shape.
fn shaped(listing: u32, carry_shape: bool) -> Entry {
    let shape = Shape::default();
    let mut vote = vote(listing, 1);
    vote.shape = Some(ShapeReference { digest: shape.digest(), count: 0, complete: true });
    Entry { vote, shape: Some(shape), carry_shape }
}

fn keys(outbox: &mut Outbox, most: u32) -> Vec<VoteKey> {
    outbox.next_batch(most, 0).unwrap().map(|batch| batch.keys).unwrap_or_default()
}

fn key(listing: u32, slot: u32) -> VoteKey {
    VoteKey { listing, slot }
}

#[test]
fn votes_wait_in_order_across_a_restart_until_each_is_settled() {
    let folder = Folder::new("order");
    let mut outbox = open(&folder);
    outbox.add(&[entry(3, 1), entry(1, 1)]).unwrap();
    outbox.add(&[entry(2, 1), entry(3, 1)]).unwrap();
    drop(outbox);
    let mut outbox = open(&folder);
    assert_eq!(keys(&mut outbox, 10), [key(3, 1), key(1, 1), key(2, 1)]);
    outbox.settle(&[(key(1, 1), Settlement::Forget), (key(9, 9), Settlement::Forget)], 0).unwrap();
    assert_eq!(keys(&mut outbox, 1), [key(3, 1)]);
    assert_eq!(keys(&mut outbox, 10), [key(3, 1), key(2, 1)]);
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 2, rejected: 0 });
}

#[test]
fn the_first_vote_of_a_key_stays() {
    let folder = Folder::new("first");
    let mut outbox = open(&folder);
    let mut other = entry(1, 1);
    other.vote.class = Class::Timeout;
    outbox.add(&[entry(1, 1), other]).unwrap();
    assert_eq!(outbox.next_batch(10, 0).unwrap().unwrap().batch.votes, [vote(1, 1)]);
}

#[test]
fn a_refused_vote_leaves_the_queue_and_stays_visible() {
    let folder = Folder::new("rejected");
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1), entry(2, 1)]).unwrap();
    outbox.settle(&[(key(1, 1), Settlement::Reject(Rejection::TooOld.word().into()))], 77).unwrap();
    assert_eq!(keys(&mut outbox, 10), [key(2, 1)]);
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 1, rejected: 1 });
    assert_eq!(outbox.rejections().unwrap(), [("too_old".to_owned(), 1)]);
}

/// The table would grow for ever otherwise.
#[test]
fn a_refused_vote_is_forgotten_after_its_time_and_no_waiting_one_is() {
    let folder = Folder::new("forgotten");
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1), entry(2, 1), entry(3, 1)]).unwrap();
    for (listing, now_ms) in [(1, 77), (2, 78)] {
        let refused = Settlement::Reject(Rejection::TooOld.word().into());
        outbox.settle(&[(key(listing, 1), refused)], now_ms).unwrap();
    }
    outbox.prune(None).unwrap();
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 1, rejected: 2 });
    outbox.prune(Some(78)).unwrap();
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 1, rejected: 1 });
    outbox.prune(Some(i64::MAX)).unwrap();
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 1, rejected: 0 });
}

/// As after a step back to an older version.
#[test]
fn many_votes_that_do_not_read_hide_none_that_does() {
    let folder = Folder::new("unreadable");
    let mut outbox = open(&folder);
    let many: Vec<Entry> = (0..BATCH_VOTES as u32 + 1).map(|slot| entry(1, slot)).collect();
    outbox.add(&many).unwrap();
    outbox.connection.execute("UPDATE votes SET vote = '{\"class\":\"later\"}'", []).unwrap();
    outbox.add(&[entry(2, 1)]).unwrap();
    assert_eq!(keys(&mut outbox, BATCH_VOTES as u32), [key(2, 1)]);
    assert_eq!(outbox.counts().unwrap(), Counts { waiting: 1, rejected: 501 });
}

#[test]
fn a_shape_travels_only_where_the_worker_does_not_know_it() {
    let folder = Folder::new("shapes");
    let mut outbox = open(&folder);
    outbox.add(&[shaped(1, true), shaped(2, true), shaped(3, false)]).unwrap();
    assert_eq!(outbox.next_batch(10, 0).unwrap().unwrap().batch.shapes.len(), 1, "once a batch");
    outbox.settle(&[(key(1, 1), Settlement::Forget), (key(2, 1), Settlement::Forget)], 0).unwrap();
    assert!(outbox.next_batch(10, 0).unwrap().unwrap().batch.shapes.is_empty(), "known to the Worker");
    outbox.prune(None).unwrap();
    outbox.settle(&[(key(3, 1), Settlement::CarryShape)], 0).unwrap();
    assert_eq!(outbox.next_batch(10, 0).unwrap().unwrap().batch.shapes.len(), 1, "asked for");
    outbox.settle(&[(key(3, 1), Settlement::CarryShape)], 0).unwrap();
    assert_eq!(outbox.rejections().unwrap(), [("unknown_shape".to_owned(), 1)], "it had been sent");
}

#[test]
fn a_vote_that_spoils_its_batch_lets_others_go_first() {
    let folder = Folder::new("postponed");
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1), entry(2, 1)]).unwrap();
    outbox.settle(&[(key(1, 1), Settlement::Postpone)], 0).unwrap();
    assert_eq!(keys(&mut outbox, 10), [key(2, 1)]);
    outbox.settle(&[(key(2, 1), Settlement::Forget)], 0).unwrap();
    assert_eq!(keys(&mut outbox, 10), [key(1, 1)]);
}

#[test]
fn a_second_process_is_told() {
    let folder = Folder::new("locked");
    let _held = open(&folder);
    let fault = Outbox::open(&folder.outbox()).unwrap_err();
    assert_eq!(fault.kind, OutboxFaultKind::InUse);
    assert!(fault.to_string().starts_with("another process uses the outbox"), "{fault}");
}

#[test]
fn a_second_process_is_told_whichever_way_it_comes() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("linked");
    let _held = open(&folder);
    let (file, aside) = (folder.0.join("linked.sqlite"), folder.0.join("aside"));
    symlink(folder.outbox(), &file).unwrap();
    symlink(&folder.0, &aside).unwrap();
    for path in [file, aside.join("outbox.sqlite"), folder.0.join("./outbox.sqlite")] {
        assert_eq!(Outbox::open(&path).unwrap_err().kind, OutboxFaultKind::InUse, "{}", path.display());
    }
}

#[test]
fn an_outbox_with_two_names_is_used_under_neither() {
    let folder = Folder::new("hard-linked");
    let mut held = open(&folder);
    let (other, damaged) = (folder.0.join("other.sqlite"), folder.0.join("damaged.sqlite"));
    std::fs::hard_link(folder.outbox(), &other).unwrap();
    let refused = |path: &Path| {
        let fault = Outbox::open(path).map(drop).unwrap_err();
        assert_eq!(fault.kind, OutboxFaultKind::NotOurs, "{}: {fault}", path.display());
        assert!(fault.to_string().contains("2 names (hard links)"), "{fault}");
        assert_eq!(examine(path).unwrap_err().kind, OutboxFaultKind::NotOurs);
    };
    refused(&other);
    held.add(&[entry(1, 1)]).unwrap();
    drop(held);
    // Neither later, when the first is gone: what it had not moved into the file yet lies beside its own name.
    refused(&folder.outbox());
    refused(&other);
    std::fs::remove_file(&other).unwrap();
    assert_eq!(keys(&mut open(&folder), 10), [key(1, 1)]);
    // Damage does not make it ours either: it would be moved away under one of its names.
    std::fs::write(&damaged, [0xa5; 8_192]).unwrap();
    std::fs::hard_link(&damaged, &other).unwrap();
    refused(&damaged);
}

/// Overwrites the file from this offset on.
fn damage(folder: &Folder, offset: usize) {
    let mut bytes = std::fs::read(folder.outbox()).unwrap();
    bytes.iter_mut().skip(offset).for_each(|byte| *byte = 0xa5);
    std::fs::write(folder.outbox(), bytes).unwrap();
}

#[test]
fn a_damaged_file_is_moved_aside_and_kept() {
    for (what, offset) in [("all of it", 0), ("behind the header", 100), ("behind the first page", 4_096)] {
        let folder = Folder::new("damaged");
        let mut outbox = open(&folder);
        outbox.add(&[entry(1, 1)]).unwrap();
        drop(outbox);
        damage(&folder, offset);
        let bytes = std::fs::read(folder.outbox()).unwrap();
        let (mut outbox, moved) = Outbox::open(&folder.outbox()).unwrap();
        let moved = moved.unwrap_or_else(|| panic!("{what}: damage must be told"));
        assert!(moved.damage.contains("damaged"), "{}", moved.damage);
        assert_eq!(std::fs::read(&moved.to).unwrap(), bytes, "{what}");
        outbox.add(&[entry(2, 1)]).unwrap();
        assert_eq!(keys(&mut outbox, 10), [key(2, 1)]);
    }
}

#[test]
fn a_look_changes_nothing_and_leaves_nothing() {
    let folder = Folder::new("look");
    assert_eq!(examine(&folder.outbox()).unwrap().counts, None);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1)]).unwrap();
    assert_eq!(examine(&folder.outbox()).unwrap_err().kind, OutboxFaultKind::InUse);
    drop(outbox);
    let counts = Counts { waiting: 1, rejected: 0 };
    assert_eq!(examine(&folder.outbox()).unwrap().counts, Some((counts, Vec::new())));
    damage(&folder, 0);
    assert_eq!(examine(&folder.outbox()).unwrap_err().kind, OutboxFaultKind::Corrupt);
    assert!(folder.outbox().exists());
}

/// SQLite deletes it where the outbox is missing.
#[test]
fn a_look_leaves_a_write_ahead_file_where_it_is() {
    let folder = Folder::new("look-write-ahead");
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1)]).unwrap();
    let (left, of_outbox) = (folder.0.join("left.sqlite"), |name: &str| folder.0.join(name));
    std::fs::copy(of_outbox("outbox.sqlite-wal"), of_outbox("left.sqlite-wal")).unwrap();
    let bytes = std::fs::read(of_outbox("left.sqlite-wal")).unwrap();
    assert_eq!(examine(&left).unwrap_err().kind, OutboxFaultKind::Corrupt);
    assert_eq!(std::fs::read(of_outbox("left.sqlite-wal")).unwrap(), bytes);
    assert!(!left.exists() && !of_outbox("left.sqlite.lock").exists());
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let folder = Folder::new("foreign");
    let other = Connection::open(folder.outbox()).unwrap();
    other.execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);").unwrap();
    drop(other);
    assert_eq!(Outbox::open(&folder.outbox()).unwrap_err().kind, OutboxFaultKind::NotOurs);
    let other = Connection::open(folder.outbox()).unwrap();
    other.pragma_update(None, "application_id", schema::APPLICATION_ID).unwrap();
    other.pragma_update(None, "user_version", schema::VERSION + 1).unwrap();
    drop(other);
    let fault = Outbox::open(&folder.outbox()).unwrap_err();
    assert!(fault.to_string().contains("later version"), "{fault}");
}

#[test]
fn a_path_that_cannot_be_written_is_told() {
    let folder = Folder::new("unwritable");
    let fault = Outbox::open(&folder.0.join("missing").join("outbox.sqlite")).unwrap_err();
    assert_eq!(fault.kind, OutboxFaultKind::Unwritable);
    assert!(fault.to_string().contains("missing"), "{fault}");
}

#[test]
fn a_full_disk_is_told_and_loses_nothing_that_was_committed() {
    let folder = Folder::new("full");
    let mut outbox = open(&folder);
    outbox.add(&[entry(1, 1)]).unwrap();
    // SQLite's own limit gives the error a full disk gives.
    let pages: u32 = outbox.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    outbox.connection.pragma_update(None, "max_page_count", pages).unwrap();
    let many: Vec<Entry> = (0..2_000).map(|slot| entry(2, slot)).collect();
    let fault = outbox.add(&many).unwrap_err();
    assert_eq!(fault.kind, OutboxFaultKind::Unwritable);
    assert!(fault.to_string().contains("full"), "{fault}");
    assert_eq!(outbox.counts().unwrap().waiting, 1);
    outbox.connection.pragma_update(None, "max_page_count", 1_000_000).unwrap();
    outbox.add(&many).unwrap();
    assert_eq!(outbox.counts().unwrap().waiting, 2_001);
}

#[test]
fn a_batch_keeps_to_its_limits() {
    let folder = Folder::new("limits");
    let mut outbox = open(&folder);
    let long = "x".repeat(40_000);
    let entries: Vec<Entry> = (0..600)
        .map(|slot| {
            let mut entry = entry(1, slot);
            entry.vote.learned.issuer = Some(long.clone());
            entry
        })
        .collect();
    outbox.add(&entries).unwrap();
    let mut delivered = 0;
    while let Some(batch) = outbox.next_batch(BATCH_VOTES as u32, 0).unwrap() {
        assert!(batch.keys.len() <= BATCH_VOTES);
        assert!(serde_json::to_vec(&batch.batch).unwrap().len() <= BATCH_BYTES);
        delivered += batch.keys.len();
        let settled: Vec<_> = batch.keys.iter().map(|key| (*key, Settlement::Forget)).collect();
        outbox.settle(&settled, 0).unwrap();
    }
    assert_eq!(delivered, 600);
}

fn any_vote() -> impl Strategy<Value = Vote> {
    let words = (
        prop::sample::select(Class::ALL),
        prop::option::of(prop::sample::select(Reason::ALL)),
        prop::option::of(prop::sample::select(Phase::ALL)),
        prop::collection::vec(prop::sample::select(Violation::ALL), 0..4),
    );
    let numbers = (any::<u32>(), any::<u32>(), any::<i64>(), any::<Option<u16>>(), any::<Option<u32>>());
    let texts = (any::<Option<String>>(), any::<Option<String>>(), any::<Option<bool>>());
    (words, numbers, texts).prop_map(
        |((class, reason, phase, violations), numbers, (version, issuer, tools_ok))| {
            let (listing, slot, started_ms, http_status, latency_ms) = numbers;
            let mut vote = vote(listing, slot);
            vote.identity = version.map(|version| Identity {
                protocol_version: Some(version),
                era: None,
                server: None,
                front_door: None,
                front_door_notes: Vec::new(),
                resource_metadata: None,
                authorization_server: None,
                issuer: issuer.clone(),
                redirect_host: None,
                retired_transport: false,
            });
            vote.learned.issuer = issuer;
            Vote { class, reason, phase, violations, started_ms, http_status, latency_ms, tools_ok, ..vote }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever text a server put into it: what comes out to be sent is what was put in.
    #[test]
    fn a_vote_survives_the_outbox(votes in prop::collection::vec(any_vote(), 1..20)) {
        let folder = Folder::new("survives");
        let mut outbox = open(&folder);
        let entries: Vec<Entry> =
            votes.iter().map(|vote| Entry { vote: vote.clone(), shape: None, carry_shape: false }).collect();
        outbox.add(&entries).unwrap();
        drop(outbox);
        let mut expected: Vec<Vote> = Vec::new();
        for vote in votes {
            if expected.iter().all(|first| (first.listing, first.slot) != (vote.listing, vote.slot)) {
                expected.push(vote);
            }
        }
        prop_assert_eq!(open(&folder).next_batch(BATCH_VOTES as u32, 0).unwrap().unwrap().batch.votes, expected);
    }
}
