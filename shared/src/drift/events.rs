//! The networks together: one event a change, and what of it is scored.

use std::collections::BTreeMap;

use crate::methodology::score::{DRIFT_MUTE_CHANGES, DRIFT_MUTE_S, DRIFT_WINDOW_S};
use crate::score::stability;
use crate::shape::Digest;
use crate::words::word_enum;

use super::Kind;
use super::sightings::{Change, Key, Sightings, changes, shows};

word_enum! {
    /// Whether an event is scored.
    Standing {
        Scored = 1 "scored",
        /// Not every network with a valid complete listing shows it yet.
        DiffersByVantage = 2 "differs_by_vantage",
        /// A tool whose description changes again and again by itself.
        SelfChanging = 3 "self_changing",
    }
}

/// One dated change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The first sighting, seconds since the epoch.
    pub at: i64,
    pub kind: Kind,
    /// The tool's name as shown, of 128 bytes at most; empty where it is about all tools.
    pub tool: String,
    /// The identity of the tool; none where it is about all tools.
    pub tool_id: Option<Digest>,
    /// The tool's digest before and after; of a renamed tool, its digest and the identity of the new name.
    pub before: Option<Digest>,
    pub after: Option<Digest>,
    /// The networks that confirmed it, in the order given.
    pub networks: Vec<String>,
    pub standing: Standing,
}

impl Event {
    /// Thousandths; 0 where it is not scored.
    #[must_use]
    pub const fn severity(&self) -> u32 {
        match self.standing {
            Standing::Scored => self.kind.severity(),
            Standing::DiffersByVantage | Standing::SelfChanging => 0,
        }
    }

    /// As stability reads it.
    #[must_use]
    pub const fn scored(&self) -> stability::Change {
        stability::Change { at: self.at, kind: self.kind, severity: self.severity() }
    }
}

/// All events, by date, then tool and kind. Neither the order of networks nor of what is told at once matters to what
/// is scored.
#[must_use]
pub fn detect(networks: &[Sightings<'_>], as_of: i64) -> Vec<Event> {
    let mut told: Vec<(Change, &str)> = Vec::new();
    for network in networks {
        told.extend(changes(network.listings).into_iter().map(|change| (change, network.network)));
    }
    told.sort_by_key(|(change, _)| (change.at, change.key));
    let mut events: Vec<(Key, Event)> = Vec::new();
    let mut latest: BTreeMap<Key, usize> = BTreeMap::new();
    for (change, network) in told {
        let known = latest.get(&change.key).and_then(|place| events.get_mut(*place));
        match known {
            Some((_, event)) if change.at - event.at < DRIFT_WINDOW_S => {
                if !event.networks.iter().any(|known| known == network) {
                    event.networks.push(network.to_owned());
                }
            }
            _ => {
                latest.insert(change.key, events.len());
                events.push((change.key, event(change, network)));
            }
        }
    }
    for (key, event) in &mut events {
        if !is_shown_by_all(key, event, networks, as_of) {
            event.standing = Standing::DiffersByVantage;
        }
    }
    let mut events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
    events.sort_by(|one, other| {
        (one.at, &one.tool, one.kind, one.tool_id).cmp(&(other.at, &other.tool, other.kind, other.tool_id))
    });
    mute(&mut events);
    events
}

fn event(change: Change, network: &str) -> Event {
    let Change { key, tool, at } = change;
    Event {
        at,
        kind: key.kind,
        tool,
        tool_id: key.tool,
        before: key.before,
        after: key.after,
        networks: vec![network.to_owned()],
        standing: Standing::Scored,
    }
}

/// Every network whose newest complete listing is of a valid vote has confirmed the change, or shows it now.
fn is_shown_by_all(key: &Key, event: &Event, networks: &[Sightings<'_>], as_of: i64) -> bool {
    networks.iter().all(|network| {
        let Some(newest) = network.listings.last() else { return true };
        newest.valid_until <= as_of
            || event.networks.iter().any(|known| known == network.network)
            || shows(newest, key)
    })
}

/// Mutes the description changes of tools that have more than a few of them within a day.
fn mute(events: &mut [Event]) {
    let mut by_tool: BTreeMap<Option<Digest>, Vec<(i64, usize)>> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        if event.kind == Kind::DescriptionChanged {
            by_tool.entry(event.tool_id).or_default().push((event.at, place));
        }
    }
    for changes in by_tool.values() {
        for window in changes.windows(DRIFT_MUTE_CHANGES + 1) {
            let (Some((first, _)), Some((last, _))) = (window.first(), window.last()) else { continue };
            if last - first < DRIFT_MUTE_S {
                for (_, place) in window {
                    if let Some(event) = events.get_mut(*place) {
                        event.standing = Standing::SelfChanging;
                    }
                }
            }
        }
    }
}
