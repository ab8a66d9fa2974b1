//! Python environments for the Python MCP servers that the end-to-end tests probe. Only `test` needs them.

use super::advise;
use crate::cache::{Cache, short_hash};
use crate::process;
use crate::workspace::root;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Servers on today's SDK.
pub(crate) const CURRENT: &str = "tests/python/current.txt";
/// Servers on the SDK of mid-2025.
pub(crate) const OLDER: &str = "tests/python/older.txt";

const ADVICE: &str =
    "install Python 3.11 or newer with venv and pip, check that PyPI can be reached, and try again";

/// The `bin` folder of an environment with what the list `requirements` names.
///
/// # Errors
/// When Python is missing or the packages cannot be downloaded.
pub(crate) fn environment(cache: &Cache, requirements: &str) -> Result<PathBuf> {
    let list = root().join(requirements);
    let content = fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let version = advise(process::read("python3", Command::new("python3").arg("--version")), ADVICE)?;
    let hash = short_hash([content.as_slice(), version.as_bytes()]);
    let folder = cache.entry(
        &format!("python/{hash}"),
        &format!("the Python servers of {requirements}"),
        |folder| {
            let mut venv = Command::new("python3");
            advise(process::prepare("python3 -m venv", venv.args(["-m", "venv"]).arg(folder)), ADVICE)?;
            let mut pip = Command::new(folder.join("bin/python"));
            pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"]);
            advise(process::prepare("pip install", pip.arg("-r").arg(&list)), ADVICE)
        },
    )?;
    Ok(folder.join("bin"))
}
