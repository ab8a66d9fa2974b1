//! What a finished conversation showed, before it is classified.

use super::finding::Finding;
use crate::mcp::handshake::Handshake;
use crate::outcome::{Era, FrontDoor, FrontDoorNote, Precision, Violation};
use crate::shape::Collected;
use crate::verdict::Learned;

/// The facts of one probe; [`super::classify`] makes the verdict of it.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) precision: Precision,
    pub(super) conversation: Conversation,
    /// Of the handshake answer that was taken, if one came.
    pub(super) latency_ms: Option<u32>,
    pub(super) violations: Vec<Violation>,
    pub(super) requests: Vec<String>,
    pub(super) learned: Learned,
}

/// How far the conversation came.
#[derive(Debug)]
pub(super) enum Conversation {
    /// No handshake and no front door.
    Failed(Finding),
    /// The server speaks MCP, and no revision that we speak.
    NoCommonVersion { handshake: Option<Handshake>, era: Option<Era>, status: u16 },
    /// It asked for authorization.
    AuthRequired { status: u16, door: DoorSeen },
    /// The handshake succeeded.
    Opened { handshake: Handshake, era: Era, status: u16, tools: ToolsSeen },
}

/// What became of tools/list.
#[derive(Debug)]
pub(super) enum ToolsSeen {
    /// No tools capability, or -32601.
    NotOffered,
    /// The first page arrived.
    Listed {
        collected: Collected,
        shortfall: Option<Shortfall>,
    },
    /// The server, or our own side, did not let us see the tools: no evidence about them.
    Unseen(Finding),
    /// It did not know the session it had just opened.
    SessionLost {
        status: u16,
        cookie_was_set: bool,
    },
    Failed(Finding),
    /// Our 45 s were over.
    BudgetEnded,
}

/// Why a listing is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortfall {
    /// Our byte, page or tool cap.
    Truncated,
    /// A cursor that led nowhere new.
    CursorRepeated,
    /// A later page failed.
    PageFailed,
}

/// The front door; `value` None where its documents were not observed.
#[derive(Debug)]
pub(super) struct DoorSeen {
    pub(super) value: Option<FrontDoor>,
    pub(super) notes: Vec<FrontDoorNote>,
}
