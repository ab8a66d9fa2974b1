//! The site and the API as a Cloudflare Worker over D1: the platform's events in, rows and bytes out.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

pub mod api;
pub mod assets;
mod chart;
pub mod pages;
pub mod problem;
pub mod reply;
pub mod route;
