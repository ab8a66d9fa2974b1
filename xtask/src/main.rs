//! Set-up, dev, test, bench, fuzz: everything that a person or a machine runs on this repository.

mod bench;
mod cache;
mod dev;
mod fuzz;
mod prepare;
mod process;
mod test;
mod tools;
mod worker_build;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about, version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the Worker as it is deployed, into the folder that `wrangler.toml` names.
    Build,
    /// Measure, and hold the measure against its limit.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Run the product on this machine: the site, its database, demo endpoints, a prober.
    Dev(dev::DevOptions),
    /// Run everything that must pass: lints, tests, the end-to-end run.
    Test(test::TestOptions),
    /// Look for bytes that break a law of the rules, by fuzzing; without a name, list what can be fuzzed.
    Fuzz(fuzz::FuzzOptions),
    /// Build all that the end-to-end tests need, and print the variables they read (for `eval`).
    Env,
    /// Ends what this program started, should it be killed. Started by the program itself.
    #[command(hide = true)]
    Guard,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if matches!(arguments.task, Task::Guard) {
        process::guard::watch();
        return ExitCode::SUCCESS;
    }
    let result = process::begin().and_then(|()| match arguments.task {
        Task::Build => prepare::build_worker(),
        Task::Bench(bench) => bench::run(&bench),
        Task::Dev(options) => dev::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Env => prepare::print_variables(),
        Task::Guard => Ok(()),
    });
    process::end();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
