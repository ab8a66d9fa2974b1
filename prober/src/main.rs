//! The native vantage: probes MCP endpoints and posts votes to the Worker.

mod address_guard;
mod backoff;
mod cli;
mod client;
mod config;
mod conversation;
mod deliver;
mod explain;
mod log;
mod outbox;
mod pace;
mod probe_command;
mod resolve;
mod text;
mod transport;
mod worker_clock;

use std::process::ExitCode;

use clap::Parser;

use cli::{Command, CommandLine};

#[tokio::main]
async fn main() -> ExitCode {
    match CommandLine::parse().command {
        Command::Probe(arguments) => probe_command::run(arguments).await,
        Command::Run(_) | Command::Check(_) => ExitCode::FAILURE,
    }
}
