//! Rows that a batch of votes reads and writes.

use serde::Serialize;
use shared::fuse::Fuse;
use shared::history::chunk_of;
use shared::listing::Tier;
use shared::methodology::{IDENTITIES_PER_LISTING, SHAPES_PER_LISTING};
use shared::reading::document;
use shared::schedule::{Cadence, Segment};
use shared::shape::Digest;
use shared::table::Table;
use shared::vote::VoteBatch;

use super::d1::Statement;
use super::row::Row;
use super::{Store, StoreFault, coded, hexadecimal, json, rows, statement};
use crate::ingest::plan::{ChunkWrite, Known, KnownListing, Memory, MemoryWrite, StoredChunk, Writes};

const LISTINGS: &str = "
    SELECT json_group_array(json_array(
        l.id, l.tier, l.identity, l.shape, l.remembered_ms, l.fuse, l.revision,
        json((
            SELECT json_group_array(json_array(c.from_slot, c.interval_minutes)) FROM (
                SELECT from_slot, interval_minutes FROM cadence
                WHERE listing = l.id AND network IN (0, ?1 ->> 'network') ORDER BY network, from_slot
            ) AS c
        ))
    )) AS answer
    FROM json_each(?1, '$.listings') AS j CROSS JOIN listing AS l ON l.id = j.value";

const CHUNKS: &str = "
    SELECT json_group_array(json_array(v.listing, v.chunk, v.revision, hex(v.data))) AS answer
    FROM json_each(?1, '$.chunks') AS j CROSS JOIN vote_chunk AS v
    ON v.listing = j.value ->> 0 AND v.network = ?1 ->> 'network' AND v.chunk = j.value ->> 1
    GROUP BY j.key / 100";

const SHAPES: &str = "
    SELECT json_group_array(json_array(s.listing, s.digest)) AS answer
    FROM json_each(?1, '$.shapes') AS j CROSS JOIN shape AS s
    ON s.listing = j.value ->> 0 AND s.digest = j.value ->> 1";

const WRITE_CHUNKS: &str = "
    INSERT INTO vote_chunk (listing, network, chunk, revision, data)
    SELECT value ->> 0, ?1 ->> 'network', value ->> 1, value ->> 2, unhex(value ->> 3)
    FROM json_each(?1, '$.rows') WHERE true
    ON CONFLICT (listing, network, chunk) DO UPDATE SET
        data = excluded.data,
        revision = CASE WHEN vote_chunk.revision = excluded.revision - 1 THEN excluded.revision END";

const WRITE_IDENTITIES: &str = "
    INSERT INTO identity (listing, digest, json)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1, '$.rows')
    WHERE NOT EXISTS (SELECT 1 FROM identity WHERE listing = value ->> 0 AND digest = value ->> 1)
      AND (SELECT count(*) FROM identity WHERE listing = value ->> 0) < ?1 ->> 'most'
    ON CONFLICT DO NOTHING";

const WRITE_SHAPES: &str = "
    INSERT INTO shape (listing, digest, tools, json)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1, '$.rows')
    WHERE NOT EXISTS (SELECT 1 FROM shape WHERE listing = value ->> 0 AND digest = value ->> 1)
      AND (SELECT count(*) FROM shape WHERE listing = value ->> 0) < ?1 ->> 'most'
    ON CONFLICT DO NOTHING";

/// Where what a listing says of itself would outgrow its bound, all goes but what was seen last: a server that calls
/// itself something else at every probe costs itself its past, not its present.
fn make_room(table: &str) -> String {
    format!(
        "
    DELETE FROM {table} WHERE listing IN (
        SELECT value ->> 0 AS owner FROM json_each(?1, '$.rows') GROUP BY owner
        HAVING count(*) + (SELECT count(*) FROM {table} AS held WHERE held.listing = owner) > ?1 ->> 'most'
    )
    AND digest IS NOT (SELECT l.{table} FROM listing AS l WHERE l.id = {table}.listing)"
    )
}

const WRITE_MEMORIES: &str = "
    UPDATE listing SET
        tier = j.value ->> 'tier', identity = j.value ->> 'identity', shape = j.value ->> 'shape',
        remembered_ms = j.value ->> 'remembered_ms', fuse = j.value ->> 'fuse',
        revision = CASE WHEN listing.revision = (j.value ->> 'revision') - 1 THEN j.value ->> 'revision' END
    FROM json_each(?1, '$.rows') AS j WHERE listing.id = j.value ->> 'listing'";

const WRITE_SEGMENTS: &str = "
    INSERT INTO cadence (listing, network, from_slot, interval_minutes)
    SELECT value ->> 0, 0, value ->> 1, value ->> 2 FROM json_each(?1, '$.rows') WHERE true
    ON CONFLICT DO NOTHING";

/// Bytes of JSON in one parameter, about: D1 takes texts of up to 2,000,000 bytes.
const PARAMETER_BYTES: usize = 1_000_000;

impl Store {
    /// Reads every row that the batch can touch.
    ///
    /// # Errors
    /// The database's.
    pub async fn known(&self, batch: &VoteBatch, network: u32) -> Result<Known, StoreFault> {
        #[derive(Serialize)]
        struct Parameter {
            network: u32,
            listings: Vec<u32>,
            chunks: Vec<(u32, u32)>,
            shapes: Vec<(u32, Digest)>,
        }
        let votes = &batch.votes;
        let parameter = Parameter {
            network,
            listings: distinct(votes.iter().map(|vote| vote.listing)),
            chunks: distinct(votes.iter().map(|vote| (vote.listing, chunk_of(vote.slot)))),
            shapes: distinct(votes.iter().filter_map(|vote| Some((vote.listing, vote.shape?.digest)))),
        };
        let parameter = json(&parameter)?;
        let statements = vec![
            statement(LISTINGS, &parameter),
            statement(CHUNKS, &parameter),
            statement(SHAPES, &parameter),
        ];
        let results = self.batch(statements).await?;
        let mut known = Known::default();
        for mut row in rows(&results, 0)? {
            known.listings.set(row.number()?, known_listing(&mut row)?);
        }
        for mut row in rows(&results, 1)? {
            let key = (row.number()?, row.number()?);
            known.chunks.set(key, StoredChunk { revision: row.number()?, bytes: row.bytes()? });
        }
        for mut row in rows(&results, 2)? {
            known.shapes.push((row.number()?, row.digest()?));
        }
        Ok(known)
    }

