//! Rows of a claim: leases, segments of the listings a prober may have, and what it must know of those it gets.

use serde::Serialize;
use shared::fuse::Fuse;
use shared::listing::State;
use shared::methodology::{LEASE_S, SHARD_LISTINGS};
use shared::reading::document;
use shared::shape::Digest;
use shared::table::Table;
use shared::vote::Identity;

use super::votes::{cadence, read_fuse};
use super::{Store, StoreFault, answers, json, rows, statement};
use crate::ingest::offer::{Candidate, Claimant, Cursor, Lease, Offer, Progress};

const LEASES: &str = "
    SELECT json_group_array(json_array(
        shard, holder, expires_ms, offered_ms, offered_minute, offered_listing
    )) AS answer
    FROM lease WHERE network = ?1 ->> 'network'";

// Listings of shards that somebody else holds are left out.
const CANDIDATES: &str = "
    SELECT json_group_array(json_array(l.id, l.listed_ms, json((
        SELECT json_group_array(json_array(c.from_slot, c.interval_minutes)) FROM (
            SELECT from_slot, interval_minutes FROM cadence
            WHERE listing = l.id AND network IN (0, ?1 ->> 'network') ORDER BY network, from_slot
        ) AS c
    )))) AS answer
    FROM listing AS l
    LEFT JOIN lease AS e ON e.network = ?1 ->> 'network' AND e.shard = l.id / (?1 ->> 'shard_listings')
    WHERE l.state IN (SELECT value FROM json_each(?1, '$.states'))
      AND (e.shard IS NULL OR e.holder = ?1 ->> 'holder' OR e.expires_ms <= ?1 ->> 'now_ms')";

// Only where the progress is still the one that was read: a slot is offered once. A listing that came after the last
// offer may have slots before the cursor, which then stays: the time of the offer tells such claims apart.
const RENEW: &str = "
    UPDATE lease SET
        holder = ?1 ->> 'holder', expires_ms = ?1 ->> 'expires_ms',
        offered_ms = j.value ->> 1, offered_minute = j.value ->> 2, offered_listing = j.value ->> 3
    FROM json_each(?1, '$.held') AS j
    WHERE lease.network = ?1 ->> 'network' AND lease.shard = j.value ->> 0
      AND lease.offered_ms = j.value ->> 4
      AND lease.offered_minute = j.value ->> 5 AND lease.offered_listing = j.value ->> 6
      AND (lease.holder = ?1 ->> 'holder' OR lease.expires_ms <= ?1 ->> 'now_ms')
    RETURNING cast(shard AS TEXT) AS answer";

const TAKE: &str = "
    INSERT INTO lease (network, shard, holder, expires_ms, offered_ms, offered_minute, offered_listing)
    SELECT ?1 ->> 'network', value ->> 0, ?1 ->> 'holder', ?1 ->> 'expires_ms',
           value ->> 1, value ->> 2, value ->> 3
    FROM json_each(?1, '$.free') WHERE true
    ON CONFLICT DO NOTHING
    RETURNING cast(shard AS TEXT) AS answer";

const BRIEFS: &str = "
    SELECT json_group_array(json_array(l.id, l.slug, l.url, i.json, s.digest, l.fuse)) AS answer
    FROM json_each(?1, '$.listings') AS j
    CROSS JOIN listing AS l ON l.id = j.value
    LEFT JOIN identity AS i ON i.listing = l.id AND i.digest = l.identity
    LEFT JOIN shape AS s ON s.listing = l.id AND s.digest = l.shape GROUP BY j.key / 100";

/// What a prober must know of a listing.
#[derive(Debug, Clone)]
pub struct Brief {
    pub slug: String,
    pub url: String,
    pub identity: Option<Identity>,
    /// The shape last seen, if its content is stored.
    pub shape: Option<Digest>,
    pub fuse: Option<Fuse>,
}

