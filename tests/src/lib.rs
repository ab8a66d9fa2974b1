//! What the tests here share: the vectors as data, and real processes to talk to.
//!
//! Nothing in it replaces a part of the product: workerd, D1, the prober and the MCP servers are the real ones.

pub mod vectors;
