//! Packed per-probe history: all votes of one listing from one network within six hours are one blob.
//!
//! A vote costs about three bytes because most of it repeats: class, reason, status, identity and shape are written
//! once a chunk as a template; a run of votes on the grid under one template writes only its start and its latency,
//! both as differences. Exact milliseconds and seconds are kept. The bytes are a function of the set of records alone,
//! so neither order of arrival nor repetition can be seen in them.
//!
//! What it does not do: it knows no schedule (any minute may hold a record) and keeps no text; identity and shape are
//! referred to by digest.

mod bytes;
mod decode;
mod encode;
mod merge;
mod record;

pub use decode::{ChunkFault, decode};
pub use encode::encode;
pub use merge::{Merged, Placement, merge};
pub use record::{Record, ShapeSeen, identity_digest};

/// Minutes of one chunk, aligned to UTC. A 5-minute listing has 72 votes in it, about 210 bytes: well below the 1,000
/// bytes beyond which a row of a `WITHOUT ROWID` table takes a page of its own. (A server that reports another version
/// to every probe makes 1,500.) Larger chunks would save little and rewrite more bytes with each vote.
pub const CHUNK_MINUTES: u32 = 360;

/// The chunk that a slot lies in.
#[must_use]
pub const fn chunk_of(slot: u32) -> u32 {
    slot / CHUNK_MINUTES
}

/// First byte of every chunk; another form gets another number.
const VERSION: u8 = 1;

#[cfg(test)]
mod tests;
