//! Endpoints that misbehave, as real sockets: each behaviour is one value that says how it answers and what a probe
//! must make of it.
//!
//! A behaviour has a `scene`: the name it goes by and what a name server says of it, TLS and its `certificates`.
//! `behaviours` is the table, a file for each kind; `server` serves it; `exchange` is what a behaviour answers with;
//! `trap` is where no
//! probe may go; `probing` runs the real prober against one; `conduct` and `keeping` are the promises a probe must keep whatever it
//! meets; `document` writes the table for people.

mod behaviour;
pub mod behaviours;
pub mod certificates;
pub mod conduct;
pub mod document;
pub mod exchange;
mod expected;
pub mod good;
pub mod http_2;
pub mod keeping;
pub mod probing;
pub mod request;
pub mod scene;
pub mod server;
pub mod trap;

pub use behaviour::{Act, Behaviour, Raw, Serve};
pub use expected::Expected;
