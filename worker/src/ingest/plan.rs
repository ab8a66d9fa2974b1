//! From a batch of votes and the rows they touch to the rows to write and an answer for each vote. Pure.

use shared::fuse::{Fuse, Sighting};
use shared::history::{self, ChunkFault, Placement, Record};
use shared::listing::Tier;
use shared::methodology::{GATED_INTERVAL_MINUTES, SHAPE_BYTES};
use shared::outcome::{Class, Counted};
use shared::schedule::{self, Cadence, Segment};
use shared::shape::Digest;
use shared::sorting::sort_by_key;
use shared::table::Table;
use shared::vote::{Rejection, Vote, VoteBatch, VoteResult, VoteStatus};

use super::check::{self, Context};
use crate::config::Network;

/// Rows read before: everything the batch can touch.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub listings: Table<u32, KnownListing>,
    /// By listing and chunk number, of the batch's network.
    pub chunks: Table<(u32, u32), StoredChunk>,
    /// Shapes of the batch that are stored, by listing.
    pub shapes: Vec<(u32, Digest)>,
}

/// What ingest needs of a listing.
#[derive(Debug, Clone)]
pub struct KnownListing {
    /// For the batch's network.
    pub cadence: Cadence,
    pub memory: Memory,
    /// Of the memory.
    pub revision: u32,
}

/// The part of a listing's row that votes change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub tier: Tier,
    pub identity: Option<Digest>,
    pub shape: Option<Digest>,
    /// Start of the vote that identity and shape are from.
    pub remembered_ms: i64,
    pub fuse: Option<Fuse>,
}

/// A chunk as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    pub revision: u32,
    pub bytes: Vec<u8>,
}

/// Rows to write, all or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writes {
    pub chunks: Vec<ChunkWrite>,
    pub identities: Table<(u32, Digest), String>,
    pub shapes: Table<(u32, Digest), ShapeWrite>,
    pub memories: Vec<MemoryWrite>,
    pub segments: Vec<(u32, Segment)>,
}

/// A chunk whose stored revision must still be the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkWrite {
    pub listing: u32,
    pub chunk: u32,
    pub revision: u32,
    pub bytes: Vec<u8>,
}

/// The content of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeWrite {
    pub tools: u32,
    pub json: String,
}

/// A listing's memory, whose stored revision must still be the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryWrite {
    pub listing: u32,
    pub revision: u32,
    pub memory: Memory,
}

/// What is to be written and answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub writes: Writes,
    /// One a vote, in the order of the batch.
    pub results: Vec<VoteResult>,
}

/// Plans one batch.
///
/// # Errors
/// A stored chunk does not decode: our own fault, and nothing of the batch is written.
pub fn plan(batch: &VoteBatch, network: &Network, known: &Known, now_ms: i64) -> Result<Plan, ChunkFault> {
    let context = Context { network, shapes: check::check_shapes(&batch.shapes), now_ms };
    let mut results = Vec::with_capacity(batch.votes.len());
    let mut sound: Table<(u32, u32), Vec<Checked<'_>>> = Table::new();
    for (index, vote) in batch.votes.iter().enumerate() {
        let known_shape =
            vote.shape.is_some_and(|shape| known.shapes.contains(&(vote.listing, shape.digest)));
        let checked = check::check(vote, known.listings.get(&vote.listing), known_shape, &context);
        results.push(result(vote, checked.err()));
        if let Ok(interval_minutes) = checked {
            let chunk = (vote.listing, history::chunk_of(vote.slot));
            push(&mut sound, chunk, Checked { index, vote, interval_minutes });
        }
    }

    let mut writes = Writes::default();
    let mut touched: Table<u32, Touched<'_>> = Table::new();
    for ((listing, chunk), votes) in sound {
        let stored = known.chunks.get(&(listing, chunk));
        let records: Vec<Record> = votes.iter().map(|checked| Record::of(checked.vote)).collect();
        let merged = history::merge(chunk, stored.map_or(&[], |stored| &stored.bytes), &records)?;
        let changed = merged.changed();
        for (checked, placement) in votes.into_iter().zip(&merged.placements) {
            if let Some(result) = results.get_mut(checked.index) {
                place(result, *placement);
            }
            if *placement == Placement::Accepted
                && let Some(touched) = touched.entry(listing)
            {
                touched.accepted.push(checked);
            }
        }
        if changed && let Some(touched) = touched.entry(listing) {
            let revision = stored.map_or(0, |stored| stored.revision).saturating_add(1);
            touched.chunks.push((chunk, revision, merged.records));
        }
    }
    for (listing, touched) in touched {
        if let Some(known) = known.listings.get(&listing) {
            touched.write(listing, known, batch, now_ms, &mut writes);
        }
    }
    Ok(Plan { writes, results })
}

/// A vote that passed the checks, its place in the batch, and the interval of its slot.
#[derive(Clone, Copy)]
struct Checked<'a> {
    index: usize,
    vote: &'a Vote,
    interval_minutes: u32,
}

/// What a batch adds to one listing.
#[derive(Default)]
struct Touched<'a> {
    accepted: Vec<Checked<'a>>,
    /// Chunk number, new revision, records.
    chunks: Vec<(u32, u32, Vec<Record>)>,
}

