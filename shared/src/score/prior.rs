//! Priors: what stands in for an input that cannot be measured. (section 3)

use crate::methodology::score::{PRIOR_LATENCY, PRIOR_POPULATION, PRIOR_STABILITY};

use super::latency::nearest_rank;

/// The priors in force, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Priors {
    pub latency: u32,
    pub stability: u32,
}

impl Priors {
    /// Before there is a population.
    pub const FIRST: Self = Self { latency: PRIOR_LATENCY, stability: PRIOR_STABILITY };
}

/// A rated open listing's own values, none where it is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The registrable domain of the endpoint.
    pub domain: String,
    pub latency: Option<u32>,
    pub stability: Option<u32>,
}

/// The priors of a day: medians by nearest rank over rated open listings whose own value is measured, one value a
/// registrable domain (the median of its listings); the last ones where the population is too small.
#[must_use]
pub fn of_population(rated: &[Member], last: Priors) -> Priors {
    if rated.len() < PRIOR_POPULATION {
        return last;
    }
    Priors {
        latency: median_of_domains(rated, |member| member.latency).unwrap_or(last.latency),
        stability: median_of_domains(rated, |member| member.stability).unwrap_or(last.stability),
    }
}

fn median_of_domains(rated: &[Member], value: impl Fn(&Member) -> Option<u32>) -> Option<u32> {
    let mut by_domain: Vec<(&str, u32)> =
        rated.iter().filter_map(|member| Some((member.domain.as_str(), value(member)?))).collect();
    by_domain.sort_unstable();
    let mut medians: Vec<u32> = by_domain
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter_map(|of_domain| {
            let values: Vec<u32> = of_domain.iter().map(|(_, value)| *value).collect();
            nearest_rank(&values, 50)
        })
        .collect();
    medians.sort_unstable();
    nearest_rank(&medians, 50)
}
