//! What the tests here share: the vectors as data, and real processes to talk to.
//!
//! Nothing in it replaces a part of the product: workerd, D1, the prober and the MCP servers are the real ones.
//! `cargo xtask test` prepares them and says in `ISU_*` variables where they are; what is missing is named in a
//! sentence.

pub mod client;
pub mod conformance;
pub mod database;
pub mod endpoints;
pub mod environment;
pub mod hostile;
pub mod http;
pub mod outbox;
pub mod prober;
pub mod process;
pub mod sample;
pub mod site;
pub mod vectors;
pub mod workerd;
