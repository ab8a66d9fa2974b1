//! The native vantage: probes MCP endpoints and posts votes to the Worker.
//!
//! The program is [`command_line`]; [`by_hand`] is the one part of it that other programs use as well.

mod address_guard;
mod backoff;
pub mod by_hand;
mod check;
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
mod record;
mod reproduce;
mod resolve;
mod run;
mod small_file;
mod text;
mod transport;
mod worker_clock;

use std::process::ExitCode;

use clap::Parser;

use cli::{Command, CommandLine, RunArguments};
use config::{ConfigFault, RunConfig};

/// Does what the command line asks for.
pub async fn command_line() -> ExitCode {
    match CommandLine::parse().command {
        Command::Probe(arguments) => probe_command::run(arguments).await,
        Command::Reproduce(arguments) => reproduce::run(&arguments).await,
        Command::Run(arguments) => match load(arguments) {
            Ok(config) => run::run(config).await,
            Err(faults) => check::refuse(&faults),
        },
        Command::Check(arguments) => match load(arguments) {
            Ok(config) => check::check(&config),
            Err(faults) => check::refuse(&faults),
        },
    }
}

/// The key is read here and nowhere else: it is no flag, so that no process list and no help text shows it.
fn load(arguments: RunArguments) -> Result<RunConfig, Vec<ConfigFault>> {
    RunConfig::load(arguments, std::env::var("ISU_KEY").ok())
}
