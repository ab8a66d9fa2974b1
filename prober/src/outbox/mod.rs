//! The votes that the Worker has not acknowledged yet, in one SQLite file.
//!
//! A vote is committed here (written through to the disk) before it is sent, and leaves only when the Worker named
//! its key as stored, or refused it for good; refused ones stay visible in a table of their own. One process at a
//! time uses a file.

mod fault;
mod keeper;
mod open;
mod schema;
mod write_ahead;

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use shared::reading::document;
use shared::shape::{Digest, Shape};
use shared::vote::{BATCH_BYTES, BATCH_VOTES, Rejection, Vote, VoteBatch};

pub(crate) use fault::{OutboxFault, OutboxFaultKind};
pub(crate) use keeper::Keeper;
pub(crate) use open::{Examined, examine};

/// What the members of a batch cost besides the votes and shapes in it.
const BATCH_FRAME_BYTES: usize = 1_024;
/// What a vote or shape costs besides its own text: separators, and a shape's digest as its key.
const ENTRY_FRAME_BYTES: usize = 32;

/// An open outbox, held by this process alone.
#[derive(Debug)]
pub(crate) struct Outbox {
    connection: Connection,
    /// What is wrong with the file, from when it showed until a new one is begun.
    damage: Option<String>,
    /// Its lock ends with it.
    _lock: std::fs::File,
}

/// One vote to keep.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) vote: Vote,
    /// The shape the vote refers to, kept in case the Worker asks for it.
    pub(crate) shape: Option<Shape>,
    /// The Worker does not know the shape yet, as far as we know.
    pub(crate) carry_shape: bool,
}

/// The natural key of a vote within one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VoteKey {
    pub(crate) listing: u32,
    pub(crate) slot: u32,
}

/// The oldest votes, as many as may travel together.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) keys: Vec<VoteKey>,
    pub(crate) batch: VoteBatch,
}

/// What becomes of a vote after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// The Worker has it.
    Forget,
    /// The Worker will never take it, for the reason this word names: one of [`Rejection`], or a later Worker's own.
    Reject(Cow<'static, str>),
    /// The Worker wants it with its shape.
    CarryShape,
    /// A delivery settled nothing about this vote: others go first from now on.
    Postpone,
}

/// How full an outbox is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) waiting: i64,
    pub(crate) rejected: i64,
}

/// One row on its way into a batch.
struct Row {
    key: VoteKey,
    text: String,
    shape: Option<(String, Option<String>)>,
}