impl Touched<'_> {
    fn write(
        mut self,
        listing: u32,
        known: &KnownListing,
        batch: &VoteBatch,
        now_ms: i64,
        writes: &mut Writes,
    ) {
        sort_by_key(&mut self.accepted, |checked| (checked.vote.started_ms, checked.vote.slot));
        let mut memory = known.memory.clone();
        for Checked { vote, interval_minutes, .. } in &self.accepted {
            if let Some(reason) = observe_fuse(&mut memory.fuse, vote, *interval_minutes) {
                self.chunks
                    .iter_mut()
                    .flat_map(|(_, _, records)| records.iter_mut())
                    .filter(|record| record.slot == vote.slot)
                    .for_each(|record| record.excused = Some(reason));
            }
            remember(&mut memory, vote);
            keep_content(vote, &known.memory, batch, writes);
            if memory.tier == Tier::Unknown && vote.class.counted() == Counted::Success {
                memory.tier = if vote.class == Class::AuthRequired { Tier::Gated } else { Tier::Open };
                if memory.tier == Tier::Gated {
                    // From the next minute on: slots up to now may be claimed already.
                    let next = schedule::minute_of(now_ms).saturating_add(1);
                    writes
                        .segments
                        .push((listing, Segment::beginning(listing, GATED_INTERVAL_MINUTES, next)));
                }
            }
        }
        if memory != known.memory {
            writes.memories.push(MemoryWrite { listing, revision: known.revision.saturating_add(1), memory });
        }
        writes.chunks.extend(self.chunks.into_iter().map(|(chunk, revision, records)| ChunkWrite {
            listing,
            chunk,
            revision,
            bytes: history::encode(&records),
        }));
    }
}

/// A fuse that no DELETE has touched is not kept at all.
fn observe_fuse(
    fuse: &mut Option<Fuse>,
    vote: &Vote,
    interval_minutes: u32,
) -> Option<shared::outcome::Reason> {
    if fuse.is_none() && !vote.learned.session_ended {
        return None;
    }
    let sighting = Sighting {
        started_ms: vote.started_ms,
        class: vote.class,
        http_status: vote.http_status,
        session_ended: vote.learned.session_ended,
        server: vote.identity.as_ref().and_then(|identity| identity.server.clone()),
        interval_minutes,
    };
    let (next, reason) = fuse.take().unwrap_or_default().observe(&sighting);
    *fuse = Some(next);
    reason
}

/// Newer sights replace older ones. The time is moved on only with a change, or once a chunk, so that an ordinary vote
/// writes no row but its chunk's.
///
/// A probe that learned an era without an answer in it learned that the remembered one no longer holds: the identity
/// it stands in is forgotten, or the endpoint would be asked in an era that it has left for good.
fn remember(memory: &mut Memory, vote: &Vote) {
    let era_is_over = vote.identity.is_none() && vote.learned.era.is_some();
    let remembered = memory.identity.filter(|_| !era_is_over);
    let identity = vote.identity.as_ref().map(history::identity_digest).or(remembered);
    let shape = vote.shape.map(|shape| shape.digest).or(memory.shape);
    let saw_something = vote.identity.is_some() || vote.shape.is_some() || era_is_over;
    let changed = identity != memory.identity || shape != memory.shape;
    let chunk = |ms: i64| history::chunk_of(schedule::minute_of(ms));
    let newer = vote.started_ms > memory.remembered_ms;
    if saw_something && newer && (changed || chunk(vote.started_ms) > chunk(memory.remembered_ms)) {
        memory.identity = identity;
        memory.shape = shape;
        memory.remembered_ms = vote.started_ms;
    }
}

/// Content whose digest the listing's memory names is stored already.
fn keep_content(vote: &Vote, before: &Memory, batch: &VoteBatch, writes: &mut Writes) {
    if let Some(identity) = &vote.identity {
        let digest = history::identity_digest(identity);
        if before.identity != Some(digest) && !writes.identities.contains(&(vote.listing, digest)) {
            let json = serde_json::to_string(identity).unwrap_or_default();
            writes.identities.set((vote.listing, digest), json);
        }
    }
    if let Some(reference) = &vote.shape
        && let Some(shape) = batch.shapes.get(&reference.digest)
        && !writes.shapes.contains(&(vote.listing, reference.digest))
    {
        let json = serde_json::to_string(shape).unwrap_or_default();
        if json.len() <= SHAPE_BYTES {
            let write = ShapeWrite { tools: reference.count, json };
            writes.shapes.set((vote.listing, reference.digest), write);
        }
    }
}

fn push<'a>(table: &mut Table<(u32, u32), Vec<Checked<'a>>>, key: (u32, u32), checked: Checked<'a>) {
    if let Some(list) = table.entry(key) {
        list.push(checked);
    }
}

fn result(vote: &Vote, reason: Option<Rejection>) -> VoteResult {
    VoteResult { listing: vote.listing, slot: vote.slot, status: VoteStatus::Rejected, reason }
}

fn place(result: &mut VoteResult, placement: Placement) {
    (result.status, result.reason) = match placement {
        Placement::Accepted => (VoteStatus::Accepted, None),
        Placement::Duplicate => (VoteStatus::Duplicate, None),
        Placement::SlotTaken => (VoteStatus::Rejected, Some(Rejection::SlotTaken)),
    };
}

#[cfg(test)]
mod tests;
