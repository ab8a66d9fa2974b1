//! Whether one vote may be stored: its slot, its time, and every member within its range.
//!
//! A vote need not have been claimed here: it must lie on the listing's grid, and its key admits one vote only.

use shared::methodology::{cuts, limits};
use shared::outcome::{FrontDoorNote, Precision, Violation};
use shared::schedule;
use shared::shape::{Digest, Shape};
use shared::table::Table;
use shared::vote::{Identity, Rejection, Vote};

use super::plan::KnownListing;
use crate::config::Network;

/// What the votes of one batch are checked against.
pub(super) struct Context<'a> {
    pub network: &'a Network,
    /// The batch's shapes: how many tools each has, or why no vote may refer to it.
    pub shapes: Table<Digest, Result<u32, Rejection>>,
    pub now_ms: i64,
}

/// Checks each shape once, however many votes refer to it.
pub(super) fn check_shapes(shapes: &Table<Digest, Shape>) -> Table<Digest, Result<u32, Rejection>> {
    let check = |digest: Digest, shape: &Shape| {
        if shape.tools().len() > limits::TOOLS || shape.names().any(|name| name.len() > cuts::TOOL_NAME) {
            return Err(Rejection::Invalid);
        }
        if shape.digest() != digest {
            return Err(Rejection::ShapeMismatch);
        }
        u32::try_from(shape.tools().len()).map_err(|_| Rejection::Invalid)
    };
    let mut checked = Table::new();
    for (digest, shape) in shapes {
        checked.set(*digest, check(*digest, shape));
    }
    checked
}

/// The interval of the vote's slot in minutes.
///
/// # Errors
/// The first rule the vote breaks.
pub(super) fn check(
    vote: &Vote,
    listing: Option<&KnownListing>,
    known_shape: bool,
    context: &Context<'_>,
) -> Result<u32, Rejection> {
    let listing = listing.ok_or(Rejection::UnknownListing)?;
    if vote.precision != context.network.precision {
        return Err(Rejection::WrongPrecision);
    }
    let interval = listing.cadence.interval_of(vote.slot).ok_or(Rejection::NotASlot)?;
    if let Some(fault) = schedule::start_fault(vote.started_ms, vote.slot, interval, context.now_ms) {
        return Err(fault);
    }
    if !in_range(vote) || !vote.identity.as_ref().is_none_or(identity_in_range) {
        return Err(Rejection::Invalid);
    }
    check_shape(vote, known_shape, &context.shapes)?;
    Ok(interval)
}

fn in_range(vote: &Vote) -> bool {
    let colo_fits = match &vote.colo {
        None => true,
        Some(colo) => {
            vote.precision == Precision::Edge
                && colo.len() == 3
                && colo.bytes().all(|byte| byte.is_ascii_uppercase())
        }
    };
    colo_fits
        && vote.http_status.is_none_or(|status| (100..=999).contains(&status))
        && vote.latency_ms.is_none_or(|latency| latency <= limits::LATENCY_MS)
        && vote.violations.len() <= Violation::ALL.len()
}

/// Within the published cuts: nothing longer that a server said is kept.
fn identity_in_range(identity: &Identity) -> bool {
    let fits = |text: &Option<String>, bytes: usize| text.as_ref().is_none_or(|text| text.len() <= bytes);
    let server_fits = identity.server.as_ref().is_none_or(|server| {
        server.name.len() <= cuts::SERVER_NAME && server.version.len() <= cuts::SERVER_VERSION
    });
    server_fits
        && fits(&identity.protocol_version, cuts::PROTOCOL_VERSION)
        && fits(&identity.resource_metadata, cuts::FRONT_DOOR_URL)
        && fits(&identity.authorization_server, cuts::FRONT_DOOR_URL)
        && fits(&identity.issuer, cuts::FRONT_DOOR_URL)
        && fits(&identity.redirect_host, cuts::REDIRECT_HOST)
        && identity.front_door_notes.len() <= FrontDoorNote::ALL.len()
}

fn check_shape(
    vote: &Vote,
    known: bool,
    shapes: &Table<Digest, Result<u32, Rejection>>,
) -> Result<(), Rejection> {
    let Some(reference) = &vote.shape else {
        return Ok(());
    };
    match shapes.get(&reference.digest) {
        Some(Ok(tools)) if *tools != reference.count => Err(Rejection::Invalid),
        Some(Err(fault)) => Err(*fault),
        None if !known => Err(Rejection::UnknownShape),
        _ => Ok(()),
    }
}
