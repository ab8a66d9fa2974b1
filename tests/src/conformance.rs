//! The official conformance suite with the prober as the client under test: one scenario, and what it checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use shared::verdict::ProbeReport;

use crate::endpoints::npm;
use crate::environment::{Folder, Part};

const SUITE: &str = "@modelcontextprotocol/conformance/dist/index.js";

/// What one run of a scenario left.
#[derive(Debug)]
pub struct Outcome {
    pub checks: Vec<Check>,
    pub report: ProbeReport,
}

/// One check of the suite.
#[derive(Debug, Clone, Deserialize)]
pub struct Check {
    pub id: String,
    /// `SUCCESS`, `FAILURE`, `WARNING`, `SKIPPED` or `INFO`.
    pub status: String,
    #[serde(default, rename = "errorMessage")]
    pub error: Option<String>,
}

impl Outcome {
    /// The ids of checks with one of these statuses, each once.
    #[must_use]
    pub fn ids(&self, statuses: &[&str]) -> BTreeSet<&str> {
        let wanted = self.checks.iter().filter(|check| statuses.contains(&check.status.as_str()));
        wanted.map(|check| check.id.as_str()).collect()
    }
}

/// Runs a client scenario against `probe --json` with these options. Its exit code says nothing here: a client that
/// never authenticates fails a part of most scenarios.
///
/// # Panics
/// With what the suite printed, where it left no checks or the prober no report.
#[must_use]
pub fn run(scenario: &str, options: &str) -> Outcome {
    let folder = Folder::new("conformance");
    let command = format!("{} probe --allow-private --json {options}", Part::Prober.path().display());
    let (status, output, errors) = npm(SUITE)
        .args(["client", "--command", &command, "--scenario", scenario, "-o"])
        .arg(folder.join(""))
        .output();
    let told = || format!("{scenario}: {status}\n{output}\n{errors}");
    let checks =
        find(&folder.join(""), "checks.json").unwrap_or_else(|| panic!("no checks.json: {}", told()));
    let read = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Outcome {
        checks: serde_json::from_slice(&read(&checks)).unwrap_or_else(|error| panic!("{error}: {}", told())),
        report: serde_json::from_slice(&read(&checks.with_file_name("stdout.txt")))
            .unwrap_or_else(|error| panic!("the prober printed no report ({error}): {}", told())),
    }
}

/// The file of this name in a folder or below it: the suite makes a folder of scenario and time.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find_map(|path| if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) })
}
