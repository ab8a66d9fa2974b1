//! The native vantage: probes MCP endpoints and posts votes to the Worker.

mod address_guard;
mod cli;
mod config;
mod conversation;
mod resolve;
mod text;
mod transport;

fn main() {}
