//! Measures what a probe of the release prober costs beside Debian's `prometheus-blackbox-exporter`, in rounds that
//! alternate, and holds the measures against their limits. `cargo xtask bench prober` prepares what it needs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use isitstillup_tests::bench::cost::{Spread, load};
use isitstillup_tests::bench::target::TOOLS;
use isitstillup_tests::bench::{Desk, Exporter, Prober, Target};

/// The least that the exporter's processor time for a probe is to be of ours.
const RATIO_LIMIT: f64 = 2.0;
/// The same for one HTTP request.
const PER_REQUEST_LIMIT: f64 = 5.0;
/// Probes in flight at a time when memory is measured: the most that the prober can be set to.
const IN_FLIGHT: u32 = 1_000;
/// Megabytes of 1,000,000 bytes that the prober may hold then.
const MEMORY_LIMIT_MB: f64 = 128.0;
/// Probes before the first measured round: memory, caches and the store of shapes are then as in a long run.
const WARM_UP: u32 = 4_000;
/// For one round; a busy machine takes its time.
const ROUND: Duration = Duration::from_secs(120);

/// Measures processor time and memory of the prober beside Debian's prometheus-blackbox-exporter.
#[derive(Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// The prober's executable, a release build.
    #[arg(long, value_name = "PATH")]
    prober: PathBuf,
    /// The exporter's executable.
    #[arg(long, value_name = "PATH")]
    exporter: PathBuf,
    /// Rounds of each; they alternate.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Probes in a round of each.
    #[arg(long, default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    probes: u32,
}

/// What was measured.
struct Measured {
    ratio: f64,
    per_request: f64,
    rss_mb: f64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match measure(&arguments).await {
        Ok(measured) => judge(&measured),
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(arguments: &Arguments) -> Result<Measured, String> {
    // The target serves a connection to each probe in flight.
    rlimit::increase_nofile_limit(u64::from(IN_FLIGHT) * 4).map_err(|error| error.to_string())?;
    println!("beside {}", Exporter::version(&arguments.exporter));
    println!("one target of {TOOLS} tools; load of the machine before: {}", load());
    let (ours, theirs, requests) = rounds(arguments).await?;
    println!("load of the machine after: {}", load());
    let rss_mb = memory(arguments).await?;
    let ratio = theirs.median / ours.median;
    Ok(Measured { ratio, per_request: ratio * requests, rss_mb })
}

/// Milliseconds of processor time for a probe of the prober and of the exporter, and requests in a probe of the prober.
async fn rounds(arguments: &Arguments) -> Result<(Spread, Spread, f64), String> {
    let target = Target::start()?;
    let desk = Desk::open(target.port)?;
    let mut prober = Prober::start(&arguments.prober, &desk, None)?;
    let mut exporter = Exporter::start(&arguments.exporter).await?;
    prober.probe(&desk, WARM_UP, ROUND).await?;
    exporter.probe(target.port, WARM_UP, ROUND).await?;
    let probes = arguments.probes;
    let milliseconds = |seconds: f64| seconds * 1_000.0 / f64::from(probes);
    let (mut ours, mut theirs, mut requests) = (Vec::new(), Vec::new(), 0);
    for round in 1..=arguments.rounds {
        let before = target.requests();
        ours.push(milliseconds(prober.probe(&desk, probes, ROUND).await?));
        requests += target.requests() - before;
        let before = target.requests();
        theirs.push(milliseconds(exporter.probe(target.port, probes, ROUND).await?));
        let asked = target.requests() - before;
        if asked != u64::from(probes) {
            return Err(format!("the exporter made {asked} requests for {probes} probes"));
        }
        if let ([.., ours], [.., theirs]) = (&ours[..], &theirs[..]) {
            println!("round {round}: prober {ours:.3} ms a probe, exporter {theirs:.3} ms a probe");
        }
    }
    let requests = requests as f64 / f64::from(probes) / f64::from(arguments.rounds);
    let spread = |values: &[f64]| Spread::of(values).ok_or("no round was run");
    let (ours, theirs) = (spread(&ours)?, spread(&theirs)?);
    tell("prober", ours, requests);
    tell("exporter", theirs, 1.0);
    Ok((ours, theirs, requests))
}

fn tell(name: &str, spread: Spread, requests: f64) {
    let Spread { median, least, most } = spread;
    println!(
        "{name}: median {median:.3} ms of processor time a probe of {requests:.2} requests ({least:.3} to {most:.3}), \
         {:.0} probes a second of one core",
        1_000.0 / median
    );
}

/// Megabytes held at most with as many probes in flight as there may be.
async fn memory(arguments: &Arguments) -> Result<f64, String> {
    let target = Target::start()?;
    let desk = Desk::open(target.port)?;
    let mut prober = Prober::start(&arguments.prober, &desk, Some(IN_FLIGHT))?;
    target.hold(IN_FLIGHT);
    prober.probe(&desk, IN_FLIGHT, ROUND).await?;
    let megabytes = prober.peak_bytes()? as f64 / 1e6;
    println!("{IN_FLIGHT} probes in flight, all waiting for their last answer: {megabytes:.1} MB");
    Ok(megabytes)
}

/// The last line, and whether a limit is missed.
fn judge(measured: &Measured) -> ExitCode {
    let Measured { ratio, per_request, rss_mb } = *measured;
    println!("prober ratio={ratio:.2} per_request={per_request:.2} rss_mb={rss_mb:.1}");
    let mut missed = Vec::new();
    if ratio < RATIO_LIMIT {
        missed.push(format!("{ratio:.2} times the exporter's probes, {RATIO_LIMIT} is the least"));
    }
    if per_request < PER_REQUEST_LIMIT {
        missed.push(format!(
            "{per_request:.2} times the exporter's requests, {PER_REQUEST_LIMIT} is the least"
        ));
    }
    if rss_mb > MEMORY_LIMIT_MB {
        missed
            .push(format!("{rss_mb:.1} MB with {IN_FLIGHT} probes in flight, {MEMORY_LIMIT_MB} is the most"));
    }
    if missed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: the prober misses its limits: {}", missed.join("; "));
    ExitCode::FAILURE
}
