//! The OAuth front door of a gated endpoint: challenge, well-known locations, and the two documents.

pub mod address;
pub mod authorization_server;
pub mod challenge;
pub mod resource_metadata;
pub mod well_known;
