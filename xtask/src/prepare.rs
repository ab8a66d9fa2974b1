//! What the end-to-end tests find prepared, and the variables that tell them where.

use crate::cache::Cache;
use crate::process;
use crate::tools::npm::Npm;
use crate::tools::python;
use crate::worker_build::{Profile, VECTORS, WORKER};
use crate::workspace::{cargo, root, target_dir};
use anyhow::Result;
use std::path::PathBuf;

/// How the names of all variables for Python servers begin.
pub(crate) const PYTHON_PREFIX: &str = "ISU_PYTHON_";

/// Name and value of each variable, in the order in which they were prepared.
pub(crate) type Variables = Vec<(&'static str, PathBuf)>;

/// The npm packages and the Node that runs them.
pub(crate) fn npm_variables(npm: &Npm) -> Variables {
    vec![("ISU_ROOT", root()), ("ISU_NODE", npm.node()), ("ISU_NPM", npm.modules().to_path_buf())]
}

/// The environments of the Python servers.
///
/// # Errors
/// When Python is missing or the packages cannot be downloaded.
pub(crate) fn python_variables(cache: &Cache) -> Result<Variables> {
    Ok(vec![
        ("ISU_PYTHON_FASTMCP", python::environment(cache, python::CURRENT)?),
        ("ISU_PYTHON_OLD", python::environment(cache, python::OLDER)?),
    ])
}

/// Both Workers and the prober, built from this checkout.
///
/// # Errors
/// When one of them does not build.
pub(crate) fn build_variables(cache: &Cache, npm: &Npm) -> Result<Variables> {
    Ok(vec![
        ("ISU_WORKER_BUILD", WORKER.build(cache, npm, Profile::Production)?),
        ("ISU_VECTORS_BUILD", VECTORS.build(cache, npm, Profile::Production)?),
        ("ISU_PROBER", build_prober(false)?),
    ])
}

/// The prober's binary, optimised when `release`.
///
/// # Errors
/// When it does not build.
pub(crate) fn build_prober(release: bool) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--package", "isitstillup-prober"]);
    if release {
        command.arg("--release");
    }
    process::prepare("the build of the prober", &mut command)?;
    let profile = if release { "release" } else { "debug" };
    Ok(target_dir().join(profile).join("isitstillup-prober"))
}

/// The Worker alone, for deployment.
///
/// # Errors
/// When a tool cannot be installed or the Worker does not build.
pub(crate) fn build_worker() -> Result<()> {
    let cache = Cache::open()?;
    let npm = Npm::install(&cache)?;
    let output = WORKER.build(&cache, &npm, Profile::Production)?;
    println!("The Worker is in {}", output.display());
    Ok(())
}

/// Prepares everything and prints it for a shell.
///
/// # Errors
/// What kept any part from being prepared.
pub(crate) fn print_variables() -> Result<()> {
    let cache = Cache::open()?;
    let npm = Npm::install(&cache)?;
    let mut variables = npm_variables(&npm);
    variables.extend(python_variables(&cache)?);
    variables.extend(build_variables(&cache, &npm)?);
    for (name, value) in variables {
        println!("export {name}='{}'", value.display());
    }
    Ok(())
}
