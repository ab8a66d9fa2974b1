//! Rust's side: the wasm target, the two command-line tools that turn it into a Worker, and what fuzzing needs.

use super::advise;
use crate::cache::Cache;
use crate::process;
use crate::workspace::{WASM_TARGET, cargo, locked_version};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cheap profile: these tools run for seconds, and release builds of them take minutes.
const QUICK_TO_BUILD: [&str; 4] = [
    "profile.release.opt-level=1",
    "profile.release.lto=false",
    "profile.release.codegen-units=16",
    "profile.release.debug=0",
];

/// Adds the wasm target to the toolchain in use, unless it is there.
///
/// # Errors
/// When it is missing and rustup cannot add it.
pub(crate) fn wasm_target() -> Result<()> {
    let folder = process::read(
        "rustc",
        Command::new("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]),
    )?;
    if Path::new(&folder).is_dir() {
        return Ok(());
    }
    eprintln!("Adding the Rust target {WASM_TARGET}");
    advise(
        process::prepare("rustup target add", Command::new("rustup").args(["target", "add", WASM_TARGET])),
        &format!(
            "add the Rust target {WASM_TARGET} to your toolchain and try again (see docs/wasm-target-without-rustup.md)"
        ),
    )
}

/// `worker-build`, at the version of the `worker` library: the two are released together.
///
/// # Errors
/// When it cannot be built.
pub(crate) fn worker_build(cache: &Cache) -> Result<PathBuf> {
    install(cache, "worker-build", "worker-build", &locked_version("worker")?, &["--locked"])
}

/// `wasm-bindgen`, which must be the very version of the library.
///
/// # Errors
/// When it cannot be built.
pub(crate) fn wasm_bindgen(cache: &Cache) -> Result<PathBuf> {
    // Not --locked: the lock file that 0.2.130 ships names a version that was never published.
    let version = locked_version("wasm-bindgen")?;
    install(cache, "wasm-bindgen-cli", "wasm-bindgen", &version, &["--no-default-features"])
}

/// `cargo-fuzz`, pinned here since no library of ours goes with it.
///
/// # Errors
/// When it cannot be built.
pub(crate) fn cargo_fuzz(cache: &Cache) -> Result<PathBuf> {
    install(cache, "cargo-fuzz", "cargo-fuzz", "0.13.2", &["--locked"])
}

/// Checks that rustup has the toolchain, and gives the name of the target it builds for.
///
/// # Errors
/// When rustup or the toolchain is missing.
pub(crate) fn fuzzing_host(toolchain: &str) -> Result<String> {
    let version = process::read(
        "rustc",
        Command::new("rustup").args(["run", toolchain, "rustc", "--version", "--verbose"]),
    );
    let version = advise(
        version,
        &format!(
            "fuzzing needs a nightly compiler: `rustup toolchain install {toolchain} --profile minimal`"
        ),
    )?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).with_context(|| format!("rustc does not say which host it is for: {version}"))
}

/// `cargo install` into the cache; returns the path of `binary`.
fn install(cache: &Cache, package: &str, binary: &str, version: &str, options: &[&str]) -> Result<PathBuf> {
    let folder =
        cache.entry(&format!("tools/{package}-{version}"), &format!("{package} {version}"), |folder| {
            let build = folder.join("build");
            let mut command = cargo();
            command.current_dir(folder).env("CARGO_TARGET_DIR", &build);
            command.args(["install", package, "--version", version, "--root"]).arg(folder).args(options);
            for setting in QUICK_TO_BUILD {
                command.args(["--config", setting]);
            }
            let installed = process::prepare(&format!("cargo install {package}"), &mut command);
            let _ = std::fs::remove_dir_all(&build);
            advise(installed, "check that crates.io can be reached and try again")
        })?;
    Ok(folder.join("bin").join(binary))
}
