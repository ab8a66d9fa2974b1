//! `run`: claims slots, probes them, keeps the votes and delivers them, until a signal says stop.
//!
//! Three tasks share the work: the rounds here claim and probe, the recorder writes votes to the outbox, the delivery
//! takes them from there to the Worker. None waits for another: an outage of the Worker or of the disk stops no probe
//! that is under way.

mod rounds;
mod slot;
mod tally;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::address_guard::Guard;
use crate::client::Client;
use crate::config::RunConfig;
use crate::deliver::{Delivery, keep_delivering};
use crate::log::say;
use crate::outbox::{Keeper, Outbox};
use crate::record::{Recorder, keep_recording};
use crate::resolve::Names;
use crate::transport::{HostGaps, Tls, Vantage};
use crate::worker_clock::WorkerClock;
use rounds::Rounds;
use tally::Tally;

/// Probes that have not finished this long after the signal are abandoned.
const FINISH_PROBES: Duration = Duration::from_secs(8);
/// What is left of the ten seconds then goes to the disk.
const FINISH_RECORDING: Duration = Duration::from_secs(2);
/// The last delivery; what it leaves is delivered at the next start.
const LAST_DELIVERY: Duration = Duration::from_secs(5);

/// Sockets one probe may have open: addresses raced, and questions to the name server.
const FILES_A_PROBE: u64 = 6;
/// The outbox, the Worker, and what the system takes.
const FILES_BESIDE: u64 = 64;

/// Runs until a signal; 0 then, 1 where it cannot begin.
pub(crate) async fn run(config: RunConfig) -> ExitCode {
    match begin(config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            say(format_args!("error: {fault}"));
            ExitCode::FAILURE
        }
    }
}

/// SIGTERM and SIGINT; and SIGXFSZ, which would end the process where a file grows past its limit. Caught, it leaves
/// the write to fail as on a full disk, which is told and passes.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    _file_too_long: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            _file_too_long: signal(SignalKind::from_raw(libc::SIGXFSZ))?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

async fn begin(config: RunConfig) -> Result<(), String> {
    let signals = Signals::new().map_err(|error| format!("cannot listen for signals: {error}"))?;
    let files = FILES_BESIDE + FILES_A_PROBE * u64::from(config.concurrency);
    if rlimit::increase_nofile_limit(files).is_ok_and(|limit| limit < files) {
        say(format_args!(
            "this process may open fewer than {files} files: probes will fail for it (see `ulimit -n`)"
        ));
    }
    let names = Names::new(&config.name_servers)?;
    let clock = Arc::<WorkerClock>::default();
    let tls = Tls::new(config.trust.as_deref(), clock.clone())?;
    let (outbox, moved) = Outbox::open(&config.outbox).map_err(|fault| fault.to_string())?;
    if let Some(moved) = moved {
        say(moved);
    }
    let counts = outbox.counts().map_err(|fault| fault.to_string())?;
    let client =
        Arc::new(Client::new(config.worker.clone(), config.network.clone(), config.key, &tls, clock)?);
    let vantage =
        Arc::new(Vantage { names, tls, gaps: HostGaps::default(), guard: Guard::new(config.allow_private) });
    say(format_args!(
        "probing for {} as {} of network {}; {} votes wait in {}",
        config.worker,
        config.holder,
        config.network,
        counts.waiting,
        config.outbox.display()
    ));

    let keeper = Keeper::new(outbox, config.outbox);
    let tally = Arc::new(Tally::new(config.verbose));
    let wake = Arc::new(Notify::new());
    let (recorder, entries) = Recorder::new();
    let (stop, stopped) = watch::channel(false);
    let recording = tokio::spawn(keep_recording(entries, keeper.clone(), wake.clone(), recorder.stuck()));
    let delivery = Delivery::new(keeper.clone(), client.clone());
    let stored = tally.clone();
    let delivering =
        tokio::spawn(keep_delivering(delivery, wake, stopped, move |moved| stored.delivered(moved)));
    let rounds = Rounds::new(client, vantage, recorder, tally, config.holder, config.concurrency as usize);
    end(rounds, signals, Tasks { recording, delivering, stop, keeper }).await;
    Ok(())
}

/// The tasks beside the rounds.
struct Tasks {
    recording: tokio::task::JoinHandle<()>,
    delivering: tokio::task::JoinHandle<Delivery>,
    stop: watch::Sender<bool>,
    keeper: Keeper,
}

/// Runs the rounds until the first signal, then ends in order: probes, disk, delivery. A second signal ends the probes
/// at once.
async fn end(mut rounds: Rounds, mut signals: Signals, tasks: Tasks) {
    tokio::select! {
        () = rounds.go_on() => {}
        () = signals.next() => {}
    }
    say("stopping: no more work is taken; what runs has a few seconds to finish");
    let finished_by = Instant::now() + FINISH_PROBES;
    tokio::select! {
        abandoned = rounds.finish(finished_by) => {
            if abandoned > 0 {
                say(format_args!("{abandoned} slots were given up: probes that did not finish or had not begun"));
            }
        }
        () = signals.next() => say("stopping at once"),
    }
    // Ends the recorder's queue, and with it, once all is written, the recorder.
    drop(rounds);
    if timeout(FINISH_RECORDING, tasks.recording).await.is_err() {
        say("the outbox could not be written; the votes of the last probes are lost");
    }
    let _ = tasks.stop.send(true);
    let last_delivery = async {
        if let Ok(mut delivery) = tasks.delivering.await {
            let _ = delivery.all().await;
        }
    };
    let _ = timeout_at(Instant::now() + LAST_DELIVERY, last_delivery).await;
    match tasks.keeper.with(|outbox| outbox.counts()).await {
        Ok(counts) if counts.waiting > 0 => {
            say(format_args!("stopped; {} votes wait for the next start", counts.waiting));
        }
        Ok(_) => say("stopped; every vote is delivered"),
        Err(fault) => say(format_args!("stopped; {fault}")),
    }
}