    /// Writes a plan's rows, all or none.
    ///
    /// # Errors
    /// [`StoreFault::Conflict`] where a row is not as it was read.
    pub async fn write(&self, writes: &Writes, network: u32) -> Result<(), StoreFault> {
        let mut rows = Vec::new();
        for ChunkWrite { listing, chunk, revision, bytes } in &writes.chunks {
            rows.push(format!(r#"[{listing},{chunk},{revision},"{}"]"#, hexadecimal(bytes)));
        }
        let mut statements = Vec::new();
        write_rows(&mut statements, WRITE_CHUNKS, network, 0, rows);
        let owners = writes.identities.iter().map(|((listing, _), _)| format!("[{listing}]")).collect();
        write_rows(&mut statements, &make_room("identity"), network, IDENTITIES_PER_LISTING, owners);
        let mut rows = Vec::new();
        for ((listing, digest), text) in &writes.identities {
            rows.push(format!(r#"[{listing},"{digest}",{}]"#, json(text)?));
        }
        write_rows(&mut statements, WRITE_IDENTITIES, network, IDENTITIES_PER_LISTING, rows);
        let owners = writes.shapes.iter().map(|((listing, _), _)| format!("[{listing}]")).collect();
        write_rows(&mut statements, &make_room("shape"), network, SHAPES_PER_LISTING, owners);
        let mut rows = Vec::new();
        for ((listing, digest), shape) in &writes.shapes {
            rows.push(format!(r#"[{listing},"{digest}",{},{}]"#, shape.tools, json(&shape.json)?));
        }
        write_rows(&mut statements, WRITE_SHAPES, network, SHAPES_PER_LISTING, rows);
        let mut rows = Vec::new();
        for (listing, Segment { from_slot, interval_minutes }) in &writes.segments {
            rows.push(format!("[{listing},{from_slot},{interval_minutes}]"));
        }
        write_rows(&mut statements, WRITE_SEGMENTS, network, 0, rows);
        let mut rows = Vec::new();
        for memory in &writes.memories {
            rows.push(json(&memory_row(memory)?)?);
        }
        write_rows(&mut statements, WRITE_MEMORIES, network, 0, rows);
        if !statements.is_empty() {
            self.batch(statements).await?;
        }
        Ok(())
    }
}

/// Statements that write `rows`, each row a JSON text: as many rows in one as fit a parameter.
fn write_rows(statements: &mut Vec<Statement>, sql: &str, network: u32, most: u32, rows: Vec<String>) {
    let mut pending = String::new();
    let mut write = |rows: &str| {
        let parameter = Some(format!(r#"{{"network":{network},"most":{most},"rows":[{rows}]}}"#));
        statements.push(Statement { sql: sql.to_owned(), parameter });
    };
    for row in rows {
        if !pending.is_empty() && pending.len() + row.len() > PARAMETER_BYTES {
            write(&pending);
            pending.clear();
        }
        if !pending.is_empty() {
            pending.push(',');
        }
        pending.push_str(&row);
    }
    if !pending.is_empty() {
        write(&pending);
    }
}

fn known_listing(row: &mut Row) -> Result<KnownListing, StoreFault> {
    let memory = Memory {
        tier: coded(row.number()?, Tier::from_code, "listing.tier")?,
        identity: row.optional_digest()?,
        shape: row.optional_digest()?,
        remembered_ms: row.number()?,
        fuse: read_fuse(row)?,
    };
    Ok(KnownListing { memory, revision: row.number()?, cadence: cadence(row.rows()?)? })
}

/// The next cell of a row, a fuse or null.
pub(super) fn read_fuse(row: &mut Row) -> Result<Option<Fuse>, StoreFault> {
    Ok(row.optional_text()?.map(|json| document(json.as_bytes())).transpose()?)
}

/// Segments as rows, those of every network before those of one.
pub(super) fn cadence(rows: Vec<Row>) -> Result<Cadence, StoreFault> {
    let mut segments = Vec::with_capacity(rows.len());
    for mut row in rows {
        segments.push(Segment { from_slot: row.number()?, interval_minutes: row.number()? });
    }
    Ok(Cadence::new(segments))
}

#[derive(Serialize)]
struct MemoryRow {
    listing: u32,
    revision: u32,
    tier: u8,
    identity: Option<Digest>,
    shape: Option<Digest>,
    remembered_ms: i64,
    /// The text of the column.
    fuse: Option<String>,
}

fn memory_row(write: &MemoryWrite) -> Result<MemoryRow, StoreFault> {
    let MemoryWrite { listing, revision, memory } = write;
    Ok(MemoryRow {
        listing: *listing,
        revision: *revision,
        tier: memory.tier.code(),
        identity: memory.identity,
        shape: memory.shape,
        remembered_ms: memory.remembered_ms,
        fuse: memory.fuse.as_ref().map(serde_json::to_string).transpose()?,
    })
}

fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut table = Table::new();
    items.for_each(|item| table.set(item, ()));
    table.into_iter().map(|(item, ())| item).collect()
}
