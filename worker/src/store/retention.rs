//! Deleting what is older than we keep it.

use serde::Serialize;
use shared::history::{CHUNK_MINUTES, chunk_of};
use shared::methodology::PROBE_DAYS;

use super::{Store, StoreFault, answers, json, statement};

const MAX_ID: &str = "SELECT cast(coalesce(max(id), 0) AS TEXT) AS answer FROM listing";

// The listings are few, and each has one day's chunks to lose: a bounded step.
const DELETE: &str = "
    DELETE FROM vote_chunk
    WHERE listing IN (SELECT value FROM json_each(?1, '$.listings')) AND chunk < ?1 ->> 'chunk'
    RETURNING cast(chunk AS TEXT) AS answer";

const MINUTES_A_DAY: u32 = 24 * 60;

impl Store {
    /// One step: the listings whose number is congruent to the minute modulo a day lose their chunks that lie wholly
    /// more than 35 days back. Run each minute it visits every listing once a day. Gives the number of chunks deleted.
    ///
    /// # Errors
    /// The database's.
    pub async fn forget(&self, minute: u32) -> Result<usize, StoreFault> {
        #[derive(Serialize)]
        struct Parameter {
            listings: Vec<u32>,
            chunk: u32,
        }
        let oldest = chunk_of(minute.saturating_sub(PROBE_DAYS * MINUTES_A_DAY));
        let listings = visited(minute, self.number(MAX_ID).await?);
        if listings.is_empty() {
            return Ok(0);
        }
        let parameter = json(&Parameter { listings, chunk: oldest })?;
        let results = self.batch(vec![statement(DELETE, &parameter)]).await?;
        Ok(answers(&results, 0)?.len())
    }
}

/// The listings that a minute visits, numbers from 1 to `last`.
fn visited(minute: u32, last: u32) -> Vec<u32> {
    (minute % MINUTES_A_DAY..=last).step_by(MINUTES_A_DAY as usize).filter(|listing| *listing > 0).collect()
}

const _: () = assert!(MINUTES_A_DAY.is_multiple_of(CHUNK_MINUTES));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_visits_every_listing_once() {
        let mut all: Vec<u32> = (77..77 + MINUTES_A_DAY).flat_map(|minute| visited(minute, 5_000)).collect();
        all.sort_unstable();
        assert_eq!(all, (1..=5_000).collect::<Vec<_>>());
        assert!((0..MINUTES_A_DAY).all(|minute| visited(minute, 0).is_empty()));
    }
}
