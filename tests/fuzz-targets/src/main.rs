//! Runs files through a target, as a finding is replayed: `cargo run -p fuzz-targets -- TARGET FILE...`

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some((_, run)) = fuzz_targets::TARGETS.iter().find(|(target, _)| *target == name) else {
        let names: Vec<_> = fuzz_targets::TARGETS.iter().map(|(target, _)| *target).collect();
        eprintln!("usage: cargo run -p fuzz-targets -- TARGET FILE...\ntargets: {}", names.join(", "));
        return ExitCode::FAILURE;
    };
    for path in arguments {
        let data = match std::fs::read(&path) {
            Ok(data) => data,
            Err(error) => {
                eprintln!("cannot read {path}: {error}");
                return ExitCode::FAILURE;
            }
        };
        println!("{path}: {} bytes", data.len());
        run(&data);
        println!("{path}: every law holds");
    }
    ExitCode::SUCCESS
}
