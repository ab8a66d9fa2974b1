//! From votes in any order to states and incidents.

use crate::outcome::{Class, Precision};
use crate::score::probe::{NetworkProbes, Probe};

use super::Reachability;

/// Seconds that must lie between the starts of the two failures that accuse.
const APART_S: i64 = crate::methodology::UNREACHABLE_APART_S;

/// When the state became another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// Seconds since the epoch.
    pub at: i64,
    pub state: Reachability,
}

/// A stretch in which nobody reached the endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// The first counted failure after the last counted success, seconds since the epoch.
    pub started_s: i64,
    /// When the rule was met.
    pub detected_s: i64,
    /// The success that ended it; none while it is open.
    pub ended_s: Option<i64>,
    /// The classes of its failures, in the order in which they first came.
    pub classes: Vec<Class>,
    /// The networks whose two newest votes met the rule: network, in the order given, and the slots of both.
    pub decided_by: Vec<(usize, [u32; 2])>,
}

/// A network that fails while the endpoint is not unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartlyFailing {
    /// In the order given.
    pub network: usize,
    /// Its first failure since it last succeeded.
    pub since_s: i64,
}

/// What the votes up to a time say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    pub state: Reachability,
    /// None where it has been so since before the first vote.
    pub since_s: Option<i64>,
    /// The state is unknown because only edge networks report, and they see failures.
    pub edge_alone: bool,
    /// Recovered, and fewer than two of the last three counted votes succeeded.
    pub unconfirmed: bool,
    pub partly_failing: Vec<PartlyFailing>,
    /// Every change, oldest first.
    pub changes: Vec<StateChange>,
    /// Oldest first; only the last one can be open.
    pub incidents: Vec<Incident>,
}

impl Timeline {
    /// The incident that is open, also while the state is unknown.
    #[must_use]
    pub fn open_incident(&self) -> Option<&Incident> {
        self.incidents.last().filter(|incident| incident.ended_s.is_none())
    }
}

/// States and incidents as of a time, from all counted votes that started until then. `networks` are the configured
/// ones, in order of their names.
#[must_use]
pub fn timeline(networks: &[NetworkProbes<'_>], as_of: i64) -> Timeline {
    let mut machine = Machine::new(networks);
    for (place, probe) in in_order(networks, as_of) {
        machine.run_until(probe.started_s);
        machine.vote(place, probe);
    }
    machine.run_until(as_of + 1);
    machine.finish(as_of)
}

/// The counted votes that started until then, in order: by start, then network.
fn in_order<'a>(networks: &[NetworkProbes<'a>], as_of: i64) -> Vec<(usize, &'a Probe)> {
    let mut votes: Vec<(usize, &Probe)> = Vec::new();
    for (place, network) in networks.iter().enumerate() {
        let counted = network.probes.iter().filter(|probe| probe.is_counted() && probe.started_s <= as_of);
        votes.extend(counted.map(|probe| (place, probe)));
    }
    votes.sort_by_key(|(place, probe)| (probe.started_s, *place, probe.slot));
    votes
}

/// One network's part.
struct Network<'a> {
    precision: Precision,
    /// The two newest counted votes, the newest last.
    newest: [Option<&'a Probe>; 2],
    /// Its first failure since its last success.
    failing_since: Option<i64>,
}

impl Network<'_> {
    fn reports(&self, at: i64) -> bool {
        self.newest.iter().flatten().any(|probe| probe.is_valid(at))
    }

    /// Both of its newest votes are valid and failed.
    fn fails_twice(&self, at: i64) -> Option<[&Probe; 2]> {
        let [Some(older), Some(newer)] = self.newest else { return None };
        [older, newer].iter().all(|probe| probe.is_valid(at) && probe.is_failure()).then_some([older, newer])
    }

    /// As the rule asks: far enough apart that one hiccup cannot be both.
    fn accuses(&self, at: i64) -> Option<[u32; 2]> {
        let [older, newer] = self.fails_twice(at)?;
        (newer.started_s - older.started_s >= APART_S).then_some([older.slot, newer.slot])
    }

    /// When its votes stop being valid.
    fn ends(&self) -> impl Iterator<Item = i64> {
        self.newest.iter().flatten().map(|probe| probe.started_s + probe.validity_s())
    }
}

struct Machine<'a> {
    networks: Vec<Network<'a>>,
    has_exact: bool,
    now: i64,
    state: Reachability,
    changes: Vec<StateChange>,
    incidents: Vec<Incident>,
    edge_alone: bool,
    /// Whether the newest counted vote in order is a success.
    newest_is_success: bool,
    /// The first counted failure after the last counted success of any network.
    failing_since: Option<i64>,
    classes: Vec<Class>,
    /// The last three counted votes, the newest last.
    last_three: [Option<bool>; 3],
    recovering: bool,
}

