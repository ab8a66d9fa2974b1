//! Programs of Debian packages, unpacked into the cache: nothing is installed into the system, and no service starts.

use super::advise;
use crate::cache::Cache;
use crate::process;
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of the package `name`, which is called the same: the machine's own where it is installed.
///
/// # Errors
/// When it is not installed and the package cannot be downloaded.
pub(crate) fn program(cache: &Cache, name: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let here = |folder: PathBuf| Some(folder.join(name)).filter(|program| program.is_file());
    if let Some(installed) = env::split_paths(&path).find_map(here) {
        return Ok(installed);
    }
    let folder = cache.entry(&format!("debian/{name}"), &format!("Debian's {name}"), |folder| {
        let unpacked = download(folder, name).and_then(|package| {
            let mut unpack = Command::new("dpkg-deb");
            process::prepare("dpkg-deb", unpack.arg("--extract").arg(package).arg(folder))
        });
        advise(unpacked, &format!("install the package {name} (Debian or Ubuntu) and try again"))
    })?;
    Ok(folder.join("usr/bin").join(name))
}

/// Downloads the package into the folder, once more with new package lists where those of the machine are missing or
/// too old.
fn download(folder: &Path, name: &str) -> Result<PathBuf> {
    let get = || {
        let mut get = Command::new("apt-get");
        process::prepare("apt-get download", get.current_dir(folder).args(["--quiet", "download", name]))
    };
    if get().is_err() {
        process::prepare("apt-get update", Command::new("apt-get").args(["--quiet", "update"]))?;
        get()?;
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    match files.find(|path| path.extension().is_some_and(|extension| extension == "deb")) {
        Some(package) => Ok(package),
        None => bail!("apt-get downloaded no package"),
    }
}
