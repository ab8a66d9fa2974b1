//! The prober's benchmark: what a probe costs in processor time and memory, beside Debian's
//! `prometheus-blackbox-exporter` on the same target.
//!
//! Processor time, not the clock on the wall, is compared: it stays the same while other programs use the machine. Both
//! programs probe the same [`Target`]; the prober takes its work from a [`Desk`], which stands in for the Worker.

pub mod cost;
pub mod desk;
pub mod exporter;
pub mod hosts;
pub mod prober;
pub mod serving;
pub mod target;

pub use desk::Desk;
pub use exporter::Exporter;
pub use prober::Prober;
pub use target::Target;
