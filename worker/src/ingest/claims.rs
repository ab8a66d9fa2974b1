//! `POST /api/v2/claims`: the slots that are due now, to the holder of their shards.

use shared::fuse::Fuse;
use shared::listing::Endpoint;
use shared::methodology::{CLAIM_SLOTS, HOLDER_CHARACTERS};
use shared::schedule::{MINUTE_MS, Turn, shard_of};
use shared::table::Table;
use shared::vote::{Claim, ClaimAnswer, ClaimRequest};

use super::offer::{self, Claimant, Slot};
use crate::config::{Config, Network};
use crate::problem::Problem;
use crate::reply::Reply;
use crate::store::{Brief, Store};

/// Where slots were left over for want of capacity, or another claim came between: ask again this soon.
const SOON_MS: u32 = 1_000;
/// After the turn of the minute, so that its slots are due by the Worker's clock.
const AFTER_MINUTE_MS: i64 = 250;

/// Hands out slots.
///
/// # Errors
/// 400 that names the member which breaks its rule.
pub async fn claim(
    store: &Store,
    request: &ClaimRequest,
    (network, turn): (&Network, Turn),
    config: &Config,
    now_ms: i64,
) -> Result<Reply, Problem> {
    check(request)?;
    let ClaimRequest { holder, capacity } = request;
    let claimant = Claimant { holder, capacity: *capacity, network: network.id, turn, now_ms };
    let (candidates, leases) = store.claimable(&claimant).await?;
    let offer = offer::offer(&claimant, &candidates, &leases);
    let (shards, briefs) = store.renew(&claimant, &offer).await?;
    let outrun = shards.len() < offer.renewals.len();
    let ours = |slot: &&Slot| shards.contains(&shard_of(slot.listing));
    let claims = offer.slots.iter().filter(ours).filter_map(|slot| make(slot, &briefs, config)).collect();
    let until_minute = MINUTE_MS - now_ms.rem_euclid(MINUTE_MS) + AFTER_MINUTE_MS;
    let next_ms = if offer.more || outrun { SOON_MS } else { u32::try_from(until_minute).unwrap_or(SOON_MS) };
    Ok(Reply::json(&ClaimAnswer { now_ms, claims, held_elsewhere: offer.held_elsewhere, next_ms }))
}

fn check(request: &ClaimRequest) -> Result<(), Problem> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if !HOLDER_CHARACTERS.contains(&request.holder.len()) || !request.holder.bytes().all(plain) {
        let (least, most) = (HOLDER_CHARACTERS.start(), HOLDER_CHARACTERS.end());
        return Err(Problem::invalid(
            "holder",
            format!("A holder has {least} to {most} of A-Z, a-z, 0-9, . _ and -."),
        ));
    }
    if request.capacity > CLAIM_SLOTS {
        return Err(Problem::invalid("capacity", format!("The capacity is at most {CLAIM_SLOTS}.")));
    }
    Ok(())
}

/// None for a host that is denied, or a URL that the address rules no longer admit: its slots are not offered.
fn make(slot: &Slot, briefs: &Table<u32, Brief>, config: &Config) -> Option<Claim> {
    let brief = briefs.get(&slot.listing)?;
    let endpoint = Endpoint::parse(&brief.url, config.allow_private).ok()?;
    if config.denied_hosts.contains(endpoint.host()) {
        return None;
    }
    let identity = brief.identity.as_ref();
    Some(Claim {
        listing: slot.listing,
        slug: brief.slug.clone(),
        url: brief.url.clone(),
        slot: slot.slot,
        due_ms: slot.due_ms,
        interval_minutes: slot.interval_minutes,
        era: identity.and_then(|identity| identity.era),
        resource_metadata: identity.and_then(|identity| identity.resource_metadata.clone()),
        authorization_server: identity.and_then(|identity| identity.authorization_server.clone()),
        end_session: brief.fuse.as_ref().is_none_or(Fuse::allows_delete),
        known_shape: brief.shape,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_has_its_rule() {
        let request = |holder: &str, capacity| ClaimRequest { holder: holder.to_owned(), capacity };
        assert_eq!(check(&request("vm-1.a_B", CLAIM_SLOTS)), Ok(()));
        for (request, field) in [
            (request("", 1), "holder"),
            (request(&"a".repeat(65), 1), "holder"),
            (request("a b", 1), "holder"),
            (request("ä", 1), "holder"),
            (request("a", CLAIM_SLOTS + 1), "capacity"),
        ] {
            assert_eq!(check(&request).unwrap_err().field.as_deref(), Some(field));
        }
    }
}
