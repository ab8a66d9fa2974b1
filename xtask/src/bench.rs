//! Measures, each held against its limit.

use crate::cache::Cache;
use crate::prepare::build_prober;
use crate::process;
use crate::tools::debian;
use crate::tools::npm::Npm;
use crate::worker_build::{Profile, WORKER};
use crate::workspace::{cargo, target_dir};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::process::Command;

/// Kilobytes of 1,000 bytes, as the platform counts. The room to grow into: 350 once every page is in.
const GZIP_LIMIT_BYTES: usize = 200_000;
/// Debian's package, and the program in it, beside which the prober is measured.
const EXPORTER: &str = "prometheus-blackbox-exporter";

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The bytes of the Worker's wasm module, as it is and compressed as `gzip -9` does.
    Size,
    /// What a probe costs in processor time, beside Debian's prometheus-blackbox-exporter, and in memory (Linux).
    ///
    /// Both probe the same target on loopback in rounds that alternate, each on one core: the prober with all it does
    /// (three requests, digests, outbox), the exporter with one request. `ratio` is how many times the exporter's
    /// probes the prober makes in the same processor time, `per_request` the same for HTTP requests, `rss_mb` the most
    /// memory it held with 1,000 probes in flight.
    Prober(ProberOptions),
}

#[derive(Args)]
pub(crate) struct ProberOptions {
    /// Rounds of each.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Probes in a round of each.
    #[arg(long, default_value_t = 6_000)]
    probes: u32,
}

/// # Errors
/// When the measure cannot be taken, or is over its limit.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Size => size(),
        Bench::Prober(options) => prober(options),
    }
}

fn size() -> Result<()> {
    let cache = Cache::open()?;
    let npm = Npm::install(&cache)?;
    let path = WORKER.build(&cache, &npm, Profile::Production)?.join("index_bg.wasm");
    let wasm = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&wasm)?;
    let gzip = encoder.finish()?.len();
    println!("size wasm={} gzip={gzip} limit={GZIP_LIMIT_BYTES}", wasm.len());
    if gzip > GZIP_LIMIT_BYTES {
        bail!("the Worker's module is {gzip} bytes compressed, over the limit of {GZIP_LIMIT_BYTES}");
    }
    Ok(())
}

fn prober(options: &ProberOptions) -> Result<()> {
    let exporter = debian::program(&Cache::open()?, EXPORTER)?;
    let prober = build_prober(true)?;
    let mut build = cargo();
    build.args(["build", "--release", "--package", "isitstillup-tests", "--bin", "bench-prober"]);
    process::prepare("the build of the benchmark", &mut build)?;
    let mut bench = Command::new(target_dir().join("release/bench-prober"));
    bench.arg("--prober").arg(prober).arg("--exporter").arg(exporter);
    bench.arg(format!("--rounds={}", options.rounds)).arg(format!("--probes={}", options.probes));
    process::run("the benchmark of the prober", &mut bench)
}
