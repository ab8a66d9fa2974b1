//! What the Worker decodes: batches of votes and stored chunks of history. Total, and stable where it decodes.

use std::collections::BTreeMap;

use shared::history::{self, CHUNK_MINUTES, Placement, Record};
use shared::reading::document;
use shared::vote::{ClaimRequest, VoteBatch};

/// The bytes are a batch of votes, a claim, or the chunk of a listing; mostly they are none.
pub fn vote_batch(data: &[u8]) {
    if let Ok(batch) = document::<VoteBatch>(data) {
        wire(&batch);
        stored(&batch);
    }
    if let Ok(claim) = document::<ClaimRequest>(data) {
        let text = serde_json::to_vec(&claim).expect("a claim is JSON");
        assert_eq!(document::<ClaimRequest>(&text), Ok(claim));
    }
    for chunk in [0, 83_152, u32::MAX / CHUNK_MINUTES, u32::MAX] {
        if let Ok(records) = history::decode(chunk, data) {
            chunk_of_any_bytes(chunk, &records);
        }
    }
}

/// A batch is the same after another journey.
fn wire(batch: &VoteBatch) {
    let text = serde_json::to_vec(batch).expect("a batch is JSON");
    assert_eq!(document::<VoteBatch>(&text).as_ref(), Ok(batch));
}

/// Its votes, each in its chunk: read again as they are, and duplicates when they come again.
fn stored(batch: &VoteBatch) {
    let mut chunks: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
    for vote in &batch.votes {
        chunks.entry(history::chunk_of(vote.slot)).or_default().push(Record::of(vote));
    }
    for (chunk, records) in &chunks {
        let merged = history::merge(*chunk, &[], records).expect("votes of their own chunk");
        assert_eq!(merged.placements.len(), records.len());
        let bytes = history::encode(&merged.records);
        assert_eq!(history::decode(*chunk, &bytes).as_ref(), Ok(&merged.records));
        let again = history::merge(*chunk, &bytes, records).expect("what was stored decodes");
        assert!(!again.changed() && again.records == merged.records, "the same votes again");
        assert!(again.placements.iter().zip(&merged.placements).all(|(again, first)| {
            *first != Placement::Accepted || *again == Placement::Duplicate
        }));
    }
}

/// Whatever bytes decode, their records are those of a chunk, and have one form.
fn chunk_of_any_bytes(chunk: u32, records: &[Record]) {
    assert!(records.len() <= CHUNK_MINUTES as usize);
    assert!(records.is_sorted_by(|one, next| one.slot < next.slot));
    assert!(records.iter().all(|record| history::chunk_of(record.slot) == chunk));
    let bytes = history::encode(records);
    assert_eq!(history::decode(chunk, &bytes).as_deref(), Ok(records));
}
