//! What the tests here share: the vectors as data, and real processes to talk to.
//!
//! Workerd, D1, the prober and the MCP servers are the real ones. One stand-in is among them: a Worker that breaks the
//! rules of its API on purpose, which the real one cannot be made to do.
//! `cargo xtask test` prepares them and says in `ISU_*` variables where they are; what is missing is named in a
//! sentence.

pub mod bench;
pub mod client;
pub mod conformance;
pub mod database;
pub mod endpoints;
pub mod environment;
pub mod faults;
pub mod hostile;
pub mod http;
pub mod misbehaving_worker;
pub mod outbox;
pub mod prober;
pub mod process;
pub mod sample;
pub mod site;
pub mod vectors;
pub mod workerd;