impl Outbox {
    /// Commits these votes, all or none. A key that is there already stays as it is.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), OutboxFault> {
        let transaction = self.connection.transaction()?;
        for entry in entries {
            add_one(&transaction, entry)?;
        }
        Ok(transaction.commit()?)
    }

    /// The next votes to send, at most `most_votes` of them; None where nothing waits. A vote whose text is no vote
    /// (written by another version) is set aside as invalid, at `now_ms` of the Worker's time.
    pub(crate) fn next_batch(&mut self, most_votes: u32, now_ms: i64) -> Result<Option<Batch>, OutboxFault> {
        loop {
            let rows = self.oldest(most_votes.clamp(1, BATCH_VOTES as u32))?;
            let none_wait = rows.is_empty();
            let batch = self.readable(rows, now_ms)?;
            if batch.is_some() || none_wait {
                return Ok(batch);
            }
        }
    }

    /// A batch of those that read, as far as they may travel together; the others are set aside.
    fn readable(&mut self, rows: Vec<Row>, now_ms: i64) -> Result<Option<Batch>, OutboxFault> {
        let mut batch =
            Batch { keys: Vec::new(), batch: VoteBatch { votes: Vec::new(), shapes: Default::default() } };
        let mut unreadable = Vec::new();
        let mut bytes = BATCH_FRAME_BYTES;
        for row in rows {
            let Ok(vote) = document::<Vote>(row.text.as_bytes()) else {
                unreadable.push((row.key, Settlement::Reject(Rejection::Invalid.word().into())));
                continue;
            };
            let shape = row.shape.as_ref().and_then(|(digest, shape)| read_shape(digest, shape.as_deref()?));
            let new_shape = shape.filter(|(digest, ..)| !batch.batch.shapes.contains(digest));
            bytes += row.text.len() + ENTRY_FRAME_BYTES;
            bytes += new_shape.as_ref().map_or(0, |(_, _, length)| length + ENTRY_FRAME_BYTES);
            if bytes > BATCH_BYTES && !batch.keys.is_empty() {
                break;
            }
            batch.keys.push(row.key);
            batch.batch.votes.push(vote);
            if let Some((digest, shape, _)) = new_shape {
                batch.batch.shapes.set(digest, shape);
            }
        }
        if !unreadable.is_empty() {
            self.settle(&unreadable, now_ms)?;
        }
        Ok((!batch.keys.is_empty()).then_some(batch))
    }

    fn oldest(&self, most: u32) -> Result<Vec<Row>, OutboxFault> {
        let mut statement = self.connection.prepare_cached(
            "SELECT v.listing, v.slot, v.vote, v.shape, CASE WHEN v.carry_shape THEN s.shape END
             FROM votes v LEFT JOIN shapes s ON s.digest = v.shape
             WHERE v.refusals = (SELECT min(refusals) FROM votes)
             ORDER BY v.sequence LIMIT ?1",
        )?;
        let rows = statement.query_map([most], |row| {
            let digest: Option<String> = row.get(3)?;
            let shape: Option<String> = row.get(4)?;
            Ok(Row {
                key: VoteKey { listing: row.get(0)?, slot: row.get(1)? },
                text: row.get(2)?,
                shape: digest.map(|digest| (digest, shape)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Applies what the Worker answered, all or none. `now_ms` is the Worker's time, kept with refused votes.
    pub(crate) fn settle(
        &mut self,
        settlements: &[(VoteKey, Settlement)],
        now_ms: i64,
    ) -> Result<(), OutboxFault> {
        let transaction = self.connection.transaction()?;
        for (key, settlement) in settlements {
            match settlement {
                Settlement::Forget => forget(&transaction, *key)?,
                Settlement::Reject(reason) => reject(&transaction, *key, reason, now_ms)?,
                Settlement::CarryShape => carry_shape(&transaction, *key, now_ms)?,
                Settlement::Postpone => {
                    transaction
                        .prepare_cached(
                            "UPDATE votes SET refusals = refusals + 1 WHERE listing = ?1 AND slot = ?2",
                        )?
                        .execute(params![key.listing, key.slot])?;
                }
            }
        }
        Ok(transaction.commit()?)
    }

    /// Forgets shapes that no waiting vote refers to, and votes that were refused before `refused_before_ms`.
    pub(crate) fn prune(&mut self, refused_before_ms: Option<i64>) -> Result<(), OutboxFault> {
        self.connection.execute(
            "DELETE FROM shapes WHERE digest NOT IN (SELECT shape FROM votes WHERE shape IS NOT NULL)",
            [],
        )?;
        if let Some(before_ms) = refused_before_ms {
            self.connection.execute("DELETE FROM rejected WHERE rejected_ms < ?1", [before_ms])?;
        }
        Ok(())
    }

    pub(crate) fn counts(&self) -> Result<Counts, OutboxFault> {
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Counts {
            waiting: count("SELECT count(*) FROM votes")?,
            rejected: count("SELECT count(*) FROM rejected")?,
        })
    }

    /// How many votes were refused for which reason, for `check`.
    pub(crate) fn rejections(&self) -> Result<Vec<(String, i64)>, OutboxFault> {
        let mut statement = self
            .connection
            .prepare("SELECT reason, count(*) FROM rejected GROUP BY reason ORDER BY 2 DESC")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The shape with its digest and the length of its text; None where it is not to be carried or does not read.
fn read_shape(digest: &str, text: &str) -> Option<(Digest, Shape, usize)> {
    Some((digest.parse().ok()?, document(text.as_bytes()).ok()?, text.len()))
}

fn add_one(transaction: &Transaction<'_>, entry: &Entry) -> Result<(), OutboxFault> {
    let vote = serde_json::to_string(&entry.vote)?;
    let digest = entry.vote.shape.map(|shape| shape.digest.to_string());
    if let (Some(digest), Some(shape)) = (&digest, &entry.shape) {
        let known = transaction
            .prepare_cached("SELECT 1 FROM shapes WHERE digest = ?1")?
            .query_row([digest], |_| Ok(()))
            .optional()?;
        if known.is_none() {
            transaction
                .prepare_cached("INSERT INTO shapes (digest, shape) VALUES (?1, ?2)")?
                .execute(params![digest, serde_json::to_string(shape)?])?;
        }
    }
    transaction
        .prepare_cached(
            "INSERT INTO votes (listing, slot, vote, shape, carry_shape) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (listing, slot) DO NOTHING",
        )?
        .execute(params![entry.vote.listing, entry.vote.slot, vote, digest, entry.carry_shape])?;
    Ok(())
}

fn forget(transaction: &Transaction<'_>, key: VoteKey) -> Result<(), OutboxFault> {
    transaction
        .prepare_cached("DELETE FROM votes WHERE listing = ?1 AND slot = ?2")?
        .execute(params![key.listing, key.slot])?;
    Ok(())
}

fn reject(transaction: &Transaction<'_>, key: VoteKey, reason: &str, now_ms: i64) -> Result<(), OutboxFault> {
    transaction
        .prepare_cached(
            "INSERT INTO rejected (listing, slot, vote, reason, rejected_ms)
             SELECT listing, slot, vote, ?3, ?4 FROM votes WHERE listing = ?1 AND slot = ?2
             ON CONFLICT (listing, slot) DO UPDATE SET vote = excluded.vote, reason = excluded.reason,
             rejected_ms = excluded.rejected_ms",
        )?
        .execute(params![key.listing, key.slot, reason, now_ms])?;
    forget(transaction, key)
}

/// Sends the shape along from now on. A vote that carried it already, or has none to carry, is refused for good.
fn carry_shape(transaction: &Transaction<'_>, key: VoteKey, now_ms: i64) -> Result<(), OutboxFault> {
    let changed = transaction
        .prepare_cached(
            "UPDATE votes SET carry_shape = 1 WHERE listing = ?1 AND slot = ?2 AND NOT carry_shape
             AND shape IN (SELECT digest FROM shapes)",
        )?
        .execute(params![key.listing, key.slot])?;
    if changed == 0 {
        reject(transaction, key, Rejection::UnknownShape.word(), now_ms)?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
