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
#[cfg(any(test, feature = "laws"))]
pub mod laws;
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

use crate::mcp::version;
use crate::outcome::Era;

/// Headers and body of the POST a probe of this era opens with, for people who want to repeat it by hand.
#[must_use]
pub fn opening(endpoint: &url::Url, era: Era, id: u32) -> (Vec<(&'static str, String)>, String) {
    let opening = match era {
        Era::Legacy => draft::initialize(endpoint, &Deadlines::PUBLISHED, id, version::ASKED_LEGACY),
        Era::Modern => draft::discover(endpoint, &Deadlines::PUBLISHED, id),
    };
    (opening.headers, opening.body.unwrap_or_default())
}
