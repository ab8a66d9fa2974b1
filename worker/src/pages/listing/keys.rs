//! The key figures of a listing, each with the line that qualifies it.

use shared::explanation::capitalized;
use shared::listing::Tier;
use shared::outcome::{Counted, Precision};

use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{NetworkEntry, ToolEntry, VoteEntry};
use crate::pages::board::revision;
use crate::pages::vote::{At, lister, tools_figure};
use crate::pages::{Key, format};

pub(super) fn keys(tool: &ToolEntry, as_of: Timestamp) -> Vec<Key> {
    let mut keys = vec![newest_key(tool, as_of), latency_key(tool), recent_key(tool)];
    keys.push(if tool.tier == Tier::Gated { door_key(tool) } else { tools_key(tool) });
    keys.push(era_key(tool));
    keys
}

fn era_key(tool: &ToolEntry) -> Key {
    let era = tool.networks.iter().find_map(|network| network.era);
    match (era, revision(tool)) {
        (Some(era), Some(revision)) => {
            Key { label: "Era", figure: capitalized(era.word()), qualifier: format!("revision {revision}") }
        }
        (Some(era), None) => {
            Key { label: "Era", figure: capitalized(era.word()), qualifier: era.label().to_owned() }
        }
        (None, _) => Key {
            label: "Era",
            figure: "Not known".to_owned(),
            qualifier: "no handshake has been answered".to_owned(),
        },
    }
}

fn newest_key(tool: &ToolEntry, as_of: Timestamp) -> Key {
    let (figure, qualifier) = match &tool.last_probe {
        Some(probe) => {
            let at = At::new(as_of, probe.vote.at);
            (at.clock, format!("{}, {}", probe.vote.class.label(), at.age))
        }
        None => ("None yet".to_owned(), format!("at {}", format::instant(as_of.seconds()))),
    };
    Key { label: "Newest vote", figure, qualifier }
}

/// The newest latency, of an exact network where there is one: an edge network's place varies.
fn latency_key(tool: &ToolEntry) -> Key {
    let newest = |network: &&NetworkEntry| {
        network.votes.iter().find(|vote| vote.latency_ms.is_some()).map(|vote| vote.at)
    };
    let found = tool
        .networks
        .iter()
        .filter(|network| newest(network).is_some())
        .max_by_key(|network| (network.precision == Precision::Exact, newest(network)));
    let latency = found.and_then(|network| {
        network.votes.iter().find_map(|vote| vote.latency_ms).map(|latency| (latency, network))
    });
    match latency {
        Some((latency, network)) => Key {
            label: "Newest latency",
            figure: format::milliseconds(latency),
            qualifier: format!("to the first answer, from {}", network.network),
        },
        None => Key {
            label: "Newest latency",
            figure: "Not known".to_owned(),
            qualifier: "no handshake has been answered".to_owned(),
        },
    }
}

/// A count, not a rate: how the votes on this page went.
fn recent_key(tool: &ToolEntry) -> Key {
    let votes = || tool.networks.iter().flat_map(|network| &network.votes);
    let of = |kind| votes().filter(|vote: &&VoteEntry| vote.counted == kind).count() as u64;
    let counted = of(Counted::Success) + of(Counted::Failure);
    let none = of(Counted::None);
    if counted == 0 {
        let qualifier = match none {
            0 => "no probe has come back".to_owned(),
            some => format!("{} without evidence", format::counted(some, "vote", "votes")),
        };
        return Key { label: "Recent votes", figure: "None counted".to_owned(), qualifier };
    }
    let mut qualifier = "of the counted votes on this page succeeded".to_owned();
    if none > 0 {
        qualifier = format!("{qualifier}; {} without evidence", format::number(none));
    }
    Key {
        label: "Recent votes",
        figure: format!("{} of {}", format::number(of(Counted::Success)), format::number(counted)),
        qualifier,
    }
}

fn door_key(tool: &ToolEntry) -> Key {
    let door = tool.networks.iter().find_map(|network| network.front_door);
    Key {
        label: "Front door",
        figure: door.map_or_else(|| "Not observed".to_owned(), |door| capitalized(door.word())),
        qualifier: door.map_or_else(|| "not yet".to_owned(), |door| door.label().to_owned()),
    }
}

fn tools_key(tool: &ToolEntry) -> Key {
    let (figure, qualifier) = match lister(tool) {
        Some((network, tools)) => {
            let how = if tools.complete { "as last listed to" } else { "cut short when last listed to" };
            (capitalized(&tools_figure(network)), format!("{how} {}", network.network))
        }
        None => {
            let figure = tool.networks.first().map_or_else(|| "none yet".to_owned(), tools_figure);
            (capitalized(&figure), "names only; none is ever called".to_owned())
        }
    };
    Key { label: "Tools", figure, qualifier }
}
