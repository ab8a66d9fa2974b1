//! New votes into a chunk: idempotent, and in whatever order they come.

use std::collections::BTreeMap;

use super::decode::{ChunkFault, decode};
use super::{Record, chunk_of};

/// What became of one new record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// It is in the chunk now.
    Accepted,
    /// The same record was there already.
    Duplicate,
    /// Another record holds its slot.
    SlotTaken,
}

/// A chunk with new records in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// All records, sorted by slot: encode them to store the chunk.
    pub records: Vec<Record>,
    /// One a new record, in the order given.
    pub placements: Vec<Placement>,
}

impl Merged {
    /// Whether anything was added.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.placements.contains(&Placement::Accepted)
    }
}

/// Puts `new` into chunk number `chunk` with the stored bytes `stored` (empty: not stored yet).
///
/// Where two new records claim one slot the smaller in their order takes it, whichever was given first.
///
/// # Errors
/// The stored bytes do not decode, or a new record does not belong to this chunk.
pub fn merge(chunk: u32, stored: &[u8], new: &[Record]) -> Result<Merged, ChunkFault> {
    let mut records: BTreeMap<u32, Record> =
        decode(chunk, stored)?.into_iter().map(|record| (record.slot, record)).collect();
    let mut order: Vec<(usize, &Record)> = new.iter().enumerate().collect();
    order.sort_by_key(|(_, record)| *record);
    let mut placements = vec![Placement::SlotTaken; new.len()];
    for (index, record) in order {
        if chunk_of(record.slot) != chunk {
            return Err(ChunkFault::Slot);
        }
        let held = *records.entry(record.slot).or_insert_with(|| {
            if let Some(placement) = placements.get_mut(index) {
                *placement = Placement::Accepted;
            }
            *record
        });
        if let Some(placement) = placements.get_mut(index)
            && *placement != Placement::Accepted
            && held.same_vote(record)
        {
            *placement = Placement::Duplicate;
        }
    }
    Ok(Merged { records: records.into_values().collect(), placements })
}
