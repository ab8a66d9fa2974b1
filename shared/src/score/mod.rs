//! Scores: from what was seen of a listing to the numbers on its page. (methodology sections 3 and 5 to 8)
//!
//! One idea a file, each a total function over plain data, so that a number can be redone from the published document:
//! [`decay`], [`pairs`] and [`availability`] make the point and its effective sample, [`interval`] the bounds,
//! [`latency`], [`protocol`] and [`stability`] the other inputs, [`prior`] stands in for what is hidden, [`health`] adds
//! them up, [`trust`], [`grade`] and [`ranking`] are figures of their own. [`recompute`] does all of it from the stored
//! probes, which is the definition.
//!
//! Figures are integers of thousandths or tenths as they are printed; between two of them there are floating-point
//! numbers, of which only sums, products, quotients and square roots are taken: those are the same on every machine.

pub mod availability;
pub mod coverage;
pub mod decay;
pub mod grade;
pub mod health;
pub mod interval;
pub mod latency;
pub mod pairs;
pub mod prior;
pub mod probe;
pub mod protocol;
pub mod ranking;
pub mod recompute;
mod round;
pub mod stability;
pub mod trust;

pub use probe::Probe;
pub use round::{tenths, thousandths};

#[cfg(test)]
pub(crate) mod tests;
