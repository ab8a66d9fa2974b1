//! What the server told us: the tools it advertises and what it says of itself. All of it is foreign text.

use shared::listing::Tier;

use crate::api::tool_document::{NetworkEntry, ToolEntry};
use crate::pages::vote::{lister, no_tools};
use crate::pages::{foreign, format};

/// The tools as last listed.
#[derive(Debug)]
pub(super) struct ToolList {
    pub(super) sentence: String,
    pub(super) names: Vec<String>,
    pub(super) shape: Option<String>,
}

impl ToolList {
    pub(super) fn new(tool: &ToolEntry) -> Self {
        let Some((network, tools)) = lister(tool) else {
            return Self { sentence: nothing_listed(tool).to_owned(), names: Vec::new(), shape: None };
        };
        let from = &network.network;
        let mut sentence = match (tools.count, tools.complete) {
            (Some(count), true) => {
                format!("{}, listed in full to {from}.", format::counted(count, "tool", "tools"))
            }
            (Some(count), false) => format!(
                "At least {}: the list {from} got was cut short.",
                format::counted(count, "tool", "tools")
            ),
            (None, _) => format!("Tools were listed to {from}; their names are not kept."),
        };
        if differs(tool) {
            sentence.push_str(" The networks saw different lists; this is one of them.");
        }
        if let Some(why) = network.latest().and_then(no_tools) {
            sentence.push_str(&format!(" That was before the newest vote: tools are now {why}."));
        }
        let names = tools.names.iter().flatten().map(|name| shown(name)).collect();
        Self { sentence, names, shape: Some(tools.shape.to_string()) }
    }
}

fn differs(tool: &ToolEntry) -> bool {
    let mut shapes = tool.networks.iter().filter_map(|network| Some(network.tools.as_ref()?.shape));
    shapes.next().is_some_and(|first| shapes.any(|other| other != first))
}

fn nothing_listed(tool: &ToolEntry) -> &'static str {
    let newest = tool.networks.iter().filter_map(NetworkEntry::latest).find_map(no_tools);
    match newest {
        _ if tool.tier == Tier::Gated => "The front door stands before them, so we have never seen any.",
        Some("none offered") => "The server offers no tools.",
        Some("refused to us") => "The server refused its tools to us, as it may.",
        _ => "No tools have been listed to us yet.",
    }
}

/// One thing a server says of itself, as one network was told.
type Member = fn(&NetworkEntry) -> Option<&str>;

/// What the server says of itself, label and value; where networks were told different things, each is named.
pub(super) fn said(tool: &ToolEntry) -> Vec<(String, String)> {
    let mut said = Vec::new();
    let members: [(&str, Member); 4] = [
        ("Server name", |network| network.server.as_ref().map(|server| server.name.as_str())),
        ("Server version", |network| network.server.as_ref().map(|server| server.version.as_str())),
        ("Protocol revision", |network| network.protocol_version.as_deref()),
        ("Redirects to host", |network| network.redirect_host.as_deref()),
    ];
    for (label, member) in members {
        let values: Vec<(&str, &str)> = tool
            .networks
            .iter()
            .filter_map(|network| Some((network.network.as_str(), member(network)?)))
            .collect();
        match values.split_first() {
            Some(((_, value), others)) if others.iter().all(|(_, other)| other == value) => {
                said.push((label.to_owned(), shown(value)));
            }
            _ => {
                said.extend(values.iter().map(|(from, value)| (format!("{label}, to {from}"), shown(value))));
            }
        }
    }
    said
}

fn shown(value: &str) -> String {
    let line = foreign::line(value);
    if line.is_empty() { "(nothing visible)".to_owned() } else { line }
}
