//! Rows that the public documents are made from: listings, their newest chunks, and what those refer to.

use serde::Serialize;
use shared::history::{self, Record};
use shared::listing::{State, Tier};
use shared::reading::document;
use shared::schedule::Cadence;
use shared::shape::{Digest, Shape};
use shared::table::Table;
use shared::vote::Identity;

use super::row::Row;
use super::votes::cadence;
use super::{Store, StoreFault, coded, json, rows, statement};

/// Chunks read of each listing and network: at least six hours of votes, at most twelve.
const CHUNKS: u32 = 2;

const PAGE: &str = "
    SELECT json_group_array(json_array(
        l.id, l.slug, l.name, l.url, l.tier, l.state, l.listed_ms, l.identity,
        json((
            SELECT json_group_array(json_array(
                n.value,
                json((
                    SELECT json_group_array(json_array(from_slot, interval_minutes)) FROM (
                        SELECT from_slot, interval_minutes FROM cadence
                        WHERE listing = l.id AND network IN (0, n.value) ORDER BY network, from_slot
                    )
                )),
                json((
                    SELECT json_group_array(json_array(chunk, hex(data))) FROM (
                        SELECT chunk, data FROM vote_chunk
                        WHERE listing = l.id AND network = n.value ORDER BY chunk DESC LIMIT ?1 ->> 'chunks'
                    )
                ))
            ))
            FROM json_each(?1, '$.networks') AS n
        ))
    )) AS answer
    FROM (";

const BY_SLUG: &str = "SELECT * FROM listing WHERE slug = ?1 ->> 'slug') AS l GROUP BY l.slug";

const AFTER_SLUG: &str = "
    SELECT * FROM listing WHERE slug > ?1 ->> 'slug' AND state <> ?1 ->> 'delisted'
    ORDER BY slug LIMIT ?1 ->> 'most') AS l GROUP BY l.slug ORDER BY l.slug";

const IDENTITIES: &str = "
    SELECT json_group_array(json_array(i.listing, i.digest, i.json)) AS answer
    FROM json_each(?1, '$.identities') AS j CROSS JOIN identity AS i
    ON i.listing = j.value ->> 0 AND i.digest = j.value ->> 1 GROUP BY j.key / 50";

const SHAPES: &str = "
    SELECT json_group_array(json_array(
        s.listing, s.digest, s.tools, CASE WHEN ?1 ->> 'names' THEN s.json END
    )) AS answer
    FROM json_each(?1, '$.shapes') AS j CROSS JOIN shape AS s
    ON s.listing = j.value ->> 0 AND s.digest = j.value ->> 1 GROUP BY j.key / 2";

const TOTALS: &str = "
    SELECT json_group_array(json_array(tier, listings)) AS answer
    FROM (
        SELECT tier, sum(listings) AS listings FROM listing_count
        WHERE state <> ?1 ->> 'delisted' GROUP BY tier
    )";

/// One listing with its newest records.
#[derive(Debug, Clone, PartialEq)]
pub struct ListingRow {
    pub id: u32,
    pub slug: String,
    pub name: String,
    pub url: String,
    pub tier: Tier,
    pub state: State,
    pub listed_ms: i64,
    /// The identity last seen from any network.
    pub identity: Option<Digest>,
    pub networks: Table<u32, NetworkRow>,
}

/// What one network saw lately.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRow {
    pub cadence: Cadence,
    /// Ascending by slot.
    pub records: Vec<Record>,
}

/// Content to look up, by listing and digest.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Wanted {
    pub identities: Vec<(u32, Digest)>,
    pub shapes: Vec<(u32, Digest)>,
    /// Whether tool names are wanted.
    pub names: bool,
}

/// The content that was found.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    pub identities: Table<(u32, Digest), Identity>,
    pub shapes: Table<(u32, Digest), ShapeContent>,
}

/// Of a stored shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeContent {
    pub tools: u32,
    pub names: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Parameter<'a> {
    slug: &'a str,
    networks: &'a [u32],
    most: usize,
    chunks: u32,
    delisted: u8,
}

