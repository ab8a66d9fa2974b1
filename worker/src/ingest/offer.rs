//! Which slots a prober gets: everything due in its shards that has not been offered yet. Pure.

use shared::schedule::{self, Cadence, Turn};
use shared::sorting::sort_by_key;
use shared::table::Table;

/// A listing as far as offering goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub listing: u32,
    pub listed_ms: i64,
    /// For the claiming network.
    pub cadence: Cadence,
}

/// A shard's lease as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub holder: String,
    pub expires_ms: i64,
    pub progress: Progress,
}

/// How far a shard's slots have been offered. Every offer moves it on, so that of two claims planned from the same
/// progress one can be told that it came too late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// When slots were last offered: listings that came later have been offered nothing.
    pub offered_ms: i64,
    pub cursor: Cursor,
}

/// What lies before it, by due minute and then by listing, has been offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub minute: u32,
    pub listing: u32,
}

/// Who claims, and when.
#[derive(Debug, Clone, Copy)]
pub struct Claimant<'a> {
    pub holder: &'a str,
    pub capacity: u32,
    pub network: u32,
    pub turn: Turn,
    pub now_ms: i64,
}

/// One slot to hand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub listing: u32,
    pub slot: u32,
    pub interval_minutes: u32,
    /// Not before now.
    pub due_ms: i64,
}

/// What becomes of one shard's lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    pub shard: u32,
    /// As read; none where there was no lease.
    pub before: Option<Progress>,
    pub after: Progress,
}

/// The answer to a claim, if the renewals are still good.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    pub slots: Vec<Slot>,
    pub renewals: Vec<Renewal>,
    /// Shards that somebody else holds.
    pub held_elsewhere: u32,
    /// Slots were left out for want of capacity.
    pub more: bool,
}

/// A lease with more than half of its time left, and nothing to offer, is not rewritten.
const RENEW_BELOW_MS: i64 = shared::methodology::LEASE_S * 1_000 / 2;

/// Plans one claim. `leases` are all of the network's, by shard.
#[must_use]
pub fn offer(claimant: &Claimant<'_>, candidates: &[Candidate], leases: &Table<u32, Lease>) -> Offer {
    let now_ms = claimant.now_ms;
    let held_elsewhere = |lease: &Lease| lease.holder != claimant.holder && lease.expires_ms > now_ms;
    let mut offer = Offer {
        held_elsewhere: leases.iter().filter(|(_, lease)| held_elsewhere(lease)).count() as u32,
        ..Offer::default()
    };

    // By shard: whether it has a slot in the offer.
    let mut shards: Table<u32, bool> = Table::new();
    let mut due: Vec<(Cursor, Slot)> = Vec::new();
    for candidate in candidates {
        let shard = schedule::shard_of(candidate.listing);
        let lease = leases.get(&shard);
        if lease.is_some_and(held_elsewhere) {
            continue;
        }
        shards.entry(shard);
        due.extend(unoffered(candidate, lease, claimant));
    }
    sort_by_key(&mut due, |(place, slot)| (*place, slot.slot));

    // What does not fit stays unoffered: the shard's cursor stops at its first such slot.
    let taken = due.len().min(claimant.capacity as usize);
    let mut rest = due.split_off(taken);
    // A cursor cannot stop between two slots of one listing and minute, as there may be where its interval changes:
    // the other one is given up rather than the first offered twice.
    if let Some((last, _)) = due.last() {
        rest.retain(|(place, _)| place != last);
    }
    offer.more = !rest.is_empty();
    let mut stops: Table<u32, Cursor> = Table::new();
    for (place, slot) in rest.iter().rev() {
        stops.set(schedule::shard_of(slot.listing), *place);
    }
    for (_, slot) in due {
        shards.set(schedule::shard_of(slot.listing), true);
        offer.slots.push(slot);
    }
    let everything = Cursor { minute: schedule::minute_of(now_ms).saturating_add(1), listing: 0 };
    for (shard, offered) in shards {
        let lease = leases.get(&shard);
        let fresh = lease.is_some_and(|lease| {
            lease.holder == claimant.holder && lease.expires_ms.saturating_sub(now_ms) > RENEW_BELOW_MS
        });
        if offered || !fresh {
            let before = lease.map(|lease| lease.progress);
            let cursor = stops.get(&shard).copied().unwrap_or(everything);
            // A clock that went back must not offer again what has been offered.
            let after = before.map_or(Progress { offered_ms: now_ms, cursor }, |before| Progress {
                offered_ms: before.offered_ms.max(now_ms),
                cursor: before.cursor.max(cursor),
            });
            offer.renewals.push(Renewal { shard, before, after });
        }
    }
    offer
}

/// The candidate's slots that are due by the end of this minute, still offerable, and beyond the lease's cursor.
fn unoffered(candidate: &Candidate, lease: Option<&Lease>, claimant: &Claimant<'_>) -> Vec<(Cursor, Slot)> {
    let Claimant { network, turn, now_ms, .. } = *claimant;
    let this_minute = schedule::minute_of(now_ms);
    // A listing that appeared after this claim began belongs to the next one.
    if candidate.listed_ms > now_ms {
        return Vec::new();
    }
    let Some(interval) =
        candidate.cadence.segment_at(this_minute.saturating_add(1)).map(|now| now.interval_minutes)
    else {
        return Vec::new();
    };
    // Two intervals back covers a change of interval as well; ahead, jitter makes slots due before their minute.
    let (first, last) = (this_minute.saturating_sub(2 * interval), this_minute.saturating_add(interval));
    let place = |listing, due_ms| Cursor { minute: schedule::minute_of(due_ms), listing };
    candidate
        .cadence
        .slots_between(first, last)
        .filter(|(slot, interval)| schedule::offerable(*slot, *interval, now_ms))
        .map(|(slot, interval_minutes)| {
            let listing = candidate.listing;
            let due_ms = schedule::due_ms(listing, network, slot, interval_minutes, turn);
            let item = Slot { listing, slot, interval_minutes, due_ms: due_ms.max(now_ms) };
            (place(listing, due_ms), item)
        })
        .filter(|(place, _)| place.minute <= this_minute)
        .filter(|(place, _)| {
            lease.is_none_or(|lease| {
                let Progress { offered_ms, cursor } = lease.progress;
                *place >= cursor || candidate.listed_ms > offered_ms
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
