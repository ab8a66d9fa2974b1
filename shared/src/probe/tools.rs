//! The second act: `notifications/initialized` and `tools/list`, page by page. (methodology section 4)

use std::collections::HashSet;

use super::draft::{self, Context};
use super::exchange::Draft;
use super::finding::Finding;
use super::ids::Ids;
use super::judge::{self, INVALID_PARAMS, Judged, METHOD_NOT_FOUND};
use super::machine::{Arrival, Next, Probe};
use super::observation::{Conversation, Shortfall, ToolsSeen};
use super::plan::Plan;
use super::reply::Response;
use crate::mcp::handshake::Handshake;
use crate::mcp::tools::read_page;
use crate::methodology::limits::{TOOL_PAGES, TOOLS_BYTES};
use crate::outcome::{Class, Counted, Reason, Violation};
use crate::shape::Collector;

/// An opened conversation and the tools listed in it so far.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) handshake: Handshake,
    pub(super) context: Context,
    status: u16,
    latency_ms: u32,
    cookie_was_set: bool,
    id: u32,
    pages: usize,
    bytes: usize,
    cursors: HashSet<String>,
    collector: Collector,
}

impl Listing {
    pub(super) fn new(handshake: Handshake, context: Context, response: &Response, latency_ms: u32) -> Self {
        Self {
            handshake,
            context,
            status: response.status,
            latency_ms,
            cookie_was_set: response.headers.get("set-cookie").is_some(),
            id: 0,
            pages: 0,
            bytes: 0,
            cursors: HashSet::new(),
            collector: Collector::new(),
        }
    }

    /// What became of the notification; whatever it was, the tools are asked for.
    pub(super) fn initialized(&self, violations: &mut Vec<Violation>, arrival: &Arrival) {
        match &arrival.outcome {
            Ok(response) if (200..300).contains(&response.status) => {}
            Ok(_) => violations.push(Violation::InitializedRefused),
            Err(finding) if finding.http_status.is_some() => violations.push(Violation::InitializedRefused),
            // Our own fault is not the server's.
            Err(finding) if finding.class.counted() == Counted::None => {}
            Err(_) => violations.push(Violation::InitializedUnanswered),
        }
    }

    pub(super) fn first_page(&mut self, plan: &Plan, ids: &mut Ids) -> Draft {
        self.page(plan, ids, None)
    }

    fn page(&mut self, plan: &Plan, ids: &mut Ids, cursor: Option<&str>) -> Draft {
        self.id = ids.next();
        let cap = TOOLS_BYTES.saturating_sub(self.bytes);
        draft::tools_list(&plan.endpoint, &plan.deadlines, &self.context, self.id, cursor, cap)
    }

    pub(super) fn arrived(&mut self, probe: &mut Probe, arrival: Arrival) -> Next {
        let mut response = match arrival.outcome {
            Ok(response) => response,
            Err(finding) if finding.class == Class::Timeout && arrival.cut_by_budget && self.pages == 0 => {
                return self.over(ToolsSeen::BudgetEnded);
            }
            Err(finding) => return self.missed(finding),
        };
        self.bytes += response.body.length;
        match judge::judge(&mut response, self.id, probe.plan.precision) {
            Judged::Result { value, violations } => {
                let invalid_unicode = violations.contains(&Violation::InvalidUnicode);
                match read_page(value, self.context.era) {
                    Some(page) => {
                        probe.violations.extend(violations);
                        probe.violations.extend(page.violations);
                        self.pages += 1;
                        self.collector.add_page(page.tools, invalid_unicode);
                        self.turn_page(probe, page.next_cursor, page.cut_short)
                    }
                    None => self.missed(Finding::body(
                        Class::Malformed,
                        Some(Reason::MissingMember),
                        response.status,
                    )),
                }
            }
            Judged::AuthRequired => self.missed(Finding::headers(Class::AuthRequired, None, response.status)),
            Judged::Error { error, .. } if error.code == Some(METHOD_NOT_FOUND) && self.pages == 0 => {
                self.over(ToolsSeen::NotOffered)
            }
            Judged::Error { error, finding } => {
                let about_session = error.code.is_some_and(|code| code != INVALID_PARAMS);
                self.missed_in_session(finding, about_session)
            }
            Judged::Other(finding)
                if finding.class == Class::Timeout && arrival.cut_by_budget && self.pages == 0 =>
            {
                self.over(ToolsSeen::BudgetEnded)
            }
            Judged::Other(finding) => self.missed_in_session(finding, finding.class == Class::Http4xx),
        }
    }

    /// Goes on to the next page, or ends the listing.
    fn turn_page(&mut self, probe: &mut Probe, next_cursor: Option<String>, cut_short: bool) -> Next {
        let Some(cursor) = next_cursor else {
            return self.listed(cut_short.then_some(Shortfall::Truncated));
        };
        let spent = self.pages >= TOOL_PAGES || self.bytes >= TOOLS_BYTES || self.collector.is_full();
        if spent {
            return self.listed(Some(Shortfall::Truncated));
        }
        if self.cursors.contains(&cursor) {
            return self.listed(Some(Shortfall::CursorRepeated));
        }
        if probe.left_ms() == 0 {
            return self.listed(Some(Shortfall::PageFailed));
        }
        let draft = self.page(&probe.plan, &mut probe.ids, Some(&cursor));
        self.cursors.insert(cursor);
        Next::Again(draft)
    }

    /// A 404 or 400 right after a session was opened: another replica answered that never heard of it.
    fn missed_in_session(&mut self, finding: Finding, about_session: bool) -> Next {
        let status = finding.http_status.unwrap_or(self.status);
        if self.pages == 0 && self.context.session.is_some() && about_session && matches!(status, 400 | 404) {
            return self.over(ToolsSeen::SessionLost { status, cookie_was_set: self.cookie_was_set });
        }
        self.missed(finding)
    }

    /// This page did not come.
    fn missed(&mut self, finding: Finding) -> Next {
        if finding.class == Class::TooLarge {
            return self.listed(Some(Shortfall::Truncated));
        }
        if self.pages > 0 {
            return self.listed(Some(Shortfall::PageFailed));
        }
        let unseen = finding.class == Class::AuthRequired || finding.class.counted() == Counted::None;
        self.over(if unseen { ToolsSeen::Unseen(finding) } else { ToolsSeen::Failed(finding) })
    }

    fn listed(&mut self, shortfall: Option<Shortfall>) -> Next {
        let mut collected = std::mem::take(&mut self.collector).finish();
        if shortfall == Some(Shortfall::CursorRepeated) {
            // The same page came twice: its tools are no duplicates.
            collected.violations.retain(|violation| *violation != Violation::DuplicateTool);
        }
        self.over(ToolsSeen::Listed { collected, shortfall })
    }

    /// The conversation is over, with this about the tools.
    pub(super) fn over(&mut self, tools: ToolsSeen) -> Next {
        Next::Over {
            conversation: Conversation::Opened {
                handshake: self.handshake.clone(),
                era: self.context.era,
                status: self.status,
                tools,
            },
            latency_ms: Some(self.latency_ms),
            context: Some(self.context.clone()),
        }
    }
}
