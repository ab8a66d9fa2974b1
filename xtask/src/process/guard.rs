//! The guard: a second process of this program that ends the children when the first one is killed.
//!
//! It reads the groups to watch from a pipe, one `+N` or `-N` a line. The pipe closes whatever way the first
//! process ends, so kill -9 needs no handler.

use super::lock;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Shorter than the grace of an ordered stop: nobody is left who waits for the children's work.
const GRACE: Duration = Duration::from_secs(5);

static GUARD: Mutex<Option<Child>> = Mutex::new(None);

/// # Errors
/// When this program cannot be started a second time.
pub(super) fn start() -> Result<()> {
    let program = std::env::current_exe().context("cannot tell this program's own path")?;
    let child = Command::new(program)
        .arg("guard")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .context("cannot start the guard process")?;
    *lock(&GUARD) = Some(child);
    Ok(())
}

pub(super) fn add(group: Pid) {
    tell('+', group);
}

pub(super) fn remove(group: Pid) {
    tell('-', group);
}

/// Closes the pipe and waits for the guard's end.
pub(super) fn dismiss() {
    if let Some(mut child) = lock(&GUARD).take() {
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

fn tell(sign: char, group: Pid) {
    if let Some(stdin) = lock(&GUARD).as_mut().and_then(|child| child.stdin.as_mut()) {
        // A guard that is gone cannot help; the ordered ways out still work.
        let _ = writeln!(stdin, "{sign}{}", group.as_raw_pid());
    }
}

/// The guard's own life: note the groups until the pipe closes, then end those that are left.
pub(crate) fn watch() {
    let mut groups = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (sign, number) = line.split_at_checked(1).unwrap_or_default();
        if let Some(group) = number.parse().ok().and_then(Pid::from_raw) {
            match sign {
                "+" => groups.insert(group.as_raw_pid()),
                _ => groups.remove(&group.as_raw_pid()),
            };
        }
    }
    let groups: Vec<Pid> = groups.into_iter().filter_map(Pid::from_raw).collect();
    for group in &groups {
        let _ = kill_process_group(*group, Signal::TERM);
    }
    let deadline = Instant::now() + GRACE;
    while groups.iter().any(|group| test_kill_process_group(*group).is_ok()) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
    }
    for group in &groups {
        let _ = kill_process_group(*group, Signal::KILL);
    }
}
