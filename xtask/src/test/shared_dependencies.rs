//! `shared` holds the rules alone: no clock, no randomness, no I/O, no async, nothing too big for the Worker.

use crate::process;
use crate::workspace::{WASM_TARGET, cargo};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// What must not come in, not even through another crate, and why.
const UNWANTED: [(&str, &str); 15] = [
    ("tokio", "an async runtime"),
    ("futures-executor", "an async runtime"),
    ("reqwest", "I/O"),
    ("hyper", "I/O"),
    ("ureq", "I/O"),
    ("rusqlite", "I/O"),
    ("worker", "platform types"),
    ("wasm-bindgen", "platform types"),
    ("js-sys", "platform types"),
    ("chrono", "a clock"),
    ("getrandom", "randomness"),
    ("rand", "randomness"),
    ("regex", "299 kB of wasm"),
    ("jsonschema", "884 kB of wasm"),
    ("minijinja", "264 kB of wasm"),
];

/// Prints what `shared` is built from, and refuses what it must not be.
///
/// # Errors
/// When an unwanted crate is among its dependencies.
pub(super) fn check() -> Result<()> {
    let mut command = cargo();
    command.args(["tree", "--package", "isitstillup-shared", "--edges", "normal", "--prefix", "none"]);
    command.args(["--target", WASM_TARGET, "--format", "{p}"]);
    let tree = process::read("cargo tree", &mut command)?;
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    println!("shared is built from: {}", names.iter().copied().collect::<Vec<_>>().join(", "));
    match unwanted(&names) {
        Some((name, reason)) => bail!("shared depends on `{name}`, which brings {reason}"),
        None => Ok(()),
    }
}

fn unwanted(names: &BTreeSet<&str>) -> Option<(&'static str, &'static str)> {
    UNWANTED.into_iter().find(|(name, _)| names.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_refused_and_plain_data_is_not() {
        assert_eq!(unwanted(&["serde", "chrono"].into()), Some(("chrono", "a clock")));
        assert_eq!(unwanted(&["serde", "url", "sha2"].into()), None);
    }
}
