//! The conversation with one endpoint as a state machine without I/O.
//!
//! `Probe::start(plan)` gives the first [`Request`]; the transport turns it into a [`Reply`]; `next(reply)` gives the
//! next Request or the finished [`Verdict`](crate::verdict::Verdict). Both vantages run this same machine.

pub mod intake;
pub mod plan;
pub mod reply;
pub mod request;

pub use intake::{Flow, Intake};
pub use plan::{Deadlines, Plan};
pub use reply::{Body, BodyEnd, CertificateFault, Fault, FaultKind, Headers, Reply, Response};
pub use request::{Connection, Method, Purpose, Request};

use crate::verdict::Verdict;

/// What the machine wants next.
#[derive(Debug)]
pub enum Step {
    Send(Box<Request>),
    Done(Box<Verdict>),
}

/// One probe in progress.
#[derive(Debug)]
pub struct Probe {
    _private: (),
}

impl Probe {
    /// Begins a probe: the machine and its first request.
    #[must_use]
    pub fn start(_plan: Plan) -> (Self, Step) {
        unimplemented!("written next")
    }

    /// Takes what the last request brought and says what comes next. Total: every reply has an answer.
    #[must_use]
    pub fn next(&mut self, _reply: Reply) -> Step {
        unimplemented!("written next")
    }
}
