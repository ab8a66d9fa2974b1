//! `cargo xtask test`: everything that must pass, step by step, each with its time.

mod report;
mod shared_dependencies;

use crate::cache::Cache;
use crate::prepare::{self, Variables};
use crate::process;
use crate::tools::npm::Npm;
use crate::tools::rust;
use crate::workspace::{WASM_TARGET, cargo, root, wasm_target_dir};
use anyhow::{Context, Result};
use clap::Args;
use report::Report;
use std::ffi::OsStr;
use std::net::TcpListener;

/// The crate that drives real servers, and the one that only workerd runs: not part of the native tests.
const END_TO_END: &str = "isitstillup-tests";
const VECTORS_WORKER: &str = "vectors-worker";
const WORKER: &str = "isitstillup-worker";
/// Tests of the end-to-end crate that need nothing prepared but a build; each has a step of its own.
const NATIVE_TESTS: [&str; 3] = [VECTORS_TEST, HOSTILE_TEST, FAULTS_TEST];
const VECTORS_TEST: &str = "vectors";
const HOSTILE_TEST: &str = "hostile";
const FAULTS_TEST: &str = "faults";

#[derive(Args)]
pub(crate) struct TestOptions {
    /// Skip what needs workerd: the Worker builds, the vectors inside workerd, the end-to-end run.
    #[arg(long)]
    quick: bool,
}

/// # Errors
/// When a step failed; where `CI` is set, also when one could not run.
pub(crate) fn run(options: &TestOptions) -> Result<()> {
    let mut report = Report::new();
    let has_wasm = report.prepare("Rust target for wasm", rust::wasm_target).is_some();

    report.prepare("IPv6 loopback, for tests over IPv6", ipv6_loopback);

    report.step("rustfmt", || process::run("rustfmt", cargo().args(["fmt", "--all", "--check"])));
    report.step("clippy", clippy_native);
    report.step("unit and property tests", native_tests);
    report.step("vectors natively", native_vectors);
    report.step("hostile endpoints", || with_prober(HOSTILE_TEST));
    report.step("faults of the prober's process", || with_prober(FAULTS_TEST));
    report.step("shared depends on no runtime", shared_dependencies::check);
    if has_wasm {
        report.step("clippy for wasm", clippy_wasm);
        report.step("shared builds for wasm", build_shared_for_wasm);
    } else {
        report.cannot_run("clippy for wasm", "the Rust target for wasm is missing");
        report.cannot_run("shared builds for wasm", "the Rust target for wasm is missing");
    }

    if options.quick {
        report.skip("end-to-end run", "--quick");
    } else if let Some(variables) = prepare_end_to_end(&mut report) {
        report.step("vectors in workerd, end-to-end run", || end_to_end(&variables));
    } else {
        report.cannot_run("vectors in workerd, end-to-end run", "what it needs is missing");
    }
    report.finish()
}

/// Tests over IPv6 leave themselves out without it.
fn ipv6_loopback() -> Result<()> {
    TcpListener::bind("[::1]:0").context("this machine has no IPv6 loopback")?;
    Ok(())
}

fn clippy_native() -> Result<()> {
    let mut command = cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--keep-going", "--", "--deny", "warnings"]);
    process::run("clippy", &mut command)
}

fn clippy_wasm() -> Result<()> {
    let mut command = cargo();
    command.args(["clippy", "--package", WORKER, "--package", VECTORS_WORKER, "--target", WASM_TARGET]);
    command.args(["--", "--deny", "warnings"]).env("CARGO_TARGET_DIR", wasm_target_dir());
    process::run("clippy", &mut command)
}

fn native_tests() -> Result<()> {
    let mut command = cargo();
    command.args([
        "test",
        "--workspace",
        "--no-fail-fast",
        "--exclude",
        END_TO_END,
        "--exclude",
        VECTORS_WORKER,
    ]);
    process::run("cargo test", &mut command)
}

/// The part of the end-to-end crate that needs no server.
fn native_vectors() -> Result<()> {
    process::run(
        "cargo test",
        cargo().args(["test", "--package", END_TO_END, "--lib", "--test", VECTORS_TEST]),
    )
}

/// A test of the prober against real sockets that misbehave; it needs no workerd.
fn with_prober(test: &str) -> Result<()> {
    let prober = prepare::build_prober(false)?;
    let mut command = cargo();
    command.args(["test", "--package", END_TO_END, "--test", test]).env("ISU_PROBER", prober);
    process::run("cargo test", &mut command)
}

fn build_shared_for_wasm() -> Result<()> {
    let mut command = cargo();
    command.args(["check", "--package", "isitstillup-shared", "--target", WASM_TARGET]);
    process::run("cargo check", command.env("CARGO_TARGET_DIR", wasm_target_dir()))
}

/// The variables for the end-to-end run, or nothing when a part that it cannot do without is missing.
/// Without Python the run does without the Python servers, and says so.
fn prepare_end_to_end(report: &mut Report) -> Option<Variables> {
    let cache = report.prepare("tool cache", Cache::open)?;
    let npm = report.prepare("npm packages", || Npm::install(&cache))?;
    let python = report.prepare("Python servers", || prepare::python_variables(&cache));
    report.prepare("worker-build", || rust::worker_build(&cache))?;
    report.prepare("wasm-bindgen", || rust::wasm_bindgen(&cache))?;
    let mut variables = prepare::npm_variables(&npm);
    variables.extend(python.unwrap_or_default());
    variables.extend(
        report.step("build of both Workers and the prober", || prepare::build_variables(&cache, &npm))?,
    );
    Some(variables)
}

/// The tests that need all of it: every file of the folder but those with a step of their own.
fn end_to_end_tests() -> Result<Vec<String>> {
    let folder = root().join("tests/tests");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if let (Some(name), Some("rs")) =
            (path.file_stem().and_then(OsStr::to_str), path.extension().and_then(OsStr::to_str))
            && !NATIVE_TESTS.contains(&name)
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn end_to_end(variables: &Variables) -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--package", END_TO_END]);
    for test in end_to_end_tests()? {
        command.args(["--test", &test]);
    }
    if !variables.iter().any(|(name, _)| name.starts_with(prepare::PYTHON_PREFIX)) {
        // Tests that need the Python servers say so in their names.
        command.args(["--", "--skip", "python"]);
    }
    for (name, value) in variables {
        command.env(name, value);
    }
    process::run("cargo test", &mut command)
}
