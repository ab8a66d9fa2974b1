//! `probe <URL>`: one probe now, explained or as one JSON object.

use std::io;
use std::process::ExitCode;

use crate::by_hand::{self, ByHand};
use crate::cli::ProbeArguments;
use crate::config;
use crate::log::say;

/// The exit code for arguments that cannot be used.
pub(crate) const BAD_ARGUMENTS: u8 = 2;

/// Probes and prints; 0 whenever the probe finished, whatever it found.
pub(crate) async fn run(arguments: ProbeArguments) -> ExitCode {
    let by_hand = match prepare(&arguments) {
        Ok(by_hand) => by_hand,
        Err(fault) => {
            say(format_args!("error: {fault}"));
            return ExitCode::from(BAD_ARGUMENTS);
        }
    };
    if !arguments.json {
        by_hand.explain(io::stdout(), arguments.network.as_deref()).await;
        return ExitCode::SUCCESS;
    }
    match by_hand::write_json(io::stdout(), &by_hand.probe().await.report()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("error: cannot write the report to stdout: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Checks the arguments.
fn prepare(arguments: &ProbeArguments) -> Result<ByHand, String> {
    let name_servers = config::name_servers(&arguments.nameserver).map_err(|fault| fault.to_string())?;
    let by_hand = ByHand::new(&arguments.url, arguments.allow_private, arguments.trust.as_deref())?
        .with_name_servers(&name_servers)?;
    if let Some(network) = &arguments.network {
        config::check_network(network).map_err(|fault| fault.to_string())?;
    }
    Ok(by_hand.with_era(arguments.era))
}
