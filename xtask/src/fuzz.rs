//! `cargo xtask fuzz`: builds one target on a nightly compiler and runs it until something breaks or the time is over.

use crate::cache::Cache;
use crate::process;
use crate::tools::rust;
use crate::workspace::{cargo, root, target_dir};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An input that takes longer breaks the rule that everything is read in linear time.
const SECONDS_AN_INPUT: u32 = 10;
/// Nothing that is read within its cap takes this much.
const MEGABYTES: u32 = 2_048;

#[derive(Args)]
#[command(after_help = "\
A target (tests/fuzz-targets/src/NAME.rs) takes any bytes and panics where a law does not hold. The fuzzer (libFuzzer,
through cargo-fuzz) changes the inputs it has, keeps those that reach code no other one reached, and stops at the first
that breaks a law, takes longer than ten seconds or two gigabytes.

It starts from the committed inputs, tests/fuzz-targets/corpus/NAME/, and from what earlier runs on this machine kept,
target/fuzz/corpus/NAME/. Findings are written to target/fuzz/findings/NAME/.

Replay a finding on the stable compiler, with a debugger if need be:

    cargo run -p fuzz-targets -- NAME FILE

Keep it: once the fault is mended, copy the file into tests/fuzz-targets/corpus/NAME/, under a name that says what it
is. Every test run replays that folder. The fault itself gets a test of its whole kind where it was.

Needed: rustup with a nightly toolchain (rustup toolchain install nightly --profile minimal), and a C++ compiler.")]
pub(crate) struct FuzzOptions {
    /// What to fuzz; without it, the names are listed.
    name: Option<String>,
    /// How long to look.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Bytes of an input at most.
    #[arg(long, default_value_t = 8_192, value_parser = clap::value_parser!(u32).range(1..))]
    max_bytes: u32,
    /// The toolchain, by its rustup name.
    #[arg(long, default_value = "nightly")]
    toolchain: String,
}

/// # Errors
/// When something was found, or the target cannot be built.
pub(crate) fn run(options: &FuzzOptions) -> Result<()> {
    let targets = targets(&root())?;
    let Some(name) = &options.name else {
        for target in targets {
            println!("{:<14}{}", target.name, target.about);
        }
        return Ok(());
    };
    if !targets.iter().any(|target| target.name == *name) {
        let names: Vec<_> = targets.into_iter().map(|target| target.name).collect();
        bail!("there is no target `{name}`; the targets are {}", names.join(", "));
    }
    let binary = build(name, &options.toolchain)?;
    let folders = Folders::of(name)?;
    let known = folders.findings()?;
    let looked = process::run(&format!("fuzzing {name}"), &mut folders.fuzz(&binary, options));
    let found: Vec<PathBuf> = folders.findings()?.difference(&known).cloned().collect();
    if found.is_empty() {
        return looked;
    }
    for file in &found {
        eprintln!(
            "\nFound: {file}\n  replay it: cargo run -p fuzz-targets -- {name} {file}\n  keep it, once mended: \
             cp {file} tests/fuzz-targets/corpus/{name}/A_NAME_THAT_SAYS_WHAT_IT_IS",
            file = file.display()
        );
    }
    bail!("{name}: {} found; what happened stands above", found.len())
}

/// What can be fuzzed.
struct Target {
    name: String,
    /// The first sentences of its source.
    about: String,
}

/// The binaries of `fuzz/Cargo.toml`, each described by the source of its target.
fn targets(root: &Path) -> Result<Vec<Target>> {
    let path = root.join("fuzz/Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
    let binaries = manifest.get("bin").and_then(toml::Value::as_array);
    let names = binaries.into_iter().flatten().filter_map(|binary| binary.get("name")?.as_str());
    names
        .map(|name| {
            let path = root.join("tests/fuzz-targets/src").join(format!("{name}.rs"));
            let source =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let about: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//! ")).collect();
            Ok(Target { name: name.to_owned(), about: about.join(" ") })
        })
        .collect()
}

/// Where a target's inputs and findings are.
struct Folders {
    committed: PathBuf,
    grown: PathBuf,
    findings: PathBuf,
}

impl Folders {
    fn of(name: &str) -> Result<Self> {
        let ours = target_dir().join("fuzz");
        let folders = Self {
            committed: root().join("tests/fuzz-targets/corpus").join(name),
            grown: ours.join("corpus").join(name),
            findings: ours.join("findings").join(name),
        };
        for folder in [&folders.grown, &folders.findings] {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        Ok(folders)
    }

    fn findings(&self) -> Result<BTreeSet<PathBuf>> {
        let folder = &self.findings;
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        entries.map(|entry| Ok(entry?.path())).collect()
    }

    /// The command that fuzzes. New inputs go to the first folder that it is given.
    fn fuzz(&self, binary: &Path, options: &FuzzOptions) -> Command {
        let mut command = Command::new(binary);
        command.arg(format!("-max_total_time={}", options.seconds));
        command.arg(format!("-max_len={}", options.max_bytes));
        command.arg(format!("-timeout={SECONDS_AN_INPUT}")).arg(format!("-rss_limit_mb={MEGABYTES}"));
        command.args(["-print_final_stats=1", "-use_value_profile=1"]);
        // The last slash makes it a folder.
        command.arg(format!("-artifact_prefix={}/", self.findings.display()));
        command.arg(&self.grown).arg(&self.committed);
        command
    }
}

/// Builds the target's binary. No sanitizer: our code has no `unsafe`, and it runs about twice as fast without.
fn build(name: &str, toolchain: &str) -> Result<PathBuf> {
    let host = rust::fuzzing_host(toolchain)?;
    let cargo_fuzz = rust::cargo_fuzz(&Cache::open()?)?;
    let folder = target_dir().join("fuzz/build");
    let mut command = Command::new(cargo_fuzz);
    // The environment that `cargo()` gives, for another toolchain: cargo itself names the one that runs xtask in CARGO.
    for (name, value) in cargo().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(root()).env("RUSTUP_TOOLCHAIN", toolchain).env_remove("CARGO").env_remove("RUSTC");
    // Of a release build, which the profile in fuzz/Cargo.toml makes: by default cargo-fuzz overrules it.
    command.args(["fuzz", "build", "--release", "--sanitizer", "none", "--target", &host, "--target-dir"]);
    process::run("cargo fuzz build", command.arg(&folder).arg(name))?;
    Ok(folder.join(host).join("release").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_named_and_described() {
        let targets = targets(&root()).unwrap();
        assert!(!targets.is_empty());
        for Target { name, about } in targets {
            assert!(about.ends_with('.') && about.len() > 40, "{name}: {about}");
        }
    }
}
