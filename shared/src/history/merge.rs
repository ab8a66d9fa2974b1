//! New votes into a chunk: idempotent, and in whatever order they come.

use super::decode::{ChunkFault, decode};
use super::{Record, chunk_of};
use crate::sorting::sort_by_key;

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
    let mut records = decode(chunk, stored)?;
    let mut order: Vec<(&Record, usize)> = new.iter().zip(0..).collect();
    sort_by_key(&mut order, |entry| *entry);
    let mut placements = vec![Placement::SlotTaken; new.len()];
    for (record, index) in order {
        if chunk_of(record.slot) != chunk {
            return Err(ChunkFault::Slot);
        }
        let placement = match records.binary_search_by_key(&record.slot, |held| held.slot) {
            Err(place) => {
                records.insert(place, *record);
                Placement::Accepted
            }
            Ok(place) if records.get(place).is_some_and(|held| held.same_vote(record)) => {
                Placement::Duplicate
            }
            Ok(_) => Placement::SlotTaken,
        };
        if let Some(answer) = placements.get_mut(index) {
            *answer = placement;
        }
    }
    Ok(Merged { records, placements })
}
