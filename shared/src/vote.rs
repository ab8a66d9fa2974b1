//! Votes and claims as they travel between prober and Worker. The natural key of a vote is (listing, network, slot).

use serde::{Deserialize, Serialize};

use crate::outcome::{Class, Era, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};
use crate::reading::members;
use crate::shape::{Digest, Shape};
use crate::table::Table;
use crate::verdict::{Learned, ServerIdentity, Verdict};
use crate::words::where_known;

/// Votes in one delivery at most.
pub const BATCH_VOTES: usize = 500;
/// Bytes of one delivery's body at most.
pub const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// One classified result: what `POST /api/v2/votes` carries, and what the outbox keeps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Vote {
    /// The listing's number.
    pub listing: u32,
    /// Whole minutes since the epoch.
    pub slot: u32,
    /// Start of the probe in milliseconds since the epoch, by the Worker's clock.
    pub started_ms: i64,
    pub class: Class,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    pub precision: Precision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_ok: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// Three capital letters, where an edge network knows its location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colo: Option<String>,
    /// What the server said of itself, how its front door looked and where it sent us, where it answered at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The tools listed, by the digest of their shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeReference>,
    #[serde(skip_serializing_if = "learned_nothing")]
    pub learned: Learned,
}

fn learned_nothing(learned: &Learned) -> bool {
    *learned == Learned::default()
}

/// The slow-changing part of a verdict, stored once per listing and referred to by its digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Identity {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<Era>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerIdentity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_door: Option<FrontDoor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub front_door_notes: Vec<FrontDoorNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_metadata: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The host an off-origin redirect led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_host: Option<String>,
    /// The endpoint announced the retired HTTP+SSE transport.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retired_transport: bool,
}

/// The tools of one vote, by digest; the shape itself travels once a batch, and only where the claim did not know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct ShapeReference {
    pub digest: Digest,
    pub count: u32,
    pub complete: bool,
}

/// The body of `POST /api/v2/votes`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VoteBatch {
    pub votes: Vec<Vote>,
    /// Shapes the votes refer to, by digest. A shape the Worker knows already for that listing may be left out.
    #[serde(skip_serializing_if = "Table::is_empty")]
    pub shapes: Table<Digest, Shape>,
}

/// The answer to a [`VoteBatch`]: one result a vote, in any order, each with its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoteAnswers {
    pub results: Vec<VoteResult>,
}

/// What became of one vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoteResult {
    pub listing: u32,
    pub slot: u32,
    pub status: VoteStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Rejection>,
}

crate::words::word_enum! {
    /// Whether a vote is in the record now.
    VoteStatus {
        Accepted = 1 "accepted",
        /// The same vote was there already.
        Duplicate = 2 "duplicate",
        /// Not stored; the reason says why. Sending the same bytes again changes nothing, save for `unknown_shape`.
        Rejected = 3 "rejected",
    }
}

crate::words::word_enum! {
    /// Why a vote was rejected.
    Rejection {
        UnknownListing = 1 "unknown_listing",
        /// The slot is not on the listing's grid.
        NotASlot = 2 "not_a_slot",
        /// Another vote holds this key.
        SlotTaken = 3 "slot_taken",
        /// Started before slot - 10 % of the interval.
        TooEarly = 4 "too_early",
        /// Started later than slot + 2 intervals.
        TooLate = 5 "too_late",
        /// More than 120 s in the Worker's future.
        InFuture = 6 "in_future",
        /// More than 7 days old.
        TooOld = 7 "too_old",
        /// The shape's digest is neither known for the listing nor in the batch: send it again with the shape.
        UnknownShape = 8 "unknown_shape",
        /// The shape's content does not have that digest.
        ShapeMismatch = 9 "shape_mismatch",
        /// A member is out of its range.
        Invalid = 10 "invalid",
        /// The network's configured precision is another one.
        WrongPrecision = 11 "wrong_precision",
    }
}

/// The body of `POST /api/v2/claims`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimRequest {
    /// Names this process among the network's probers; a shard's lease belongs to it. 1 to 64 of `[A-Za-z0-9._-]`.
    pub holder: String,
    /// Slots this process can take now, at most 1,000.
    pub capacity: u32,
}

/// The answer to a [`ClaimRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimAnswer {
    /// The Worker's clock, milliseconds since the epoch.
    pub now_ms: i64,
    pub claims: Vec<Claim>,
    /// Shards of this network held by another process now.
    pub held_elsewhere: u32,
    /// Call again after this many milliseconds.
    pub next_ms: u32,
}

/// One slot offered to the holder, with what the Worker remembers of the listing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub listing: u32,
    pub slug: String,
    pub url: String,
    pub slot: u32,
    /// When to start, in the Worker's clock.
    pub due_ms: i64,
    pub interval_minutes: u32,
    /// None as well where a later Worker knows an era that we do not: better probed afresh than not at all.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "where_known")]
    pub era: Option<Era>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_metadata: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_server: Option<String>,
    /// False once the fuse on our DELETE has blown (methodology section 2).
    pub end_session: bool,
    /// The shape last stored for the listing: votes that saw the same need not carry it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "where_known")]
    pub known_shape: Option<Digest>,
}

