//! Turns the two Worker crates into what workerd loads. Skips all that a build would leave as it is.

mod names;

use crate::cache::{Cache, short_hash};
use crate::process;
use crate::tools::npm::Npm;
use crate::tools::rust;
use crate::workspace::{WASM_TARGET, cargo, locked_version, root, target_dir, wasm_target_dir};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A crate that becomes a Worker.
pub(crate) struct WorkerCrate {
    package: &'static str,
    folder: &'static str,
}

/// The site and the API.
pub(crate) const WORKER: WorkerCrate = WorkerCrate { package: "isitstillup-worker", folder: "worker" };
/// The shared vectors inside workerd.
pub(crate) const VECTORS: WorkerCrate =
    WorkerCrate { package: "vectors-worker", folder: "tests/vectors-worker" };

/// How much work the compiler puts in.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// What is deployed, measured and tested.
    Production,
    /// For a local run: compiled in a fraction of the time.
    Development,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Production => "wasm",
            Self::Development => "wasm-dev",
        }
    }
}

/// Flags for the wasm target alone: what runs natively while it is built has others.
const RUSTFLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// A panic names the file it is in. Where this machine keeps its files is nobody's business, and takes room.
fn short_paths() -> Result<String> {
    let sysroot = process::read("rustc", Command::new("rustc").args(["--print", "sysroot"]))?;
    let library = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust/library");
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    Ok([remap(&library, "std"), remap(&home.join("registry").join("src"), "crates")].join(" "))
}

impl WorkerCrate {
    /// The folder with `index.js` and the wasm module.
    pub(crate) fn output(&self) -> PathBuf {
        root().join(self.folder).join("build")
    }

    /// Builds the crate, and returns the folder with the result.
    ///
    /// # Errors
    /// When a tool cannot be installed or the crate does not build.
    pub(crate) fn build(&self, cache: &Cache, npm: &Npm, profile: Profile) -> Result<PathBuf> {
        rust::wasm_target()?;
        let module = self.compile(profile)?;
        let fingerprint = self.fingerprint(&module, profile)?;
        let record = target_dir().join("xtask").join(format!("{}.fingerprint", self.package));
        let output = self.output();
        let unchanged = fs::read_to_string(&record).is_ok_and(|last| last == fingerprint);
        if unchanged && output.join("index.js").exists() {
            return Ok(output);
        }
        self.package_for_workerd(cache, npm, profile)?;
        if matches!(profile, Profile::Production) {
            names::strip(&output.join("index_bg.wasm"))?;
        }
        fs::create_dir_all(target_dir().join("xtask"))?;
        fs::write(&record, fingerprint).with_context(|| format!("cannot write {}", record.display()))?;
        Ok(output)
    }

    /// The same cargo call that worker-build makes: cargo knows best whether anything changed, and
    /// worker-build then finds it done.
    fn compile(&self, profile: Profile) -> Result<PathBuf> {
        let mut command = cargo();
        command.args(["build", "--lib", "--package", self.package, "--target", WASM_TARGET]);
        command.args(["--profile", profile.name()]);
        command.env("CARGO_TARGET_DIR", wasm_target_dir()).env("WASM_BINDGEN_USE_JS_SYS", "1");
        command.env(RUSTFLAGS, short_paths()?);
        process::prepare(&format!("the build of {}", self.package), &mut command)?;
        let file = format!("{}.wasm", self.package.replace('-', "_"));
        Ok(wasm_target_dir().join(WASM_TARGET).join(profile.name()).join(file))
    }

    /// Stands for the module and the tools that work on it.
    fn fingerprint(&self, module: &PathBuf, profile: Profile) -> Result<String> {
        let bytes = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
        let npm = fs::read(root().join("package-lock.json"))?;
        let (worker, bindgen) = (locked_version("worker")?, locked_version("wasm-bindgen")?);
        Ok(short_hash([&bytes, &npm, worker.as_bytes(), bindgen.as_bytes(), profile.name().as_bytes()]))
    }

    /// wasm-bindgen, wasm-opt, esbuild, and the shim between them.
    fn package_for_workerd(&self, cache: &Cache, npm: &Npm, profile: Profile) -> Result<()> {
        let mut command = Command::new(rust::worker_build(cache)?);
        command.current_dir(root().join(self.folder)).args(["--profile", profile.name()]);
        command
            .env("CARGO_TARGET_DIR", wasm_target_dir())
            .env("WASM_BINDGEN_BIN", rust::wasm_bindgen(cache)?)
            .env("WASM_OPT_BIN", npm.executable("wasm-opt"))
            .env("ESBUILD_BIN", npm.executable("esbuild"))
            .env("PATH", npm.path())
            .env(RUSTFLAGS, short_paths()?)
            .env("RUST_BACKTRACE", "0");
        process::prepare(&format!("worker-build of {}", self.package), &mut command)
    }
}
