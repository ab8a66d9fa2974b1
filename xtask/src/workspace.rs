//! Where things are in this checkout, and which versions its lock file names.

use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Rust target of the two Worker crates.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Where native builds go; `CARGO_TARGET_DIR` moves it.
pub(crate) fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Wasm builds have a target folder of their own, so that they never wait for a native build's lock.
pub(crate) fn wasm_target_dir() -> PathBuf {
    target_dir().join("wasm")
}

/// `cargo` in the workspace, without the variables that the surrounding `cargo run` set for xtask's own
/// package: build scripts that watch those would otherwise run again at every switch.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let of_a_package = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
            .iter()
            .any(|prefix| text.starts_with(prefix));
        if of_a_package {
            command.env_remove(&name);
        }
    }
    command
}

/// The version of `package` in `Cargo.lock`.
///
/// # Errors
/// When the lock file cannot be read or names no such package.
pub(crate) fn locked_version(package: &str) -> Result<String> {
    let path = root().join("Cargo.lock");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lock: toml::Table = text.parse().context("Cargo.lock is not TOML")?;
    lock.get("package")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten()
        .find(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(package))
        .and_then(|entry| entry.get("version"))
        .and_then(toml::Value::as_str)
        .map(str::to_owned)
        .with_context(|| format!("Cargo.lock names no package `{package}`"))
}