impl<'a> Machine<'a> {
    fn new(networks: &[NetworkProbes<'_>]) -> Self {
        let of = |network: &NetworkProbes<'_>| Network {
            precision: network.precision,
            newest: [None; 2],
            failing_since: None,
        };
        Self {
            networks: networks.iter().map(of).collect(),
            has_exact: networks.iter().any(|network| network.precision == Precision::Exact),
            now: i64::MIN,
            state: Reachability::Unknown,
            changes: Vec::new(),
            incidents: Vec::new(),
            edge_alone: false,
            newest_is_success: false,
            failing_since: None,
            classes: Vec::new(),
            last_three: [None; 3],
            recovering: false,
        }
    }

    /// Goes through the moments before `until` at which a vote stops being valid.
    fn run_until(&mut self, until: i64) {
        loop {
            let now = self.now;
            let next =
                self.networks.iter().flat_map(Network::ends).filter(|end| *end > now && *end < until).min();
            let Some(end) = next else { return };
            self.look(end);
        }
    }

    fn vote(&mut self, place: usize, probe: &'a Probe) {
        let success = probe.is_success();
        if let Some(network) = self.networks.get_mut(place) {
            network.newest = [network.newest[1], Some(probe)];
            network.failing_since =
                if success { None } else { network.failing_since.or(Some(probe.started_s)) };
        }
        self.last_three = [self.last_three[1], self.last_three[2], Some(success)];
        self.newest_is_success = success;
        if success {
            self.failing_since = None;
            self.classes.clear();
            if let Some(open) = self.incidents.last_mut().filter(|incident| incident.ended_s.is_none()) {
                open.ended_s = Some(probe.started_s);
            }
        } else {
            self.failing_since = self.failing_since.or(Some(probe.started_s));
            let classes = match self.incidents.last_mut().filter(|incident| incident.ended_s.is_none()) {
                Some(open) => &mut open.classes,
                None => &mut self.classes,
            };
            if !classes.contains(&probe.class) {
                classes.push(probe.class);
            }
        }
        self.look(probe.started_s);
        if self.state == Reachability::Reachable && self.is_confirmed() {
            self.recovering = false;
        }
    }

    /// Two of the last three counted votes succeeded.
    fn is_confirmed(&self) -> bool {
        self.last_three.iter().filter(|vote| **vote == Some(true)).count() >= 2
    }

    /// The state at a time.
    fn look(&mut self, at: i64) {
        self.now = at;
        let reporting: Vec<&Network<'_>> =
            self.networks.iter().filter(|network| network.reports(at)).collect();
        let all_fail = !reporting.is_empty() && reporting.iter().all(|network| network.accuses(at).is_some());
        let only_edge =
            self.has_exact && reporting.iter().all(|network| network.precision == Precision::Edge);
        self.edge_alone = all_fail && only_edge;
        let state = if reporting.is_empty() || self.edge_alone {
            Reachability::Unknown
        } else if self.newest_is_success {
            Reachability::Reachable
        } else if all_fail {
            Reachability::Unreachable
        } else {
            self.state
        };
        if state != self.state {
            self.enter(state, at);
        }
    }

    fn enter(&mut self, state: Reachability, at: i64) {
        if state == Reachability::Unreachable
            && self.incidents.last().is_none_or(|incident| incident.ended_s.is_some())
        {
            self.incidents.push(Incident {
                started_s: self.failing_since.unwrap_or(at),
                detected_s: at,
                ended_s: None,
                classes: std::mem::take(&mut self.classes),
                decided_by: self.decided_by(at),
            });
        }
        self.recovering = match state {
            Reachability::Reachable => self.state == Reachability::Unreachable || self.recovering,
            Reachability::Unreachable => true,
            Reachability::Unknown => self.recovering || self.state == Reachability::Unreachable,
        };
        self.state = state;
        self.changes.push(StateChange { at, state });
    }

    fn decided_by(&self, at: i64) -> Vec<(usize, [u32; 2])> {
        let networks = self.networks.iter().enumerate();
        networks.filter_map(|(place, network)| Some((place, network.accuses(at)?))).collect()
    }

    fn finish(self, as_of: i64) -> Timeline {
        let partly = |(place, network): (usize, &Network<'_>)| {
            network.fails_twice(as_of)?;
            Some(PartlyFailing { network: place, since_s: network.failing_since? })
        };
        let partly_failing = match self.state {
            Reachability::Unreachable => Vec::new(),
            _ => self.networks.iter().enumerate().filter_map(partly).collect(),
        };
        Timeline {
            state: self.state,
            since_s: self.changes.last().map(|change| change.at),
            edge_alone: self.edge_alone && self.state == Reachability::Unknown,
            unconfirmed: self.state == Reachability::Reachable && self.recovering,
            partly_failing,
            changes: self.changes,
            incidents: self.incidents,
        }
    }
}
