//! Which votes enter availability: those of an edge network only in pairs with an exact one. (section 3)
//!
//! An edge network cannot tell the endpoint's failures from those of the path to it, so a failure that might be the
//! path's counts only where a network that can tell failed as well.

use crate::methodology::score::UNCONFIRMED_THOUSANDTHS;
use crate::outcome::{Class, Precision};

use super::probe::{NetworkProbes, Probe};

/// Which votes of one network enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    /// The votes that entered, in order of their start.
    pub probes: Vec<Probe>,
    /// Counted failures that were left out because no exact network confirmed them.
    pub unconfirmed: u32,
    /// Counted votes, entered or not.
    pub counted: u32,
    /// The network left altogether: too many of its failures were unconfirmed.
    pub left: bool,
}

/// A failure that is often the path's: the classes that an edge network cannot place, and Cloudflare's own statuses.
#[must_use]
pub fn may_be_the_paths(probe: &Probe) -> bool {
    probe.is_failure()
        && (matches!(
            probe.class,
            Class::ConnectFailed | Class::Closed | Class::TlsFailure | Class::DnsFailure | Class::Timeout
        ) || matches!(probe.http_status, Some(520..=530)))
}

/// Which of the votes that started in `from <= start < until` enter, one answer a network.
#[must_use]
pub fn entered(networks: &[NetworkProbes<'_>], from: i64, until: i64) -> Vec<Entered> {
    let exact: Vec<&NetworkProbes<'_>> =
        networks.iter().filter(|network| network.precision == Precision::Exact).collect();
    networks
        .iter()
        .map(|network| {
            let probes = network.between(from, until);
            if network.precision == Precision::Exact || exact.is_empty() {
                all_counted(probes)
            } else {
                in_pairs(probes, &exact)
            }
        })
        .collect()
}

fn all_counted(probes: &[Probe]) -> Entered {
    let probes: Vec<Probe> = probes.iter().filter(|probe| probe.is_counted()).copied().collect();
    let counted = count(probes.len());
    Entered { probes, unconfirmed: 0, counted, left: false }
}

fn in_pairs(probes: &[Probe], exact: &[&NetworkProbes<'_>]) -> Entered {
    let mut partners: Vec<Partners<'_>> =
        exact.iter().map(|network| Partners { probes: network.probes }).collect();
    let mut entered = Entered { probes: Vec::new(), unconfirmed: 0, counted: 0, left: false };
    for probe in probes.iter().filter(|probe| probe.is_counted()) {
        entered.counted += 1;
        let (mut paired, mut confirmed) = (false, false);
        for partner in partners.iter_mut().flat_map(|partners| partners.of(probe)) {
            paired = true;
            confirmed |= partner.is_failure();
        }
        let doubtful = may_be_the_paths(probe);
        if paired && (confirmed || !doubtful) {
            entered.probes.push(*probe);
        } else if doubtful {
            entered.unconfirmed += 1;
        }
    }
    let share = u64::from(entered.unconfirmed) * 1_000;
    if share > u64::from(UNCONFIRMED_THOUSANDTHS) * u64::from(entered.counted) {
        entered.left = true;
        entered.probes.clear();
    }
    entered
}

/// The votes of an exact network that may still be near the next vote of an edge one: both are in order.
struct Partners<'a> {
    probes: &'a [Probe],
}

impl<'a> Partners<'a> {
    /// The counted votes that started within one interval of this one, the longer of the two in force.
    fn of(&mut self, probe: &Probe) -> impl Iterator<Item = &'a Probe> + use<'a> {
        let probe = *probe;
        let distance = move |partner: &Probe| partner.started_s - probe.started_s;
        let reach =
            move |partner: &Probe| 60 * i64::from(partner.interval_minutes.max(probe.interval_minutes));
        // Intervals are of minutes to half an hour; what is a day behind is never near again.
        let far_behind = move |partner: &Probe| distance(partner) < -FAR_S;
        let passed = self.probes.iter().take_while(|partner| far_behind(partner)).count();
        self.probes = self.probes.get(passed..).unwrap_or(&[]);
        self.probes
            .iter()
            .take_while(move |partner| distance(partner) <= FAR_S)
            .filter(move |partner| partner.is_counted() && distance(partner).abs() <= reach(partner))
    }
}

/// Seconds beyond which no two votes are a pair, whatever their intervals: the longest interval in use.
const FAR_S: i64 = 60 * crate::methodology::GATED_INTERVAL_MINUTES as i64;

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
