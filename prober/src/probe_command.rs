//! `probe <URL>`: one probe now, explained or as one JSON object.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use shared::listing::{Endpoint, EndpointFault};

use crate::cli::ProbeArguments;
use crate::config;
use crate::conversation::{Memory, converse, plan};
use crate::explain::Narrator;
use crate::log::say;
use crate::resolve::Names;
use crate::text::{printable, printable_json};
use crate::transport::{HostGaps, Tls, Transport, Vantage};

/// The exit code for arguments that cannot be used.
pub(crate) const BAD_ARGUMENTS: u8 = 2;

/// Probes and prints; 0 whenever the probe finished, whatever it found.
pub(crate) async fn run(arguments: ProbeArguments) -> ExitCode {
    match prepare(&arguments) {
        Err(fault) => {
            say(format_args!("error: {fault}"));
            ExitCode::from(BAD_ARGUMENTS)
        }
        Ok((endpoint, vantage)) => {
            let plan = plan(endpoint.url().clone(), Memory::default(), true, arguments.allow_private);
            let transport = Transport::new(Arc::new(vantage));
            if arguments.json {
                let verdict = converse(plan, transport, &mut ()).await;
                print_json(&verdict.report())
            } else {
                let mut narrator = Narrator::new(io::stdout());
                narrator.begin(endpoint.url(), arguments.network.as_deref());
                let verdict = converse(plan, transport, &mut narrator).await;
                narrator.end(&verdict);
                ExitCode::SUCCESS
            }
        }
    }
}

/// Checks the arguments. An address that is not public is no bad argument: the probe then says so.
fn prepare(arguments: &ProbeArguments) -> Result<(Endpoint, Vantage), String> {
    // The shape of the URL alone is judged here, so private targets pass.
    let endpoint = Endpoint::parse(&arguments.url, true).map_err(|fault| {
        let rule = match fault {
            EndpointFault::Scheme => "the URL must begin with https:// or http://".to_owned(),
            other => other.to_string(),
        };
        format!("URL: {rule}, got \"{}\"", printable(&without_userinfo(&arguments.url)))
    })?;
    if let Some(network) = &arguments.network {
        config::check_network(network).map_err(|fault| fault.to_string())?;
    }
    let names = Names::system()?;
    let tls = Tls::new(arguments.trust.as_deref())?;
    Ok((endpoint, Vantage { names, tls, gaps: HostGaps::default(), allow_private: arguments.allow_private }))
}

/// The text without what stands before an `@`: it may hold a password, and error messages are kept in logs.
fn without_userinfo(text: &str) -> String {
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://...@{rest}"),
        _ => text.to_owned(),
    }
}

fn print_json(report: &shared::verdict::ProbeReport) -> ExitCode {
    let text = match serde_json::to_string(report) {
        Ok(text) => printable_json(&text),
        Err(error) => {
            say(format_args!("error: cannot write the report as JSON: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("error: cannot write to stdout: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(url: &str) -> Option<String> {
        let arguments =
            ProbeArguments { url: url.into(), json: false, allow_private: false, network: None, trust: None };
        prepare(&arguments).err()
    }

    #[test]
    fn only_urls_a_client_could_use_are_probed() {
        for good in [
            "https://mcp.example/mcp",
            "http://localhost:3000/mcp",
            "https://[::1]/mcp?a=b",
            "http://10.0.0.1",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for (bad, rule) in [
            ("mcp.example/mcp", "does not parse"),
            ("ftp://mcp.example/", "https:// or http://"),
            ("file:///etc/passwd", "https:// or http://"),
            ("https://me:hunter2@mcp.example/", "user name or password"),
            ("https://mcp.example/#top", "fragment"),
            ("https://{tenant}.example/mcp", "template"),
            ("https://mcp.example/a b", "white space"),
            ("", "does not parse"),
        ] {
            let told = fault(bad).unwrap_or_else(|| panic!("{bad} must be refused"));
            assert!(told.starts_with("URL: ") && told.contains(rule), "{bad}: {told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
    }
}
