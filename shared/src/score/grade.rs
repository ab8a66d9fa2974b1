//! The evidence grade, which describes our data and not the server, and the floor below which nothing is scored.
//! (section 6)

use crate::methodology::score::{
    DECLINED_THOUSANDTHS, GRADE_A, GRADE_B, GRADE_C, GradeRule, RATED_SPAN_S, RATED_VOTES, WINDOW_S,
};
use crate::words::word_enum;

use super::round::thousandths;

word_enum! {
    /// How much the figures rest on. The first is the best.
    Grade {
        A = 1 "A",
        B = 2 "B",
        C = 3 "C",
        D = 4 "D",
    }
}

impl Grade {
    /// What it asks for; nothing more than being rated for the last one.
    #[must_use]
    pub const fn rule(self) -> Option<GradeRule> {
        match self {
            Self::A => Some(GRADE_A),
            Self::B => Some(GRADE_B),
            Self::C => Some(GRADE_C),
            Self::D => None,
        }
    }
}

/// How far a listing is from being rated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Counted votes in the window.
    pub counted: u32,
    /// Seconds from the oldest of them to the newest.
    pub span_s: i64,
}

impl Progress {
    /// Enough to be scored.
    #[must_use]
    pub const fn is_rated(self) -> bool {
        self.counted >= RATED_VOTES && self.span_s >= RATED_SPAN_S
    }
}

/// What one network delivered about a listing in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Slots in the window that are over, from the network's first one of the listing on.
    pub slots: u32,
    /// Counted votes in those slots.
    pub counted: u32,
    /// Votes delivered in the window, counted or not.
    pub delivered: u32,
    /// Those that were refused or rate-limited.
    pub declined: u32,
    /// The network's first slot of the listing, in minutes since the epoch.
    pub first_slot: u32,
}

impl Coverage {
    /// Counted votes as a share of slots reaches so many thousandths.
    #[must_use]
    pub fn reaches(&self, share: u32) -> bool {
        self.slots > 0 && u64::from(self.counted) * 1_000 >= u64::from(share) * u64::from(self.slots)
    }

    /// The share of delivered votes that were declined, in thousandths as printed.
    #[must_use]
    pub fn declined_share(&self) -> u32 {
        match self.delivered {
            0 => 0,
            delivered => thousandths(f64::from(self.declined) / f64::from(delivered)),
        }
    }

    /// More than a tenth was declined: what it delivered carries no grade above C.
    #[must_use]
    pub fn is_declined(&self) -> bool {
        u64::from(self.declined) * 1_000 > u64::from(DECLINED_THOUSANDTHS) * u64::from(self.delivered)
    }
}

/// All that a grade is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence<'a> {
    pub as_of: i64,
    /// One entry a network that has had a slot.
    pub networks: &'a [Coverage],
    pub effective_tenths: u32,
    /// Seconds since the first counted vote of the URL.
    pub observed_s: i64,
    /// Field reports disagree with us (section 9).
    pub reports_disagree: bool,
}

word_enum! {
    /// What keeps a listing from a grade.
    Shortfall {
        /// Too few networks have the coverage.
        Coverage = 1 "coverage",
        /// Too few networks have been at it for the whole window.
        FullWindow = 2 "full_window",
        /// The effective sample is too small.
        EffectiveSample = 3 "effective_sample",
        /// Not observed for long enough.
        Observed = 4 "observed",
        /// The endpoint declined too many of our probes.
        Declined = 5 "declined",
        /// Field reports disagree.
        FieldReports = 6 "field_reports",
    }
}

/// The grade of a rated listing, and what keeps it from the next better one.
#[must_use]
pub fn grade(evidence: &Evidence<'_>) -> (Grade, Vec<Shortfall>) {
    let mut missing = Vec::new();
    for grade in Grade::ALL {
        let Some(rule) = grade.rule() else { break };
        let capped = !matches!(grade, Grade::C);
        let shortfalls = shortfalls(evidence, rule, capped);
        if shortfalls.is_empty() {
            return (*grade, missing);
        }
        missing = shortfalls;
    }
    (Grade::D, missing)
}

/// What evidence lacks of a rule; `capped` where neither declined probes nor field reports may stand in its way.
fn shortfalls(evidence: &Evidence<'_>, rule: GradeRule, capped: bool) -> Vec<Shortfall> {
    let enough = |allowed: &dyn Fn(&Coverage) -> bool| {
        evidence.networks.iter().filter(|network| allowed(network)).count() >= rule.networks
    };
    let covered = |network: &Coverage| network.reaches(rule.coverage);
    let whole = |network: &Coverage| {
        !rule.full_window || 60 * i64::from(network.first_slot) <= evidence.as_of - WINDOW_S
    };
    let mut missing = Vec::new();
    if !enough(&covered) {
        missing.push(Shortfall::Coverage);
    } else if !enough(&|network| covered(network) && whole(network)) {
        missing.push(Shortfall::FullWindow);
    } else if capped && !enough(&|network| covered(network) && whole(network) && !network.is_declined()) {
        missing.push(Shortfall::Declined);
    }
    if evidence.effective_tenths < rule.effective_tenths {
        missing.push(Shortfall::EffectiveSample);
    }
    if evidence.observed_s < rule.observed_s {
        missing.push(Shortfall::Observed);
    }
    if capped && evidence.reports_disagree {
        missing.push(Shortfall::FieldReports);
    }
    missing
}
