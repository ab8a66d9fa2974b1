//! Observation -> Verdict: a total function. (methodology section 4)

use super::observation::{Conversation, Observation, Shortfall, ToolsSeen};
use crate::mcp::handshake::Handshake;
use crate::outcome::{Class, Counted, Era, Reason, Violation};
use crate::shape::Collected;
use crate::verdict::{self, Verdict};

/// The verdict on what was seen.
pub(super) fn classify(observation: Observation) -> Verdict {
    let Observation { precision, conversation, latency_ms, violations, requests, learned } = observation;
    let blank = Verdict {
        class: Class::Up,
        reason: None,
        phase: None,
        precision,
        http_status: None,
        latency_ms,
        era: None,
        protocol_version: None,
        server: None,
        tools: None,
        tools_ok: None,
        front_door: None,
        front_door_notes: Vec::new(),
        violations: Vec::new(),
        requests,
        learned,
    };
    match conversation {
        Conversation::Failed(finding) => Verdict {
            class: finding.class,
            reason: finding.reason,
            phase: finding.phase,
            http_status: finding.http_status,
            ..blank
        },
        Conversation::NoCommonVersion { handshake, era, status } => Verdict {
            class: Class::Degraded,
            reason: Some(Reason::NoCommonVersion),
            http_status: Some(status),
            violations: sorted(violations),
            ..of_server(blank, handshake, era)
        },
        Conversation::AuthRequired { status, door } => Verdict {
            class: Class::AuthRequired,
            reason: door.value.is_none().then_some(Reason::FrontDoorNotObserved),
            http_status: Some(status),
            front_door: door.value,
            front_door_notes: door.notes,
            ..blank
        },
        Conversation::Opened { handshake, era, status, tools } => {
            let verdict =
                Verdict { http_status: Some(status), ..of_server(blank, Some(handshake), Some(era)) };
            with_tools(verdict, tools, violations)
        }
    }
}

/// What the server said of itself in the handshake.
fn of_server(blank: Verdict, handshake: Option<Handshake>, era: Option<Era>) -> Verdict {
    let Some(handshake) = handshake else { return blank };
    Verdict { era, protocol_version: handshake.protocol_version, server: handshake.server, ..blank }
}

/// After a good handshake the tools decide between `up` and `degraded`, and violations have a say.
fn with_tools(verdict: Verdict, tools: ToolsSeen, mut violations: Vec<Violation>) -> Verdict {
    let mut verdict = verdict;
    let usable = match tools {
        ToolsSeen::NotOffered => {
            verdict.reason = Some(Reason::ToolsNotOffered);
            true
        }
        ToolsSeen::Listed { collected, shortfall } => {
            let Collected { shape, count, complete, violations: of_tools } = collected;
            violations.extend(of_tools);
            let complete = complete && shortfall.is_none();
            verdict.reason = match shortfall {
                Some(Shortfall::PageFailed) => Some(Reason::PageFailed),
                Some(Shortfall::Truncated | Shortfall::CursorRepeated) => Some(Reason::ToolsTruncated),
                None => (!complete).then_some(Reason::ToolsTruncated),
            };
            verdict.tools = Some(verdict::ToolsSeen { count, complete, shape });
            verdict.tools_ok = Some(true);
            true
        }
        ToolsSeen::Unseen(finding) => {
            let ours = finding.class.counted() == Counted::None
                && !matches!(finding.class, Class::Refused | Class::RateLimited);
            verdict.reason = if ours { finding.reason } else { Some(Reason::ToolsRefused) };
            verdict.http_status = finding.http_status.or(verdict.http_status);
            true
        }
        ToolsSeen::SessionLost { status, cookie_was_set } => {
            let reason = if cookie_was_set { Reason::StickyCookie } else { Reason::SessionLost };
            verdict.reason = Some(reason);
            verdict.http_status = Some(status);
            false
        }
        ToolsSeen::Failed(finding) => {
            verdict.reason = Some(Reason::ToolsFailed);
            verdict.phase = finding.phase;
            verdict.http_status = finding.http_status.or(verdict.http_status);
            false
        }
        ToolsSeen::BudgetEnded => {
            verdict.reason = Some(Reason::BudgetEnded);
            false
        }
    };
    if !usable {
        verdict.tools_ok = Some(false);
    }
    verdict.violations = sorted(violations);
    verdict.class = if usable && verdict.violations.is_empty() { Class::Up } else { Class::Degraded };
    verdict
}

fn sorted(mut violations: Vec<Violation>) -> Vec<Violation> {
    violations.sort_unstable();
    violations.dedup();
    violations
}
