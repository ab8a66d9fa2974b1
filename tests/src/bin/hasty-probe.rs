//! One probe by the prober's own code, at shorter deadlines where asked, with everything it would print, send and
//! keep, and what it took of memory: one JSON object on stdout, for the tests of hostile endpoints.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use isitstillup_prober::by_hand::{ByHand, write_json};
use isitstillup_tests::hostile::probing::{Told, peak_kib};
use shared::probe::Deadlines;
use shared::vote::Vote;

/// Probes a URL of this machine and tells everything about it.
#[derive(Parser)]
struct Arguments {
    url: String,
    /// How much shorter than published the deadlines are.
    #[arg(long, default_value_t = 1)]
    haste: u32,
    /// As of the prober.
    #[arg(long)]
    allow_private: bool,
    #[arg(long)]
    nameserver: Vec<SocketAddr>,
    /// A PEM file with further certificate authorities to trust.
    #[arg(long)]
    trust: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<(), String> {
    let arguments = Arguments::parse();
    let by_hand = ByHand::new(&arguments.url, arguments.allow_private, arguments.trust.as_deref())?
        .with_name_servers(&arguments.nameserver)?
        .with_deadlines(Deadlines::divided_by(arguments.haste));
    let mut story = Vec::new();
    let verdict = by_hand.explain(&mut story, None).await;
    let mut printed = Vec::new();
    write_json(&mut printed, &verdict.report()).map_err(|error| error.to_string())?;
    let told = Told {
        story: String::from_utf8(story).map_err(|error| error.to_string())?,
        printed: String::from_utf8(printed).map_err(|error| error.to_string())?,
        vote: serde_json::to_value(Vote::new(1, 1, 0, None, &verdict)).map_err(|error| error.to_string())?,
        tools: verdict.tools.iter().flat_map(|seen| seen.shape.names()).map(str::to_owned).collect(),
        peak_kib: peak_kib(),
    };
    println!("{}", serde_json::to_string(&told).map_err(|error| error.to_string())?);
    Ok(())
}
