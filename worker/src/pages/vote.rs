//! One vote in words, as every page says it.

use shared::explanation::sentence;
use shared::outcome::{Class, Counted, Reason};

use super::format;
use super::mark::Mark;
use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{NetworkEntry, ToolEntry, ToolsEntry, VoteEntry};

/// A time as pages show it: for machines, by the clock, as a date, and as an age.
#[derive(Debug)]
pub(super) struct At {
    pub(super) machine: String,
    pub(super) clock: String,
    pub(super) day: String,
    /// `43 s before this page`.
    pub(super) age: String,
    /// `43 s ago`, where there is little room.
    pub(super) ago: String,
}

impl At {
    pub(super) fn new(as_of: Timestamp, at: Timestamp) -> Self {
        let seconds = at.seconds();
        Self {
            machine: format::machine(seconds),
            clock: format::clock(seconds),
            day: format::day(seconds),
            age: format::age(as_of.seconds(), seconds),
            ago: format::ago(as_of.seconds(), seconds),
        }
    }
}

impl VoteEntry {
    pub(super) const fn mark(&self) -> Mark {
        Mark::of_class(self.class)
    }

    /// Why, in one line: the reason, else the first rule that was not kept. None where the class says it all.
    pub(super) fn why(&self) -> Option<String> {
        if let Some(reason) = self.reason {
            return Some(reason.label().to_owned());
        }
        let (first, others) = self.violations.split_first()?;
        Some(match others.len() {
            0 => first.label().to_owned(),
            more => format!("{}, and {more} more", first.label()),
        })
    }

    /// Everything that was seen beside the class, a phrase each: reason, else phase; violations; place.
    pub(super) fn details(&self) -> Vec<String> {
        let mut phrases: Vec<String> = self.reason.iter().map(|reason| reason.label().to_owned()).collect();
        if self.counted == Counted::Failure && self.reason.is_none() {
            phrases.extend(self.phase.map(|phase| phase.label().to_owned()));
        }
        phrases.extend(self.violations.iter().map(|violation| violation.label().to_owned()));
        phrases.extend(self.colo.iter().map(|colo| format!("seen from {colo}")));
        phrases
    }

    /// The whole vote in sentences, for a table with room.
    pub(super) fn sentences(&self) -> Vec<String> {
        let details: Vec<String> = self.details().iter().map(|phrase| sentence(phrase)).collect();
        let says_it_all = self.reason.is_some() || !self.violations.is_empty();
        let mut sentences = match self.class {
            Class::Up if !says_it_all && self.tools_ok == Some(true) => {
                vec!["The handshake succeeded and the tools were listed.".to_owned()]
            }
            Class::Up if !says_it_all => vec!["The handshake succeeded.".to_owned()],
            class if !says_it_all || self.counted == Counted::None => vec![class.explanation().to_owned()],
            _ => Vec::new(),
        };
        sentences.extend(details);
        sentences
    }

    /// Latency, or the HTTP status where there is none.
    pub(super) fn figure(&self) -> Option<String> {
        match (self.latency_ms, self.http_status) {
            (Some(latency), _) => Some(format::milliseconds(latency)),
            (None, Some(status)) => Some(format!("HTTP\u{A0}{status}")),
            (None, None) => None,
        }
    }

    /// `412 ms, 43 s ago`.
    pub(super) fn figures(&self, as_of: Timestamp) -> String {
        let age = format::ago(as_of.seconds(), self.at.seconds());
        match self.figure() {
            Some(figure) => format!("{figure}, {age}"),
            None => age,
        }
    }
}

const BEHIND_THE_DOOR: &str = "behind the door";

/// Why there is no tool list, where a good answer says so.
pub(super) fn no_tools(vote: &VoteEntry) -> Option<&'static str> {
    match (vote.class, vote.reason) {
        (Class::AuthRequired, _) => Some(BEHIND_THE_DOOR),
        (_, Some(Reason::ToolsNotOffered)) => Some("none offered"),
        (_, Some(Reason::ToolsRefused)) => Some("refused to us"),
        _ => None,
    }
}

/// How many tools a network last listed: `9`, `at least 1 000`, or why there is no number.
pub(super) fn tools_figure(network: &NetworkEntry) -> String {
    if let Some(why) = network.latest().and_then(no_tools) {
        return why.to_owned();
    }
    match network.tools.as_ref().map(|tools| (tools.count, tools.complete)) {
        Some((Some(count), true)) => format::number(count),
        Some((Some(count), false)) => format!("at least {}", format::number(count)),
        Some((None, _)) => "not kept".to_owned(),
        None if network.front_door.is_some() => BEHIND_THE_DOOR.to_owned(),
        None => "none yet".to_owned(),
    }
}

/// The network whose tool list stands for the listing: the first that was given one.
pub(super) fn lister(tool: &ToolEntry) -> Option<(&NetworkEntry, &ToolsEntry)> {
    tool.networks.iter().find_map(|network| Some((network, network.tools.as_ref()?)))
}