members!(Vote {
    listing, slot, started_ms, class, precision;
    reason, phase, http_status, latency_ms, tools_ok, violations, colo, identity, shape, learned
});

members!(Identity {
    ;
    era, protocol_version, server, front_door, front_door_notes, resource_metadata, authorization_server, issuer,
    redirect_host, retired_transport
});

members!(ShapeReference { digest, count, complete; });

members!(VoteBatch { votes; shapes });

members!(ClaimRequest { holder, capacity; });

impl Vote {
    /// The vote for one claimed slot.
    #[must_use]
    pub fn new(listing: u32, slot: u32, started_ms: i64, colo: Option<String>, verdict: &Verdict) -> Self {
        let learned = &verdict.learned;
        let answered = verdict.era.is_some()
            || verdict.front_door.is_some()
            || learned.redirect_host.is_some()
            || learned.retired_transport;
        Self {
            listing,
            slot,
            started_ms,
            class: verdict.class,
            reason: verdict.reason,
            phase: verdict.phase,
            precision: verdict.precision,
            http_status: verdict.http_status,
            latency_ms: verdict.latency_ms,
            tools_ok: verdict.tools_ok,
            violations: verdict.violations.clone(),
            colo,
            identity: answered.then(|| Identity {
                era: verdict.era,
                protocol_version: verdict.protocol_version.clone(),
                server: verdict.server.clone(),
                front_door: verdict.front_door,
                front_door_notes: verdict.front_door_notes.clone(),
                resource_metadata: learned.resource_metadata.clone(),
                authorization_server: learned.authorization_server.clone(),
                issuer: learned.issuer.clone(),
                redirect_host: learned.redirect_host.clone(),
                retired_transport: learned.retired_transport,
            }),
            shape: verdict.tools.as_ref().map(|tools| ShapeReference {
                digest: tools.shape.digest(),
                count: tools.count,
                complete: tools.complete,
            }),
            learned: learned.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reading::document;

    fn any_vote() -> impl Strategy<Value = Vote> {
        let words = (
            prop::sample::select(Class::ALL),
            prop::option::of(prop::sample::select(Reason::ALL)),
            prop::option::of(prop::sample::select(Phase::ALL)),
            prop::sample::select(Precision::ALL),
            prop::collection::vec(prop::sample::select(Violation::ALL), 0..4),
        );
        let numbers = (any::<u32>(), any::<u32>(), any::<i64>(), any::<Option<u16>>(), any::<Option<u32>>());
        let texts =
            (prop::option::of("\\PC{0,20}"), prop::option::of("\\PC{0,20}"), prop::option::of("[A-Z]{3}"));
        let seen = (any::<Option<bool>>(), prop::option::of((any::<[u8; 8]>(), any::<u32>(), any::<bool>())));
        (words, numbers, texts, seen).prop_map(|(words, numbers, texts, (tools_ok, shape))| {
            let (class, reason, phase, precision, violations) = words;
            let (listing, slot, started_ms, http_status, latency_ms) = numbers;
            let (name, issuer, colo) = texts;
            Vote {
                listing,
                slot,
                started_ms,
                class,
                reason,
                phase,
                precision,
                http_status,
                latency_ms,
                tools_ok,
                violations,
                colo,
                identity: name.map(|name| Identity {
                    era: Some(Era::Modern),
                    protocol_version: None,
                    server: Some(ServerIdentity { name, version: "1".into() }),
                    front_door: Some(FrontDoor::Bare),
                    front_door_notes: vec![FrontDoorNote::NoChallenge],
                    resource_metadata: None,
                    authorization_server: None,
                    issuer: issuer.clone(),
                    redirect_host: None,
                    retired_transport: listing % 3 == 0,
                }),
                shape: shape.map(|(digest, count, complete)| ShapeReference {
                    digest: Digest(digest),
                    count,
                    complete,
                }),
                learned: Learned { issuer, session_ended: listing % 2 == 0, ..Learned::default() },
            }
        })
    }

    proptest! {
        #[test]
        fn a_vote_survives_the_wire(vote in any_vote()) {
            let text = serde_json::to_string(&vote).unwrap();
            prop_assert_eq!(document::<Vote>(text.as_bytes()), Ok(vote));
        }
    }

    #[test]
    fn a_claim_of_a_later_worker_is_read_as_far_as_it_is_known() {
        let claim = |more: &str| -> Claim {
            let text = format!(
                r#"{{"listing":1,"slug":"a","url":"u","slot":2,"due_ms":3,"interval_minutes":5,"end_session":true{more}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let later = claim(r#","era":"galactic","known_shape":"sha3:00","mood":"good""#);
        assert_eq!(later, claim(""));
        assert_eq!(claim(r#","era":"modern""#).era, Some(Era::Modern));
        assert_eq!(claim(r#","era":null"#).era, None);
    }

    #[test]
    fn a_member_nobody_knows_is_named_in_the_fault() {
        let fault = document::<ClaimRequest>(br#"{"holder":"a","capacity":1,"extra":2}"#).unwrap_err();
        assert_eq!(fault.to_string(), "extra: unknown member \"extra\"");
        let fault = document::<VoteBatch>(br#"{"votes":[{"listing":1,"class":"perfect"}]}"#).unwrap_err();
        assert_eq!(fault.to_string(), "votes[0].class: unknown Class \"perfect\"");
    }
}
