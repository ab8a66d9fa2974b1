//! The figures of the published method, its borders, and the laws that any listing keeps to.

mod figures;
mod laws;
pub(crate) mod listings;
