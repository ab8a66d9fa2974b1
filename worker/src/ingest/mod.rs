//! What probers send: claims of due slots, and votes. Pure planning here; rows are read and written by `store`.

pub mod authenticate;
mod check;
pub mod claims;
pub mod offer;
pub mod plan;
pub mod votes;
