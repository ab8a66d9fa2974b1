//! Bytes to records. Total: any bytes give records or a fault, in bounded memory.

use super::bytes::Reader;
use super::encode::flag;
use super::{CHUNK_MINUTES, Record, ShapeSeen, VERSION};
use crate::outcome::{Class, Phase, Precision, Reason};
use crate::shape::Digest;

/// Seconds of a time that a vote can have, in milliseconds. The difference of any two can be written down, too.
const STARTS: std::ops::RangeInclusive<i64> = i64::MIN.div_euclid(1_000)..=i64::MAX.div_euclid(1_000);

/// What is wrong with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChunkFault {
    #[error("the chunk has form {0}, this version reads form {VERSION}")]
    Version(u8),
    #[error("the chunk ends early")]
    Short,
    #[error("the chunk goes on after its last record")]
    Long,
    #[error("a number in the chunk is out of its range")]
    Range,
    #[error("a code in the chunk is not known")]
    Code,
    #[error("a slot lies outside the chunk or out of order")]
    Slot,
}

/// The records of chunk number `chunk`, sorted by slot. No bytes: no records.
///
/// # Errors
/// The first thing that is wrong.
pub fn decode(chunk: u32, bytes: &[u8]) -> Result<Vec<Record>, ChunkFault> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let mut reader = Reader(bytes);
    match reader.byte()? {
        VERSION => {}
        version => return Err(ChunkFault::Version(version)),
    }
    let count: usize = reader.number()?;
    // One record a minute at most: nothing a chunk says can make us reserve more.
    if count == 0 || count > CHUNK_MINUTES as usize {
        return Err(ChunkFault::Range);
    }
    let step: u32 = reader.number()?;
    let base = reader.signed()?;
    let identities = read_digests(&mut reader, count)?;
    let shapes = read_digests(&mut reader, count)?;
    let templates = read_templates(&mut reader, count, &identities, &shapes)?;

    let begin = chunk.checked_mul(CHUNK_MINUTES).ok_or(ChunkFault::Slot)?;
    let mut records = Vec::with_capacity(count);
    let mut slots = Slots { begin, last: None, step };
    let mut last_latency = 0_i64;
    while records.len() < count {
        let template = *templates.get(reader.number::<usize>()?).ok_or(ChunkFault::Range)?;
        let difference = reader.number()?;
        let length: usize = reader.number()?;
        if length == 0 || length > count - records.len() {
            return Err(ChunkFault::Range);
        }
        for index in 0..length {
            let slot = slots.next((index == 0).then_some(difference))?;
            let start = reader.signed()?.checked_add(base).ok_or(ChunkFault::Range)?;
            let started_s = start.checked_add(i64::from(slot) * 60).ok_or(ChunkFault::Range)?;
            if !STARTS.contains(&started_s) {
                return Err(ChunkFault::Range);
            }
            let mut record = Record { slot, started_s, ..template };
            if record.latency_ms.is_some() {
                last_latency = last_latency.checked_add(reader.signed()?).ok_or(ChunkFault::Range)?;
                record.latency_ms = Some(u32::try_from(last_latency).map_err(|_| ChunkFault::Range)?);
            }
            records.push(record);
        }
    }
    if reader.0.is_empty() { Ok(records) } else { Err(ChunkFault::Long) }
}

/// Walks along the slots and keeps them ascending and within the chunk.
struct Slots {
    begin: u32,
    last: Option<u32>,
    step: u32,
}

impl Slots {
    fn next(&mut self, difference: Option<u32>) -> Result<u32, ChunkFault> {
        let difference = difference.unwrap_or(self.step);
        if difference >= CHUNK_MINUTES || (difference == 0 && self.last.is_some()) {
            return Err(ChunkFault::Slot);
        }
        let slot = self.last.unwrap_or(self.begin).checked_add(difference).ok_or(ChunkFault::Slot)?;
        if slot - self.begin >= CHUNK_MINUTES {
            return Err(ChunkFault::Slot);
        }
        self.last = Some(slot);
        Ok(slot)
    }
}

fn read_digests(reader: &mut Reader<'_>, records: usize) -> Result<Vec<Digest>, ChunkFault> {
    let count = at_most(reader, records)?;
    (0..count).map(|_| reader.array().map(Digest)).collect()
}

fn read_templates(
    reader: &mut Reader<'_>,
    records: usize,
    identities: &[Digest],
    shapes: &[Digest],
) -> Result<Vec<Record>, ChunkFault> {
    let count = at_most(reader, records)?;
    (0..count).map(|_| read_template(reader, identities, shapes)).collect()
}

fn at_most(reader: &mut Reader<'_>, records: usize) -> Result<usize, ChunkFault> {
    let count = reader.number()?;
    if count > records { Err(ChunkFault::Range) } else { Ok(count) }
}

fn read_template(
    reader: &mut Reader<'_>,
    identities: &[Digest],
    shapes: &[Digest],
) -> Result<Record, ChunkFault> {
    let class = Class::from_code(reader.byte()?).ok_or(ChunkFault::Code)?;
    let flags = reader.byte()?;
    let more = reader.byte()?;
    let tools_ok = match (flags & flag::TOOLS_FAILED != 0, flags & flag::TOOLS_OK != 0) {
        (false, false) => None,
        (true, false) => Some(false),
        (false, true) => Some(true),
        (true, true) => return Err(ChunkFault::Code),
    };
    if more & !flag::ALL != 0 || (more & flag::COMPLETE != 0 && more & flag::SHAPE == 0) {
        return Err(ChunkFault::Code);
    }
    let given = |flag: u8| flags & flag != 0;
    let given_more = |flag: u8| more & flag != 0;
    let reason =
        given(flag::REASON).then(|| Reason::from_code(reader.byte()?).ok_or(ChunkFault::Code)).transpose()?;
    let phase =
        given(flag::PHASE).then(|| Phase::from_code(reader.byte()?).ok_or(ChunkFault::Code)).transpose()?;
    let http_status = given(flag::STATUS).then(|| reader.number()).transpose()?;
    let violations = given_more(flag::VIOLATIONS).then(|| reader.unsigned()).transpose()?.unwrap_or(0);
    let colo = given_more(flag::COLO).then(|| reader.array()).transpose()?;
    let identity = given_more(flag::IDENTITY).then(|| look_up(reader, identities)).transpose()?;
    let shape = given_more(flag::SHAPE).then(|| look_up(reader, shapes)).transpose()?;
    Ok(Record {
        slot: 0,
        started_s: 0,
        class,
        reason,
        phase,
        precision: if given(flag::EDGE) { Precision::Edge } else { Precision::Exact },
        http_status,
        latency_ms: given(flag::LATENCY).then_some(0),
        tools_ok,
        violations,
        colo,
        session_ended: given(flag::SESSION_ENDED),
        identity,
        excused: given_more(flag::EXCUSED)
            .then(|| Reason::from_code(reader.byte()?).ok_or(ChunkFault::Code))
            .transpose()?,
        shape: shape.map(|digest| ShapeSeen { digest, complete: given_more(flag::COMPLETE) }),
    })
}

fn look_up(reader: &mut Reader<'_>, digests: &[Digest]) -> Result<Digest, ChunkFault> {
    digests.get(reader.number::<usize>()?).copied().ok_or(ChunkFault::Range)
}
