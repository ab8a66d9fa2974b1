//! Votes of every kind for many slots, always the same for the same slot.

use std::collections::BTreeMap;

use serde_json::json;
use shared::outcome::{Class, Era, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};
use shared::schedule::slot_ms;
use shared::shape::{Collector, Digest, Shape};
use shared::verdict::{Learned, ServerIdentity};
use shared::vote::{Identity, ShapeReference, Vote, VoteBatch};

/// A shape of `count` tools.
#[must_use]
pub fn shape(count: u32) -> Shape {
    let tool = |number| json!({"name": format!("tool-{number}"), "inputSchema": {"type": "object"}});
    let mut collector = Collector::new();
    collector.add_page((0..count).map(tool).collect(), false);
    collector.finish().shape
}

/// A shape of one tool with this name.
#[must_use]
pub fn shape_named(name: &str) -> Shape {
    let mut collector = Collector::new();
    collector.add_page(vec![json!({"name": name, "inputSchema": {"type": "object"}})], false);
    collector.finish().shape
}

/// A success of a server of this version with these tools.
#[must_use]
pub fn fickle(listing: u32, slot: u32, version: u32, shape: ShapeReference) -> Vote {
    let base = vote(listing, slot);
    Vote {
        class: Class::Up,
        reason: None,
        phase: None,
        violations: Vec::new(),
        http_status: Some(200),
        latency_ms: Some(100),
        tools_ok: Some(true),
        identity: Some(identity(version)),
        shape: Some(shape),
        learned: Learned::default(),
        ..base
    }
}

/// What the server says of itself, with this version.
fn identity(version: u32) -> Identity {
    Identity {
        era: Some(Era::Legacy),
        protocol_version: Some("2025-11-25".to_owned()),
        server: Some(ServerIdentity { name: "sample".to_owned(), version: format!("1.{version}.0") }),
        ..Identity::default()
    }
}

fn gated() -> Identity {
    Identity {
        front_door: Some(FrontDoor::Partial),
        front_door_notes: vec![FrontDoorNote::NoChallenge, FrontDoorNote::IssuerMismatch],
        resource_metadata: Some("https://sample.example.com/.well-known/oauth-protected-resource".to_owned()),
        issuer: Some("https://auth.example.com".to_owned()),
        ..Identity::default()
    }
}

/// Mixes the bits of a number, so that neighbours have nothing in common.
#[must_use]
pub fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// One vote: mostly successes with tools, some of every other kind.
#[must_use]
pub fn vote(listing: u32, slot: u32) -> Vote {
    let bits = mix(u64::from(listing) << 32 | u64::from(slot));
    let start_ms = i64::try_from(bits >> 40).unwrap_or(0) % 60_000;
    let latency_ms = u32::try_from(bits >> 20 & 0x3ff).unwrap_or(0);
    let base = Vote {
        listing,
        slot,
        started_ms: slot_ms(slot) + start_ms,
        class: Class::Up,
        reason: None,
        phase: None,
        precision: Precision::Exact,
        http_status: Some(200),
        latency_ms: Some(latency_ms),
        tools_ok: Some(true),
        violations: Vec::new(),
        colo: None,
        identity: None,
        shape: None,
        learned: Learned::default(),
    };
    let nothing = Vote { http_status: None, latency_ms: None, tools_ok: None, ..base.clone() };
    match bits % 16 {
        0 => Vote { class: Class::Timeout, phase: Some(Phase::Body), http_status: Some(200), ..nothing },
        1 => Vote {
            class: Class::ConnectFailed,
            reason: Some(Reason::ConnectionRefused),
            phase: Some(Phase::Connect),
            ..nothing
        },
        2 => Vote {
            class: Class::RateLimited,
            reason: Some(Reason::TooManyRequests),
            http_status: Some(429),
            learned: Learned { retry_after_s: Some(60), ..Learned::default() },
            ..nothing
        },
        3 => Vote {
            class: Class::AuthRequired,
            http_status: Some(401),
            tools_ok: None,
            identity: Some(gated()),
            ..base
        },
        4 => Vote {
            class: Class::Degraded,
            violations: vec![Violation::IdType, Violation::ContentType],
            identity: Some(identity(1)),
            ..base
        },
        5 => Vote { class: Class::Http5xx, http_status: Some(503), ..nothing },
        kind => {
            let tools = if kind < 14 { 3 } else { 5 };
            let shape = ShapeReference { digest: shape(tools).digest(), count: tools, complete: kind != 13 };
            let learned = Learned { era: Some(Era::Legacy), session_ended: kind == 6, ..Learned::default() };
            Vote { identity: Some(identity(tools)), shape: Some(shape), learned, ..base }
        }
    }
}

/// A batch with every shape its votes refer to.
#[must_use]
pub fn batch(votes: Vec<Vote>) -> VoteBatch {
    let all: BTreeMap<Digest, Shape> = [shape(3), shape(5)].map(|shape| (shape.digest(), shape)).into();
    let used =
        |digest: &Digest| votes.iter().any(|vote| vote.shape.is_some_and(|shape| shape.digest == *digest));
    let shapes = all.into_iter().filter(|(digest, _)| used(digest)).collect();
    VoteBatch { votes, shapes }
}
