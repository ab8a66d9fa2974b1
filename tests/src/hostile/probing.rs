//! Runs the real prober's code against behaviours, each in a process of its own, many at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::verdict::ProbeReport;

use super::behaviour::Behaviour;
use super::request::Request;
use super::server::Server;
use crate::process::Program;

/// How much faster than published the deadlines run where only a deadline ends a behaviour.
const HASTE: u32 = 20;
/// The same over TLS, whose handshake takes a build without optimization long where the machine is busy.
const HASTE_OVER_TLS: u32 = 6;
/// Probes at once. Most of them wait.
const AT_ONCE: usize = 8;

/// What the program `hasty-probe` tells of one probe.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// What `probe` prints.
    pub story: String,
    /// What `probe --json` prints.
    pub printed: String,
    /// What would be sent to the Worker.
    pub vote: Value,
    /// And the names of the tools with it.
    pub tools: Vec<String>,
    /// The most memory the process held, where the system tells.
    pub peak_kib: Option<u64>,
}

/// One behaviour, probed.
#[derive(Debug)]
pub struct Probed {
    pub name: String,
    pub url: String,
    pub report: ProbeReport,
    pub told: Told,
    /// What the server was asked.
    pub asked: Vec<Request>,
    /// It connected to where no probe may go.
    pub strayed: bool,
}

/// The most memory this process has held so far, where the system tells.
#[must_use]
pub fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Probes every behaviour with the program at `hasty_probe`, in the order given.
///
/// # Panics
/// Where a behaviour cannot be served or the program fails.
#[must_use]
pub fn probe_all(behaviours: &[Behaviour], hasty_probe: &Path) -> Vec<Probed> {
    many_at_once(behaviours, |behaviour| probe(behaviour, hasty_probe))
}

/// Does this for every item, many at once; gives what came of it in the order of the items.
///
/// # Panics
/// Where `work` does.
pub fn many_at_once<I: Sync, O: Send>(items: &[I], work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { return };
                    let outcome = work(item);
                    done.lock().unwrap().push((number, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

fn probe(behaviour: &Behaviour, hasty_probe: &Path) -> Probed {
    let name = &behaviour.name;
    let server = Server::of(behaviour, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
    let url = server.url(behaviour);
    let haste = match (behaviour.waits, behaviour.scene.secure) {
        (false, _) => 1,
        (true, false) => HASTE,
        (true, true) => HASTE_OVER_TLS,
    };
    let program =
        Program::new(PathBuf::from(hasty_probe)).args([url.as_str(), "--haste", &haste.to_string()]);
    let program = server.options(behaviour).iter().fold(program, Program::arg);
    let (status, output, errors) = program.output();
    assert!(status.success(), "{name}: the probe failed, {status}\n{output}\n{errors}");
    let told: Told =
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{name}: {error}: {output}"));
    let report = serde_json::from_str(&told.printed).unwrap_or_else(|error| panic!("{name}: {error}"));
    let strayed = server.is_trap_sprung().unwrap_or_else(|error| panic!("{name}: {error}"));
    Probed { name: name.clone(), url, report, told, asked: server.asked(), strayed }
}
