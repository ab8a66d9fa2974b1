//! Python environments for the Python MCP servers that the end-to-end tests probe. Only `test` needs them.

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

/// Where the lists cannot be installed, these are the words for it.
const ADVICE: &str =
    "install Python 3.11 or newer with venv and pip, check that PyPI can be reached, and try again";

/// The `bin` folder of an environment with what the list `requirements` names.
///
/// # Errors
/// When Python is missing or the packages cannot be downloaded.
pub(crate) fn environment(cache: &Cache, requirements: &str) -> Result<PathBuf> {
    let list = root().join(requirements);
    let content = fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let version = process::read("python3", Command::new("python3").arg("--version")).context(ADVICE)?;
    let hash = short_hash([content.as_slice(), version.as_bytes()]);
    let folder = cache.entry(&format!("python/{hash}"), |folder| {
        process::run("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(folder))
            .context(ADVICE)?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"]);
        process::run("pip install", pip.arg("-r").arg(&list)).context(ADVICE)
    })?;
    Ok(folder.join("bin"))
}
