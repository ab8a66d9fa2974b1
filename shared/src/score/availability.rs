//! Availability: the share of successes, each vote weighing half after a day. (section 3)
//!
//! Votes are summed a chunk of history at a time, and the sums of chunks are then weighed by their age: sums of chunks
//! that are kept and sums made afresh are the same numbers, added in the same order.

use crate::history::{CHUNK_MINUTES, chunk_of};
use crate::methodology::score::MOST_WITH_A_FAILURE;

use super::decay::weight;
use super::probe::Probe;
use super::round::{tenths, thousandths};

/// A vote may start before its slot; every vote of a chunk starts later than this many seconds before the chunk.
const LEAD_S: i64 = 3_600;

/// Sums over votes, relative to some time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    /// Sum of weights.
    pub weight: f64,
    /// Sum of the weights of successes.
    pub success: f64,
    /// Sum of squared weights.
    pub squares: f64,
    /// Votes.
    pub counted: u32,
    /// Failures among them.
    pub failures: u32,
}

impl Sums {
    fn add(&mut self, weight: f64, success: bool) {
        self.weight += weight;
        self.squares += weight * weight;
        self.counted += 1;
        if success {
            self.success += weight;
        } else {
            self.failures += 1;
        }
    }

    /// Adds sums that were made relative to an earlier time, of which a vote then weighs `factor`.
    fn add_sums(&mut self, other: &Self, factor: f64) {
        self.weight += other.weight * factor;
        self.success += other.success * factor;
        self.squares += other.squares * factor * factor;
        self.counted += other.counted;
        self.failures += other.failures;
    }
}

/// The sums of the votes of one chunk, relative to [`reference_s`] of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkSums {
    pub chunk: u32,
    pub sums: Sums,
}

/// The time that the sums of a chunk are relative to, in seconds since the epoch.
#[must_use]
pub fn reference_s(chunk: u32) -> i64 {
    60 * i64::from(chunk) * i64::from(CHUNK_MINUTES) - LEAD_S
}

/// The sums of votes, one a chunk, in order. Takes counted votes in order of their slots.
#[must_use]
pub fn chunks(probes: &[Probe]) -> Vec<ChunkSums> {
    let mut all: Vec<ChunkSums> = Vec::new();
    for probe in probes.iter().filter(|probe| probe.is_counted()) {
        let chunk = chunk_of(probe.slot);
        if all.last().is_none_or(|last| last.chunk != chunk) {
            all.push(ChunkSums { chunk, sums: Sums::default() });
        }
        if let Some(last) = all.last_mut() {
            // Relative to an earlier time, a later vote weighs more.
            last.sums.add(weight(reference_s(chunk) - probe.started_s), probe.is_success());
        }
    }
    all
}

/// All chunks together, as of a time.
#[must_use]
pub fn total<'a>(chunks: impl IntoIterator<Item = &'a ChunkSums>, as_of: i64) -> Sums {
    let mut sums = Sums::default();
    for ChunkSums { chunk, sums: of_chunk } in chunks {
        sums.add_sums(of_chunk, weight(as_of - reference_s(*chunk)));
    }
    sums
}

/// Availability as printed, with what its interval is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Availability {
    /// Thousandths.
    pub point: u32,
    /// Kish's effective sample, in tenths.
    pub effective_tenths: u32,
    /// Votes that entered.
    pub counted: u32,
    /// Failures among them.
    pub failures: u32,
}

impl Availability {
    /// Of sums; none without a vote.
    #[must_use]
    pub fn of(sums: &Sums) -> Option<Self> {
        if sums.counted == 0 || sums.weight <= 0.0 {
            return None;
        }
        let point = thousandths(sums.success / sums.weight).min(1_000);
        let most = if sums.failures > 0 { MOST_WITH_A_FAILURE } else { 1_000 };
        Some(Self {
            point: point.min(most),
            effective_tenths: tenths(sums.weight * sums.weight / sums.squares),
            counted: sums.counted,
            failures: sums.failures,
        })
    }
}
