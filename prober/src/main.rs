//! The program; all it does is in the library.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    isitstillup_prober::command_line().await
}