impl Store {
    /// The listing of that slug, in whatever state.
    ///
    /// # Errors
    /// The database's.
    pub async fn listing(&self, slug: &str, networks: &[u32]) -> Result<Option<ListingRow>, StoreFault> {
        Ok(self.rows_of_page(BY_SLUG, slug, 1, networks).await?.pop())
    }

    /// Listings in order of slugs, from the first after `after` on, at most `most`; delisted ones are left out.
    ///
    /// # Errors
    /// The database's.
    pub async fn page(
        &self,
        after: &str,
        most: usize,
        networks: &[u32],
    ) -> Result<Vec<ListingRow>, StoreFault> {
        self.rows_of_page(AFTER_SLUG, after, most, networks).await
    }

    async fn rows_of_page(
        &self,
        which: &str,
        slug: &str,
        most: usize,
        networks: &[u32],
    ) -> Result<Vec<ListingRow>, StoreFault> {
        let parameter = Parameter { slug, networks, most, chunks: CHUNKS, delisted: State::Delisted.code() };
        let rows = self.select(&format!("{PAGE}{which}"), &json(&parameter)?).await?;
        rows.into_iter().map(listing).collect()
    }

    /// Looks up what records refer to.
    ///
    /// # Errors
    /// The database's.
    pub async fn contents(&self, wanted: &Wanted) -> Result<Contents, StoreFault> {
        if wanted.identities.is_empty() && wanted.shapes.is_empty() {
            return Ok(Contents::default());
        }
        let parameter = json(wanted)?;
        let statements = vec![statement(IDENTITIES, &parameter), statement(SHAPES, &parameter)];
        let results = self.batch(statements).await?;
        let mut contents = Contents::default();
        for mut row in rows(&results, 0)? {
            let key = (row.number()?, row.digest()?);
            contents.identities.set(key, document(row.text()?.as_bytes())?);
        }
        for mut row in rows(&results, 1)? {
            let key = (row.number()?, row.digest()?);
            let tools = row.number()?;
            let shape: Option<Shape> =
                row.optional_text()?.map(|json| document(json.as_bytes())).transpose()?;
            let names = shape.map(|shape| shape.names().map(str::to_owned).collect());
            contents.shapes.set(key, ShapeContent { tools, names });
        }
        Ok(contents)
    }

    /// How many listings each tier has, delisted ones left out.
    ///
    /// # Errors
    /// The database's.
    pub async fn totals(&self) -> Result<Table<Tier, u32>, StoreFault> {
        let parameter =
            Parameter { slug: "", networks: &[], most: 0, chunks: 0, delisted: State::Delisted.code() };
        let mut totals = Table::new();
        for mut row in self.select(TOTALS, &json(&parameter)?).await? {
            totals.set(coded(row.number()?, Tier::from_code, "listing.tier")?, row.number()?);
        }
        Ok(totals)
    }
}

fn listing(mut row: Row) -> Result<ListingRow, StoreFault> {
    let id = row.number()?;
    Ok(ListingRow {
        id,
        slug: row.text()?,
        name: row.text()?,
        url: row.text()?,
        tier: coded(row.number()?, Tier::from_code, "listing.tier")?,
        state: coded(row.number()?, State::from_code, "listing.state")?,
        listed_ms: row.number()?,
        identity: row.optional_digest()?,
        networks: networks(id, row.rows()?)?,
    })
}

fn networks(listing: u32, rows: Vec<Row>) -> Result<Table<u32, NetworkRow>, StoreFault> {
    let mut networks = Table::new();
    for mut row in rows {
        let network = row.number()?;
        let cadence = cadence(row.rows()?)?;
        let mut records = Vec::new();
        // Chunks come newest first.
        for mut row in row.rows()?.into_iter().rev() {
            let chunk = row.number()?;
            let read = history::decode(chunk, &row.bytes()?);
            records.extend(read.map_err(|fault| {
                StoreFault::Answer(format!(
                    "chunk {chunk} of listing {listing} from network {network}: {fault}"
                ))
            })?);
        }
        networks.set(network, NetworkRow { cadence, records });
    }
    Ok(networks)
}
