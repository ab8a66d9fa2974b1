//! The real prober as a child process.

use std::path::Path;

use shared::verdict::ProbeReport;

use crate::environment::Part;
use crate::process::{Program, Running};

/// Probes one URL of this machine.
///
/// # Panics
/// Where the prober does not exit with 0 and one JSON object.
#[must_use]
pub fn probe(url: &str) -> ProbeReport {
    probe_with(url, &["--allow-private".to_owned()])
}

/// Probes one URL with these options.
///
/// # Panics
/// As [`probe`].
#[must_use]
pub fn probe_with(url: &str, options: &[String]) -> ProbeReport {
    let program = Program::new(Part::Prober.path()).args(["probe", url, "--json"]);
    let program = options.iter().fold(program, Program::arg);
    let (status, output, errors) = program.output();
    assert!(status.success(), "probe {url}: {status}\n{output}\n{errors}");
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("probe {url}: {error}\n{output}"))
}

/// What `run` is told.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    pub worker: &'a str,
    pub network: &'a str,
    pub key: &'a str,
    pub outbox: &'a Path,
    pub holder: &'a str,
}

impl Run<'_> {
    /// Starts it.
    #[must_use]
    pub fn start(&self, log: &Path) -> Running {
        self.start_under(&[], log)
    }

    /// Starts it by a command that is given the program and its arguments.
    #[must_use]
    pub fn start_under(&self, command: &[String], log: &Path) -> Running {
        Program::new(Part::Prober.path())
            .args(["run", "--allow-private", "--verbose", "--worker", self.worker, "--network", self.network])
            .args(["--holder", self.holder, "--outbox"])
            .arg(self.outbox)
            .env("ISU_KEY", self.key)
            .under(command)
            .start("prober", log)
    }
}
