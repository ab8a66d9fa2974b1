//! The npm side: wrangler, esbuild, binaryen and the demo servers, run by the Node that package.json pins.

use super::advise;
use crate::cache::{Cache, short_hash};
use crate::process;
use crate::workspace::root;
use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Node that can install the packages. They then run on the Node among them.
const OLDEST_NODE: u32 = 20;

const UNREACHABLE: &str = "check that the npm registry can be reached and try again";

/// The files that say what is installed; copied beside `node_modules`.
const MANIFEST: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// The installed packages.
pub(crate) struct Npm {
    modules: PathBuf,
}

impl Npm {
    /// Installs the packages of the lock file, once per machine and lock file.
    ///
    /// # Errors
    /// When Node or npm is missing or too old, or the packages cannot be downloaded.
    pub(crate) fn install(cache: &Cache) -> Result<Self> {
        let mut contents = Vec::new();
        for name in MANIFEST {
            let path = root().join(name);
            contents.push(fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
        let hash = short_hash(contents.iter().map(Vec::as_slice));
        let folder = cache.entry(&format!("npm/{hash}"), "the npm packages", |folder| {
            check_node()?;
            for (name, content) in MANIFEST.iter().zip(&contents) {
                fs::write(folder.join(name), content)?;
            }
            npm_ci(folder)?;
            install_node(folder)
        })?;
        Ok(Self { modules: folder.join("node_modules") })
    }

    /// The `node_modules` folder.
    pub(crate) fn modules(&self) -> &Path {
        &self.modules
    }

    /// The pinned Node.
    pub(crate) fn node(&self) -> PathBuf {
        node_of(&self.modules)
    }

    /// The executable `name` of a package.
    pub(crate) fn executable(&self, name: &str) -> PathBuf {
        self.modules.join(".bin").join(name)
    }

    /// `script` (a path inside `node_modules`) run by the pinned Node.
    pub(crate) fn script(&self, script: &str) -> Command {
        let mut command = Command::new(self.node());
        command.arg(self.modules.join(script)).env("PATH", self.path());
        command
    }

    /// `PATH` with the pinned Node first, for tools that start `node` by name.
    pub(crate) fn path(&self) -> OsString {
        let mut folders = vec![self.modules.join("node/bin")];
        folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        // Only a folder name with a colon in it cannot be joined; PATH as it is then serves.
        env::join_paths(folders).unwrap_or_else(|_| env::var_os("PATH").unwrap_or_default())
    }
}

fn node_of(modules: &Path) -> PathBuf {
    modules.join("node/bin/node")
}

fn check_node() -> Result<()> {
    let advice = format!("install Node {OLDEST_NODE} or newer, with npm, and try again");
    let version = advise(process::read("node", Command::new("node").arg("--version")), &advice)?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|text| text.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        bail!("Node {version} is too old; {advice}");
    }
    advise(process::read("npm", Command::new("npm").arg("--version")), &advice)?;
    Ok(())
}

/// No package's install script runs: the esbuild and workerd binaries come as packages of their own.
fn npm_ci(folder: &Path) -> Result<()> {
    let mut command = Command::new("npm");
    command.current_dir(folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    // Some of the packages want a newer Node than the one that installs them; they get it below.
    command.args(["--loglevel", "error"]);
    advise(process::prepare("npm ci", &mut command), UNREACHABLE)
}

/// The package `node` is a script that installs the binary package of this machine's kind.
fn install_node(folder: &Path) -> Result<()> {
    let modules = folder.join("node_modules");
    let mut command = Command::new("node");
    command.current_dir(modules.join("node")).arg("installArchSpecificPackage");
    command.env("npm_config_audit", "false").env("npm_config_fund", "false");
    advise(process::prepare("the install of the pinned Node", &mut command), UNREACHABLE)?;
    process::read("the pinned Node", Command::new(node_of(&modules)).arg("--version")).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_no_place_to_download_from() {
        let text = fs::read_to_string(root().join("package-lock.json")).unwrap();
        let lock: serde_json::Value = serde_json::from_str(&text).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 100);
        for (name, package) in packages {
            assert!(package.get("resolved").is_none(), "{name} has `resolved`; .npmrc keeps it out");
            assert!(
                name.is_empty() || package.get("integrity").is_some(),
                "{name} is not pinned by its hash"
            );
        }
    }
}
