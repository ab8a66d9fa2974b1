//! The order of a board: a total order, so that any two visitors see the same. (section 8)

use std::cmp::{Ordering, Reverse};

use crate::listing::State;
use crate::reachability::Reachability;

use super::grade::Grade;

/// What ranks a listing among those of its board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub state: State,
    /// None where it is not rated.
    pub rated: Option<Rated>,
    pub reachability: Reachability,
    /// Ours, never the self-reported one.
    pub name: String,
    pub slug: String,
}

/// What a rated listing has besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// Health made with the lower bound of the interval, in thousandths.
    pub lower_bound: u32,
    pub grade: Grade,
}

impl Standing {
    /// Whether it has a place: only what is rated and active.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.rated.is_some() && self.state == State::Active
    }

    /// Rated, then unrated, then what is not active.
    fn block(&self) -> u8 {
        match (self.state, self.rated) {
            (State::Active, Some(_)) => 0,
            (State::Active, None) => 1,
            _ => 2,
        }
    }

    fn reachable_first(&self) -> u8 {
        match self.reachability {
            Reachability::Reachable => 0,
            Reachability::Unreachable => 1,
            Reachability::Unknown => 2,
        }
    }
}

/// The order of two listings of one board, the better one first.
#[must_use]
pub fn order(one: &Standing, other: &Standing) -> Ordering {
    let score = |standing: &Standing| {
        let rated = if standing.is_ranked() { standing.rated } else { None };
        rated.map(|rated| (Reverse(rated.lower_bound), rated.grade))
    };
    let name = |standing: &Standing| standing.name.to_lowercase();
    one.block()
        .cmp(&other.block())
        .then_with(|| one.reachable_first().cmp(&other.reachable_first()))
        .then_with(|| score(one).cmp(&score(other)))
        .then_with(|| name(one).cmp(&name(other)))
        .then_with(|| one.slug.cmp(&other.slug))
}
