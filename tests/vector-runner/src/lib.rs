//! Runs one probe from data: a plan, scripted answers, and what must come out.
//!
//! It is a transport like the native one and the edge one, only that its answers come from a [`Vector`]. It has no
//! clock and no I/O, so that the same vectors run natively and inside workerd and can be compared byte for byte.

mod answer;
mod chunking;
mod conduct;
mod expectation;
mod good;
mod run;
mod vector;

pub use chunking::Chunking;
pub use conduct::breaches;
pub use expectation::differences;
pub use run::{Outcome, RunFault, Sent, run};
pub use vector::{Answer, End, FaultSpec, FaultWord, Part, PlanSpec, PurposeWord, Rule, Vector};

use serde::{Deserialize, Serialize};

/// What the test Worker is asked to run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub chunking: Chunking,
    pub vectors: Vec<Vector>,
}

/// What became of one vector of a [`Batch`]: its outcome, or the sentence that says why it could not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ran {
    Outcome(Box<Outcome>),
    Fault(String),
}

/// Runs every vector of a batch, in order.
#[must_use]
pub fn run_batch(batch: &Batch) -> Vec<Ran> {
    batch
        .vectors
        .iter()
        .map(|vector| match run(vector, batch.chunking) {
            Ok(outcome) => Ran::Outcome(Box::new(outcome)),
            Err(fault) => Ran::Fault(fault.to_string()),
        })
        .collect()
}
