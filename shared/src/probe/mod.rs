//! The conversation with one endpoint as a state machine without I/O.
//!
//! [`Probe::start`] gives the first [`Request`]; a transport turns it into a [`Reply`]; [`Probe::next`] gives the next
//! Request or the finished [`Verdict`](crate::verdict::Verdict). Both vantages run this same machine.
//!
//! Rooms: `machine` drives; `handshake`, `tools` and `front_door` are its three acts; `draft` holds the requests as
//! published; `judge`, `redirect`, `refusal`, `cloudflare` and `finding` read answers; `classify` makes the verdict.

mod classify;
mod cloudflare;
mod draft;
mod exchange;
mod finding;
mod front_door;
mod handshake;
mod ids;
pub mod intake;
mod judge;
#[cfg(test)]
mod laws;
mod machine;
mod observation;
pub mod plan;
mod redirect;
mod refusal;
pub mod reply;
pub mod request;
mod tools;

pub use intake::{Flow, Intake};
pub use machine::{Probe, Step};
pub use plan::{Deadlines, Plan};
pub use reply::{Body, BodyEnd, CertificateFault, Fault, FaultKind, Headers, Reply, Response};
pub use request::{Connection, Method, Purpose, Request};
