//! Records to bytes.
//!
//! ```text
//! version, record count, grid step, base start, identities, shapes, templates, runs
//! run = template number, slot difference to the record before (first: to the chunk's begin), length, records
//! record = start relative to slot and base, then (where the template has a latency) its difference to the last one
//! ```

use super::bytes::{put_signed, put_unsigned};
use super::{CHUNK_MINUTES, Record, VERSION};
use crate::outcome::Precision;
use crate::shape::Digest;

/// Bits of a template's two flag bytes.
pub(super) mod flag {
    pub(in crate::history) const REASON: u8 = 1;
    pub(in crate::history) const PHASE: u8 = 2;
    pub(in crate::history) const EDGE: u8 = 4;
    pub(in crate::history) const STATUS: u8 = 8;
    pub(in crate::history) const LATENCY: u8 = 16;
    pub(in crate::history) const TOOLS_FAILED: u8 = 32;
    pub(in crate::history) const TOOLS_OK: u8 = 64;
    pub(in crate::history) const SESSION_ENDED: u8 = 128;
    // Second byte.
    pub(in crate::history) const VIOLATIONS: u8 = 1;
    pub(in crate::history) const COLO: u8 = 2;
    pub(in crate::history) const IDENTITY: u8 = 4;
    pub(in crate::history) const SHAPE: u8 = 8;
    pub(in crate::history) const COMPLETE: u8 = 16;
    pub(in crate::history) const EXCUSED: u8 = 32;
    pub(in crate::history) const ALL: u8 = 63;
}

/// The bytes of `records`, which must be sorted by slot, one a slot, all in one chunk. No records: no bytes.
#[must_use]
pub fn encode(records: &[Record]) -> Vec<u8> {
    let Some(first) = records.first() else {
        return Vec::new();
    };
    let step = grid_step(records);
    let base = since_slot(first);
    let dictionaries = Dictionaries::of(records);
    let mut out = Vec::with_capacity(64 + 4 * records.len());
    out.push(VERSION);
    put_unsigned(&mut out, records.len() as u64);
    put_unsigned(&mut out, u64::from(step));
    put_signed(&mut out, base);
    dictionaries.write(&mut out);

    let mut rest = records;
    let mut last_slot = first.slot / CHUNK_MINUTES * CHUNK_MINUTES;
    let mut last_latency = 0;
    while let Some(head) = rest.first() {
        let (run, after) = rest.split_at(run_length(rest, step));
        put_unsigned(&mut out, place(&dictionaries.templates, &template(head)));
        put_unsigned(&mut out, u64::from(head.slot.saturating_sub(last_slot)));
        put_unsigned(&mut out, run.len() as u64);
        for record in run {
            put_signed(&mut out, since_slot(record) - base);
            if let Some(latency) = record.latency_ms.map(i64::from) {
                put_signed(&mut out, latency - last_latency);
                last_latency = latency;
            }
            last_slot = record.slot;
        }
        rest = after;
    }
    out
}

/// The smallest distance of neighbours: the grid's, wherever two neighbouring slots were both probed.
fn grid_step(records: &[Record]) -> u32 {
    records.iter().zip(records.iter().skip(1)).map(|(one, next)| next.slot - one.slot).min().unwrap_or(0)
}

fn since_slot(record: &Record) -> i64 {
    record.started_s - i64::from(record.slot) * 60
}

/// How many records from the first on are on the grid and share its template.
fn run_length(records: &[Record], step: u32) -> usize {
    let same =
        |(one, next): &(&Record, &Record)| next.slot - one.slot == step && template(next) == template(one);
    1 + records.iter().zip(records.iter().skip(1)).take_while(same).count()
}

/// What a run has in common: the record without slot, start and latency (whose presence counts).
fn template(record: &Record) -> Record {
    Record { slot: 0, started_s: 0, latency_ms: record.latency_ms.map(|_| 0), ..*record }
}

/// Each distinct part once, in order of first appearance.
struct Dictionaries {
    identities: Vec<Digest>,
    shapes: Vec<Digest>,
    templates: Vec<Record>,
}

impl Dictionaries {
    fn of(records: &[Record]) -> Self {
        let mut dictionaries = Self { identities: Vec::new(), shapes: Vec::new(), templates: Vec::new() };
        for record in records.iter().map(template) {
            add(&mut dictionaries.templates, record);
            record.identity.into_iter().for_each(|digest| add(&mut dictionaries.identities, digest));
            record.shape.into_iter().for_each(|shape| add(&mut dictionaries.shapes, shape.digest));
        }
        dictionaries
    }

    fn write(&self, out: &mut Vec<u8>) {
        for digests in [&self.identities, &self.shapes] {
            put_unsigned(out, digests.len() as u64);
            digests.iter().for_each(|digest| out.extend(digest.0));
        }
        put_unsigned(out, self.templates.len() as u64);
        self.templates.iter().for_each(|template| self.write_template(out, template));
    }

    fn write_template(&self, out: &mut Vec<u8>, record: &Record) {
        let set = |present: bool, flag: u8| if present { flag } else { 0 };
        out.push(record.class.code());
        out.push(
            set(record.reason.is_some(), flag::REASON)
                | set(record.phase.is_some(), flag::PHASE)
                | set(record.precision == Precision::Edge, flag::EDGE)
                | set(record.http_status.is_some(), flag::STATUS)
                | set(record.latency_ms.is_some(), flag::LATENCY)
                | set(record.tools_ok == Some(false), flag::TOOLS_FAILED)
                | set(record.tools_ok == Some(true), flag::TOOLS_OK)
                | set(record.session_ended, flag::SESSION_ENDED),
        );
        out.push(
            set(record.violations != 0, flag::VIOLATIONS)
                | set(record.colo.is_some(), flag::COLO)
                | set(record.identity.is_some(), flag::IDENTITY)
                | set(record.shape.is_some(), flag::SHAPE)
                | set(record.shape.is_some_and(|shape| shape.complete), flag::COMPLETE)
                | set(record.excused.is_some(), flag::EXCUSED),
        );
        out.extend(record.reason.map(|reason| reason.code()));
        out.extend(record.phase.map(|phase| phase.code()));
        if let Some(status) = record.http_status {
            put_unsigned(out, u64::from(status));
        }
        if record.violations != 0 {
            put_unsigned(out, record.violations);
        }
        out.extend(record.colo.into_iter().flatten());
        if let Some(digest) = record.identity {
            put_unsigned(out, place(&self.identities, &digest));
        }
        if let Some(shape) = record.shape {
            put_unsigned(out, place(&self.shapes, &shape.digest));
        }
        out.extend(record.excused.map(|reason| reason.code()));
    }
}

fn add<T: PartialEq>(items: &mut Vec<T>, item: T) {
    if !items.contains(&item) {
        items.push(item);
    }
}

/// The place of an item that is in the list.
fn place<T: PartialEq>(items: &[T], item: &T) -> u64 {
    items.iter().position(|other| other == item).unwrap_or(0) as u64
}
