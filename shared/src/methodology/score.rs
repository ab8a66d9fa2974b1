//! Every constant of the scores: windows, weights, severities, terms, grades. (sections 3, 5, 6, 7)
//!
//! Thousandths are integers of 0 to 1,000; seconds and days are whole.

const DAY_S: i64 = 24 * 3600;

/// Seconds of the window of availability, latency, protocol and grade.
pub const WINDOW_S: i64 = 7 * DAY_S;
/// Days of the same window.
pub const WINDOW_DAYS: u32 = (WINDOW_S / DAY_S) as u32;
/// Seconds after which a vote weighs half in availability.
pub const HALF_LIFE_S: i64 = DAY_S;
/// The most that availability and its upper bound can be with a counted failure in the window, in thousandths.
pub const MOST_WITH_A_FAILURE: u32 = 999;
/// Where more than this share of an edge network's counted votes are unconfirmed failures, in thousandths, the network
/// leaves availability altogether.
pub const UNCONFIRMED_THOUSANDTHS: u32 = 10;
/// The quantile of the normal distribution for 95 %, both sides.
pub const Z_95: f64 = 1.959_964;

/// A median latency of this many milliseconds or less scores 1,000.
pub const LATENCY_BEST_MS: u32 = 300;
/// A median latency this many milliseconds above the best scores 0.
pub const LATENCY_SPAN_MS: u32 = 2_700;

/// Protocol: `up`.
pub const PROTOCOL_UP: u32 = 1_000;
/// Protocol: usable, with a specification violation.
pub const PROTOCOL_VIOLATION: u32 = 750;
/// Protocol: a good handshake, but tools/list failed, or no common version.
pub const PROTOCOL_TOOLS_FAILED: u32 = 500;
/// Protocol: a front door whose documents are both valid, or that could not be observed.
pub const PROTOCOL_DOOR_OK: u32 = 1_000;
/// Protocol: a front door with one document missing, invalid or mismatched.
pub const PROTOCOL_DOOR_PARTIAL: u32 = 500;
/// Protocol: a bare challenge that names no document, and nothing published.
pub const PROTOCOL_DOOR_BARE: u32 = 250;
/// Seconds that a front door last observed stands for later votes that could not observe it.
pub const FRONT_DOOR_MEMORY_S: i64 = 7 * DAY_S;

/// Seconds of the window of stability.
pub const DRIFT_WINDOW_S: i64 = 30 * DAY_S;
/// Seconds after which a change weighs half in stability.
pub const DRIFT_HALF_LIFE_S: i64 = 7 * DAY_S;
/// The sum of severities is divided by this: not every change is a fault.
pub const DRIFT_DIVISOR: u32 = 2;
/// Events of one kind first seen in one listing count at most this many times that kind's severity.
pub const DRIFT_SAME_KIND: u32 = 2;
/// More changes of one tool's description than this within [`DRIFT_MUTE_S`] are muted.
pub const DRIFT_MUTE_CHANGES: usize = 3;
/// See [`DRIFT_MUTE_CHANGES`], in seconds.
pub const DRIFT_MUTE_S: i64 = DAY_S;
/// A change of at least this severity, in thousandths, breaks clients (the contract term of trust).
pub const DRIFT_BREAKING: u32 = 600;

/// What each input weighs in Health, in thousandths.
pub const WEIGHT_AVAILABILITY: u32 = 600;
pub const WEIGHT_LATENCY: u32 = 200;
pub const WEIGHT_PROTOCOL: u32 = 150;
pub const WEIGHT_STABILITY: u32 = 50;

/// The prior of a hidden latency until the population is large enough, in thousandths.
pub const PRIOR_LATENCY: u32 = 750;
/// The prior of a hidden stability until the population is large enough, in thousandths.
pub const PRIOR_STABILITY: u32 = 900;
/// Rated open listings from which on priors are medians of the population.
pub const PRIOR_POPULATION: usize = 10;

/// Trust is not computed before this many seconds from the first counted vote of the URL.
pub const TRUST_AFTER_S: i64 = 14 * DAY_S;
/// A term of trust that could not be observed, in thousandths.
pub const TRUST_IMPUTED: u32 = 500;
/// Seconds of continuity that are worth all its points.
pub const CONTINUITY_S: i64 = 180 * DAY_S;
/// Seconds of the window of the contract and status feed terms.
pub const TRUST_WINDOW_S: i64 = 90 * DAY_S;

/// Counted votes in the window from which on a listing is rated.
pub const RATED_VOTES: u32 = 100;
/// Seconds from the oldest to the newest counted vote in the window from which on a listing is rated.
pub const RATED_SPAN_S: i64 = 3 * DAY_S;
/// Above this share of votes that were refused or rate-limited, in thousandths, a network carries no grade above C.
pub const DECLINED_THOUSANDTHS: u32 = 100;

/// What a grade asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradeRule {
    /// Networks with coverage, at least.
    pub networks: usize,
    /// Coverage of each, in thousandths, at least.
    pub coverage: u32,
    /// Whether the network's first slot must lie a whole window back.
    pub full_window: bool,
    /// Effective sample in tenths, at least.
    pub effective_tenths: u32,
    /// Seconds since the first counted vote of the URL, at least.
    pub observed_s: i64,
}

/// Grade A.
pub const GRADE_A: GradeRule = GradeRule {
    networks: 2,
    coverage: 900,
    full_window: true,
    effective_tenths: 2_000,
    observed_s: 14 * DAY_S,
};
/// Grade B.
pub const GRADE_B: GradeRule = GradeRule {
    networks: 1,
    coverage: 900,
    full_window: true,
    effective_tenths: 1_000,
    observed_s: 7 * DAY_S,
};
/// Grade C.
pub const GRADE_C: GradeRule = GradeRule {
    networks: 1,
    coverage: 600,
    full_window: false,
    effective_tenths: 500,
    observed_s: 3 * DAY_S,
};

const _: () = assert!(WEIGHT_AVAILABILITY + WEIGHT_LATENCY + WEIGHT_PROTOCOL + WEIGHT_STABILITY == 1_000);
