//! Children in process groups of their own, none of which outlives this program, however it ends.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Runs the program it is given, and ends the whole group when its own input closes: when this test program lets go,
/// is interrupted, or is killed. SIGTERM, which the whole group gets, is for the program alone to act on. It
/// may end a `wait` just as the program ends: a last one tells its status, or 127 where an earlier one has told it.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
main=$!
{ trap '' TERM; cat <&3 >/dev/null; kill -KILL 0; } &
exec 3<&-
trap : TERM
wait $main
status=$?
while kill -0 $main 2>/dev/null; do
  wait $main
  status=$?
done
wait $main
last=$?
test $last -eq 127 || status=$last
exit $status
"#;
const POLL: Duration = Duration::from_millis(20);

/// A running child with all that it started; ended with SIGKILL when dropped.
#[derive(Debug)]
pub struct Running {
    name: String,
    keeper: Child,
    lifeline: Option<ChildStdin>,
    log: PathBuf,
}

/// A program with its arguments and environment.
#[derive(Debug, Clone)]
pub struct Program {
    program: PathBuf,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

impl Program {
    /// `program`, without arguments yet.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), variables: Vec::new(), folder: None }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_string_lossy().into_owned());
        self
    }

    /// With more arguments.
    #[must_use]
    pub fn args<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        self.arguments.extend(arguments.into_iter().map(str::to_owned));
        self
    }

    /// With a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.to_owned(), value.as_ref().to_string_lossy().into_owned()));
        self
    }

    /// Started by another program, which is given it as its last arguments.
    #[must_use]
    pub fn under(mut self, command: &[String]) -> Self {
        let Some((starter, arguments)) = command.split_first() else { return self };
        let program = std::mem::replace(&mut self.program, starter.into());
        let own = std::mem::take(&mut self.arguments);
        self.arguments = arguments.to_vec();
        self.arguments.push(program.to_string_lossy().into_owned());
        self.arguments.extend(own);
        self
    }

    /// In a working folder.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    fn prepare(&self, command: &mut Command) {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
    }

    /// Runs it to its end and returns its status, standard output and standard error.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn output(&self) -> (ExitStatus, String, String) {
        let mut command = Command::new(&self.program);
        self.prepare(command.args(&self.arguments).stdin(Stdio::null()));
        let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status, text(&output.stdout), text(&output.stderr))
    }

    /// Starts it with its output in `log`.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn start(&self, name: &str, log: &Path) -> Running {
        let output = File::create(log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let errors = output.try_clone().unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, name]).arg(&self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(output).stderr(errors).process_group(0);
        self.prepare(&mut command);
        let mut keeper = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        let lifeline = keeper.stdin.take();
        Running { name: name.to_owned(), keeper, lifeline, log: log.to_owned() }
    }
}

impl Running {
    /// Sends a signal to the child and all that it started.
    ///
    /// # Panics
    /// Where `kill` is missing.
    pub fn signal(&self, signal: &str) {
        let group = format!("-{}", self.keeper.id());
        let sent =
            Command::new("kill").args([&format!("-{signal}"), "--", &group]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill: {sent:?}");
    }

    /// Ends the child and all that it started with SIGKILL, and waits until they are gone.
    pub fn kill(&mut self) {
        let program = self.program_id();
        self.signal("KILL");
        self.lifeline = None;
        // The keeper is our child: it cannot be waited for twice, and nothing is left to do where it is gone.
        let _ = self.keeper.wait();
        // The program is not: it may still hold its files when the keeper is gone.
        while program.is_some_and(runs) {
            thread::sleep(POLL);
        }
    }

    /// The number of the program itself among the processes of this machine, where the system tells.
    #[must_use]
    pub fn program_id(&self) -> Option<u32> {
        let children = format!("/proc/{0}/task/{0}/children", self.keeper.id());
        let children = fs::read_to_string(children).ok()?;
        let is_program = |id: &&str| {
            let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            !name.trim().is_empty() && !matches!(name.trim(), "sh" | "cat")
        };
        children.split_whitespace().find(is_program)?.parse().ok()
    }

    /// The most memory the program has held so far, where the system tells.
    #[must_use]
    pub fn peak_kib(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.program_id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// Whether it ended, and how.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.keeper.try_wait().ok().flatten()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Where it still runs after `limit`.
    pub fn wait(&mut self, limit: Duration) -> ExitStatus {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            assert!(Instant::now() < deadline, "{} still runs after {limit:?}:\n{}", self.name, self.log());
            thread::sleep(POLL);
        }
    }

    /// What it printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until `ready` says yes.
    ///
    /// # Panics
    /// Where the child ends first or `limit` passes, with what it printed.
    pub fn wait_until(&mut self, what: &str, limit: Duration, mut ready: impl FnMut() -> bool) {
        let deadline = Instant::now() + limit;
        while !ready() {
            if let Some(status) = self.ended() {
                panic!("{} ended ({status}) before it {what}:\n{}", self.name, self.log());
            }
            assert!(Instant::now() < deadline, "{} not {what} after {limit:?}:\n{}", self.name, self.log());
            thread::sleep(POLL);
        }
    }
}

/// Whether a process is there and has not ended yet, where the system tells.
fn runs(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A port that nothing listens on now, another one each time.
///
/// # Panics
/// Where the machine has none.
#[must_use]
pub fn free_port() -> u16 {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = address.unwrap_or_else(|error| panic!("no free port: {error}")).port();
        if given.insert(port) {
            return port;
        }
    }
}

/// Whether something listens on a port of this machine.
#[must_use]
pub fn listens(port: u16) -> bool {
    let addresses = [(Ipv4Addr::LOCALHOST, port)];
    addresses.iter().any(|address| match std::net::TcpStream::connect(address) {
        Ok(_) => true,
        Err(error) => error.kind() != ErrorKind::ConnectionRefused,
    })
}
