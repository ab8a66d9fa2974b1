//! Child processes: each leads a process group of its own, and none outlives this program.
//!
//! Whatever ends this program ends them: the normal way out and Ctrl-C through `end`, a kill -9 through the
//! guard process. A group carries the grandchildren along (wrangler's workerd, a proxy's server).

pub(crate) mod guard;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Between SIGTERM and SIGKILL. The prober promises to be done within 10 s.
const GRACE: Duration = Duration::from_secs(12);
/// How often a waiting thread looks whether a child has ended.
const POLL: Duration = Duration::from_millis(20);

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());
static STOPPED_BY_SIGNAL: AtomicBool = AtomicBool::new(false);

/// A child that was started. Clones mean the same child.
#[derive(Clone)]
pub(crate) struct Running {
    name: String,
    group: Pid,
    child: Arc<Mutex<Child>>,
}

/// Starts the guard and the thread that answers signals. Called once, before any child.
///
/// # Errors
/// When either cannot be started.
pub(crate) fn begin() -> Result<()> {
    guard::start()?;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot watch for signals")?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if STOPPED_BY_SIGNAL.swap(true, Ordering::SeqCst) {
                stop_groups(Duration::ZERO);
                std::process::exit(128 + signal);
            }
            eprintln!("\nStopping (once more to stop at once)");
            thread::spawn(move || {
                stop_groups(GRACE);
                guard::dismiss();
                std::process::exit(128 + signal);
            });
        }
    });
    Ok(())
}

/// Ends every child and the guard. After a signal it only waits, as the signal's thread does the work.
pub(crate) fn end() {
    while STOPPED_BY_SIGNAL.load(Ordering::SeqCst) {
        thread::park();
    }
    stop_groups(GRACE);
    guard::dismiss();
}

/// Starts `command` in a group of its own, its output as the command says and no input.
///
/// # Errors
/// When the program cannot be started; one that is missing is named.
pub(crate) fn start(name: &str, command: &mut Command) -> Result<Running> {
    command.stdin(Stdio::null()).process_group(0);
    let child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            anyhow::anyhow!("`{}` is not installed or not on PATH", command.get_program().display())
        }
        _ => anyhow::anyhow!("cannot start {name}: {error}"),
    })?;
    let group = Pid::from_child(&child);
    guard::add(group);
    let running = Running { name: name.to_owned(), group, child: Arc::new(Mutex::new(child)) };
    lock(&RUNNING).push(running.clone());
    Ok(running)
}

/// Starts `command`. Each line of its output goes to the file `log`, and those that `show` accepts to the
/// terminal behind `name`.
///
/// # Errors
/// As `start`, or when the file cannot be written.
pub(crate) fn start_logged(
    name: &str,
    command: &mut Command,
    log: &Path,
    show: fn(&str) -> bool,
) -> Result<Running> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let file = Arc::new(file);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = start(name, command)?;
    let mut child = lock(&running.child);
    if let Some(stream) = child.stdout.take() {
        copy_lines(name, stream, Arc::clone(&file), show);
    }
    if let Some(stream) = child.stderr.take() {
        copy_lines(name, stream, file, show);
    }
    drop(child);
    Ok(running)
}

/// Runs `command` to its end.
///
/// # Errors
/// When it cannot be started or ends with anything but success.
pub(crate) fn run(name: &str, command: &mut Command) -> Result<()> {
    let status = start(name, command)?.wait()?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

/// Runs `command` to its end with all it says on stderr: stdout may be read by a program, such as a shell that
/// evaluates `cargo xtask env`.
///
/// # Errors
/// As `run`.
pub(crate) fn prepare(name: &str, command: &mut Command) -> Result<()> {
    run(name, command.stdout(std::io::stderr()))
}

/// Runs `command` and returns what it printed on stdout, without the last line end.
///
/// # Errors
/// When it cannot be started, fails, or prints what is not UTF-8.
pub(crate) fn read(name: &str, command: &mut Command) -> Result<String> {
    let running = start(name, command.stdout(Stdio::piped()))?;
    let stdout = lock(&running.child).stdout.take();
    let mut text = String::new();
    if let Some(mut stdout) = stdout {
        stdout.read_to_string(&mut text).with_context(|| format!("cannot read what {name} printed"))?;
    }
    let status = running.wait()?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(text.trim_end().to_owned())
}

impl Running {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How the child ended, or nothing while it runs.
    ///
    /// # Errors
    /// When the operating system cannot tell.
    pub(crate) fn status(&self) -> Result<Option<ExitStatus>> {
        lock(&self.child).try_wait().with_context(|| format!("cannot wait for {}", self.name))
    }

    /// Waits for the child's end, and then ends what is left of its group.
    fn wait(&self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.status()? {
                self.signal(Signal::KILL);
                self.forget();
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }

    fn signal(&self, signal: Signal) {
        // The only error is that the group is gone, which is what a signal here wants.
        let _ = kill_process_group(self.group, signal);
    }

    /// Whether any process of the group is left. Reaps the child itself, which would else count.
    fn is_alive(&self) -> bool {
        let _ = self.status();
        test_kill_process_group(self.group).is_ok()
    }

    fn forget(&self) {
        lock(&RUNNING).retain(|other| other.group != self.group);
        guard::remove(self.group);
    }
}

/// Ends the groups one after the other, the newest first: what was started later needs what was there before.
/// All together have `grace` to end by themselves; what is left is killed.
fn stop_groups(grace: Duration) {
    let groups = lock(&RUNNING).clone();
    let deadline = Instant::now() + grace;
    for running in groups.iter().rev() {
        running.signal(Signal::TERM);
        while running.is_alive() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        running.signal(Signal::KILL);
        running.forget();
    }
}

fn copy_lines(name: &str, stream: impl Read + Send + 'static, file: Arc<File>, show: fn(&str) -> bool) {
    let name = name.to_owned();
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            // A full disk costs the log, not the run.
            let _ = writeln!(&*file, "{line}");
            if !line.is_empty() && show(line) {
                println!("{name:>7} | {line}");
            }
        }
    });
}

/// A panic elsewhere must not keep the children from being ended.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
