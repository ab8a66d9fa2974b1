//! Rows of listings as an admin adds, edits and lists them.

use serde::Serialize;
use shared::listing::{State, Tier};
use shared::methodology::OPEN_INTERVAL_MINUTES;
use shared::schedule::{Segment, minute_of};

use super::d1::Statement;
use super::{Store, StoreFault, answers, coded, first, json, statement};

const HOLDERS: &str = "
    SELECT json_group_array(json_array(slug, url)) AS answer
    FROM listing WHERE slug = ?1 ->> 'slug' OR url = ?1 ->> 'url'";

const NEXT_ID: &str = "SELECT cast(coalesce(max(id), 0) + 1 AS TEXT) AS answer FROM listing";

const ADD: &str = "
    INSERT INTO listing (id, slug, name, url, listed_ms)
    SELECT ?1 ->> 'id', ?1 ->> 'slug', ?1 ->> 'name', ?1 ->> 'url', ?1 ->> 'listed_ms'";

const ADD_SEGMENT: &str = "
    INSERT INTO cadence (listing, network, from_slot, interval_minutes)
    SELECT ?1 ->> 'id', 0, ?1 ->> 'from_slot', ?1 ->> 'interval_minutes'";

// Another endpoint is another door: what was remembered of the old one is forgotten.
const EDIT: &str = "
    UPDATE listing SET
        slug = coalesce(?1 ->> 'new_slug', slug), name = coalesce(?1 ->> 'name', name),
        state = coalesce(?1 ->> 'state', state), url = coalesce(?1 ->> 'url', url),
        identity = CASE WHEN coalesce(?1 ->> 'url', url) = url THEN identity END,
        shape = CASE WHEN coalesce(?1 ->> 'url', url) = url THEN shape END,
        fuse = CASE WHEN coalesce(?1 ->> 'url', url) = url AND NOT ?1 ->> 'reset_fuse' THEN fuse END,
        revision = revision + 1
    WHERE slug = ?1 ->> 'slug'
    RETURNING slug AS answer";

const LIST: &str = "
    SELECT json_group_array(json_array(id, slug, name, url, tier, state, listed_ms)) AS answer
    FROM (
        SELECT id, slug, name, url, tier, state, listed_ms FROM listing
        WHERE slug > ?1 ->> 'after' ORDER BY slug LIMIT ?1 ->> 'most'
    )";

/// A listing to add, checked.
#[derive(Debug, Clone, Serialize)]
pub struct NewListing {
    pub slug: String,
    pub name: String,
    pub url: String,
    pub listed_ms: i64,
}

/// What to change of the listing `slug`, checked; `None` leaves a member as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Edit {
    pub slug: String,
    pub new_slug: Option<String>,
    pub name: Option<String>,
    pub url: Option<String>,
    /// The code of a [`State`].
    pub state: Option<u8>,
    pub reset_fuse: bool,
}

/// A value that another listing holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// `slug` or `url`.
    pub field: &'static str,
    /// The holder's slug.
    pub holder: String,
}

/// A listing as an admin sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminListing {
    pub id: u32,
    pub slug: String,
    pub name: String,
    pub url: String,
    pub tier: Tier,
    pub state: State,
    pub listed_ms: i64,
}

impl Store {
    /// Who holds the slug or the URL, except for the listing `except`; the URL is reported first.
    ///
    /// # Errors
    /// The database's.
    pub async fn taken(
        &self,
        slug: Option<&str>,
        url: Option<&str>,
        except: Option<&str>,
    ) -> Result<Option<Taken>, StoreFault> {
        #[derive(Serialize)]
        struct Parameter<'a> {
            slug: Option<&'a str>,
            url: Option<&'a str>,
        }
        let mut by_slug = None;
        for mut row in self.select(HOLDERS, &json(&Parameter { slug, url })?).await? {
            let (holder, held) = (row.text()?, row.text()?);
            if except == Some(holder.as_str()) {
                continue;
            }
            if url == Some(held.as_str()) {
                return Ok(Some(Taken { field: "url", holder }));
            }
            by_slug = Some(Taken { field: "slug", holder });
        }
        Ok(by_slug)
    }

    /// Adds a listing with its first slot, and gives its number.
    ///
    /// # Errors
    /// The database's; a number, slug or URL that somebody took in between is one of them.
    pub async fn add(&self, listing: &NewListing) -> Result<u32, StoreFault> {
        #[derive(Serialize)]
        struct Parameter<'a> {
            id: u32,
            #[serde(flatten)]
            listing: &'a NewListing,
            from_slot: u32,
            interval_minutes: u32,
        }
        let id: u32 = self.number(NEXT_ID).await?;
        let segment = Segment::beginning(id, OPEN_INTERVAL_MINUTES, minute_of(listing.listed_ms));
        let Segment { from_slot, interval_minutes } = segment;
        let parameter = json(&Parameter { id, listing, from_slot, interval_minutes })?;
        self.batch(vec![statement(ADD, &parameter), statement(ADD_SEGMENT, &parameter)]).await?;
        Ok(id)
    }

    /// Changes a listing. False where there is none of that slug.
    ///
    /// # Errors
    /// The database's.
    pub async fn edit(&self, edit: &Edit) -> Result<bool, StoreFault> {
        let results = self.batch(vec![statement(EDIT, &json(edit)?)]).await?;
        Ok(!answers(&results, 0)?.is_empty())
    }

    /// The listings after `after` in order of slugs, `most` of them.
    ///
    /// # Errors
    /// The database's.
    pub async fn list(&self, after: &str, most: usize) -> Result<Vec<AdminListing>, StoreFault> {
        #[derive(Serialize)]
        struct Parameter<'a> {
            after: &'a str,
            most: usize,
        }
        let mut listings = Vec::new();
        for mut row in self.select(LIST, &json(&Parameter { after, most })?).await? {
            listings.push(AdminListing {
                id: row.number()?,
                slug: row.text()?,
                name: row.text()?,
                url: row.text()?,
                tier: coded(row.number()?, Tier::from_code, "listing.tier")?,
                state: coded(row.number()?, State::from_code, "listing.state")?,
                listed_ms: row.number()?,
            });
        }
        Ok(listings)
    }

    /// Runs a statement whose first row has the number `answer`.
    pub(super) async fn number(&self, sql: &str) -> Result<u32, StoreFault> {
        let results = self.batch(vec![Statement { sql: sql.to_owned(), parameter: None }]).await?;
        let answer = first(answers(&results, 0)?)?;
        answer.parse().map_err(|_| StoreFault::Answer(format!("{answer:?} is no number")))
    }
}
