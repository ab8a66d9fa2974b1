//! Measures, each held against its limit.

use crate::cache::Cache;
use crate::tools::npm::Npm;
use crate::worker_build::{Profile, WORKER};
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

/// Kilobytes of 1,000 bytes, as the platform counts. The room to grow into: 350 once every page is in.
const GZIP_LIMIT_BYTES: usize = 200_000;

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The bytes of the Worker's wasm module, as it is and compressed as `gzip -9` does.
    Size,
}

/// # Errors
/// When the measure cannot be taken, or is over its limit.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::Size => size(),
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