impl Store {
    /// Reads what a claim is planned from: candidates and all leases of the network, by shard.
    ///
    /// # Errors
    /// The database's.
    pub async fn claimable(
        &self,
        claimant: &Claimant<'_>,
    ) -> Result<(Vec<Candidate>, Table<u32, Lease>), StoreFault> {
        #[derive(Serialize)]
        struct Parameter<'a> {
            network: u32,
            holder: &'a str,
            now_ms: i64,
            shard_listings: u32,
            states: Vec<u8>,
        }
        let parameter = Parameter {
            network: claimant.network,
            holder: claimant.holder,
            now_ms: claimant.now_ms,
            shard_listings: SHARD_LISTINGS,
            states: State::ALL.iter().filter(|state| state.probed()).map(|state| state.code()).collect(),
        };
        let parameter = json(&parameter)?;
        let statements = vec![statement(LEASES, &parameter), statement(CANDIDATES, &parameter)];
        let results = self.batch(statements).await?;
        let mut leases = Table::new();
        for mut row in rows(&results, 0)? {
            let shard = row.number()?;
            let (holder, expires_ms, offered_ms) = (row.text()?, row.number()?, row.number()?);
            let cursor = Cursor { minute: row.number()?, listing: row.number()? };
            let progress = Progress { offered_ms, cursor };
            leases.set(shard, Lease { holder, expires_ms, progress });
        }
        let mut candidates = Vec::new();
        for mut row in rows(&results, 1)? {
            candidates.push(Candidate {
                listing: row.number()?,
                listed_ms: row.number()?,
                cadence: cadence(row.rows()?)?,
            });
        }
        Ok((candidates, leases))
    }

    /// Moves the cursors of an offer, and reads the briefs of its listings. Gives the shards whose cursor was still as
    /// planned: slots of the others are not ours to hand out.
    ///
    /// # Errors
    /// The database's.
    pub async fn renew(
        &self,
        claimant: &Claimant<'_>,
        offer: &Offer,
    ) -> Result<(Vec<u32>, Table<u32, Brief>), StoreFault> {
        #[derive(Serialize)]
        struct Parameter<'a> {
            network: u32,
            holder: &'a str,
            now_ms: i64,
            expires_ms: i64,
            /// Shard, progress after, progress before.
            held: Vec<(u32, i64, u32, u32, i64, u32, u32)>,
            /// Shard, progress after.
            free: Vec<(u32, i64, u32, u32)>,
            listings: Vec<u32>,
        }
        if offer.renewals.is_empty() {
            return Ok((Vec::new(), Table::new()));
        }
        let mut parameter = Parameter {
            network: claimant.network,
            holder: claimant.holder,
            now_ms: claimant.now_ms,
            expires_ms: claimant.now_ms.saturating_add(LEASE_S * 1_000),
            held: Vec::new(),
            free: Vec::new(),
            listings: offer.slots.iter().map(|slot| slot.listing).collect(),
        };
        for renewal in &offer.renewals {
            let shard = renewal.shard;
            let (at, minute, listing) = columns(renewal.after);
            match renewal.before.map(columns) {
                Some(before) => {
                    parameter.held.push((shard, at, minute, listing, before.0, before.1, before.2));
                }
                None => parameter.free.push((shard, at, minute, listing)),
            }
        }
        let parameter = json(&parameter)?;
        let statements =
            vec![statement(RENEW, &parameter), statement(TAKE, &parameter), statement(BRIEFS, &parameter)];
        let results = self.batch(statements).await?;
        let shards = answers(&results, 0)?.iter().chain(answers(&results, 1)?);
        let mut briefs = Table::new();
        for mut row in rows(&results, 2)? {
            let id = row.number()?;
            let (slug, url) = (row.text()?, row.text()?);
            let identity = row.optional_text()?.map(|json| document(json.as_bytes())).transpose()?;
            let brief =
                Brief { slug, url, identity, shape: row.optional_digest()?, fuse: read_fuse(&mut row)? };
            briefs.set(id, brief);
        }
        Ok((shards.filter_map(|shard| shard.parse().ok()).collect(), briefs))
    }
}

/// When offered, up to which minute, and in it up to which listing.
const fn columns(progress: Progress) -> (i64, u32, u32) {
    let Progress { offered_ms, cursor: Cursor { minute, listing } } = progress;
    (offered_ms, minute, listing)
}
