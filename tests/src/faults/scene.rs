//! A stand-in Worker, an outbox with votes in it, and a prober between them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use shared::schedule::minute_of;
use shared::vote::{Claim, Vote};

use crate::client::{KEY, NETWORK, VOTES, now_ms};
use crate::environment::Folder;
use crate::hostile::exchange::Exchange;
use crate::misbehaving_worker::{self, Act, MisbehavingWorker};
use crate::outbox::Outbox;
use crate::prober::Run;
use crate::process::{Running, free_port};
use crate::sample;

/// Whatever is waited for comes within this.
const PATIENCE: Duration = Duration::from_secs(40);

pub struct Scene {
    pub worker: MisbehavingWorker,
    pub outbox: Outbox,
    pub written: BTreeMap<(u32, u32), Vote>,
    pub folder: Folder,
}

/// A Worker that gives claims and answers 503 to votes.
///
/// # Errors
/// Where the client is gone.
pub fn takes_no_votes(exchange: &mut Exchange<'_>, scene: &misbehaving_worker::Scene) -> io::Result<()> {
    if exchange.request.target == VOTES { exchange.answer(503, &[], "") } else { scene.answer(exchange) }
}

/// An empty outbox as the prober makes it.
fn template() -> &'static Path {
    static MADE: OnceLock<(Folder, PathBuf)> = OnceLock::new();
    let (_, path) = MADE.get_or_init(|| {
        let folder = Folder::new("template");
        let worker = MisbehavingWorker::start(None);
        let outbox = Outbox::at(folder.join("outbox.sqlite"));
        let url = worker.url();
        let run = Run { worker: &url, network: NETWORK, key: KEY, outbox: outbox.path(), holder: "template" };
        let mut prober = run.start(&folder.join("log"));
        prober.wait_until("made its outbox", PATIENCE, || outbox.count().is_ok());
        prober.signal("TERM");
        prober.wait(PATIENCE);
        let path = outbox.path().to_owned();
        (folder, path)
    });
    path
}

/// Votes of the last days, all different.
#[must_use]
pub fn votes(count: u32) -> Vec<Vote> {
    let now = minute_of(now_ms());
    (0..count).map(|number| sample::vote(1 + number % 7, now - 60 - number)).collect()
}

impl Scene {
    /// With so many votes that wait.
    ///
    /// # Panics
    /// Where the outbox cannot be made.
    #[must_use]
    pub fn new(name: &str, waiting: u32, act: Option<Act>) -> Self {
        let folder = Folder::new(&format!("faults-{name}"));
        // In a folder of its own, whose rights may be taken away.
        let outbox = Outbox::at(folder.join("of-outbox").join("outbox.sqlite"));
        fs::create_dir(folder.join("of-outbox"))
            .and_then(|()| fs::copy(template(), outbox.path()))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let votes = votes(waiting);
        outbox.fill(&sample::batch(votes.clone()));
        let written = votes.into_iter().map(|vote| ((vote.listing, vote.slot), vote)).collect();
        Self { worker: MisbehavingWorker::start(act), outbox, written, folder }
    }

    /// Starts the prober; its log is a file of this name.
    #[must_use]
    pub fn start(&self, log: &str) -> Running {
        self.start_under(&[], log)
    }

    /// Starts the prober by a command that is given it.
    #[must_use]
    pub fn start_under(&self, command: &[String], log: &str) -> Running {
        let url = self.worker.url();
        let outbox = self.outbox.path();
        Run { worker: &url, network: NETWORK, key: KEY, outbox, holder: &log.replace(' ', "-") }
            .start_under(command, &self.folder.join(log))
    }

    /// Every file whose name begins with the outbox's, but for those that hold no votes: the lock, the index of the
    /// write-ahead file, and that file when it is empty.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let folder = self.folder.join("of-outbox");
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
        named
            .filter(|(name, path)| !name.ends_with(".lock") && !name.ends_with("-shm") && path.is_file())
            .map(|(name, path)| {
                (name, fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
            })
            .filter(|(name, bytes): &(String, Vec<u8>)| !(name.ends_with("-wal") && bytes.is_empty()))
            .collect()
    }

    /// The first line of the log with `part` in it, without what differs between two runs.
    #[must_use]
    pub fn told(&self, log: &str, part: &str) -> Option<String> {
        let (path, url) = (self.outbox.path().display().to_string(), self.worker.url());
        let line = line_with(log, part, &[(&path, "OUTBOX"), (&url, "http://worker")])?;
        Some(without_pages(&without_time(&line)))
    }

    /// Another prober's outbox in the same folder.
    #[must_use]
    pub fn beside(&self, name: &str) -> Beside {
        Beside(self.folder.join(name))
    }

    /// Offers slots of listings where nobody listens; gives their keys.
    pub fn offer(&self, first: u32, count: u32) -> Vec<(u32, u32)> {
        let now_ms = self.worker.honest().now_ms();
        let (slot, port) = (minute_of(now_ms), free_port());
        let claim = |listing: u32| Claim {
            listing,
            slug: format!("listing-{listing}"),
            url: format!("http://127.0.2.{}:{port}/mcp", listing % 250),
            slot,
            due_ms: now_ms,
            interval_minutes: 5,
            era: None,
            resource_metadata: None,
            authorization_server: None,
            end_session: true,
            known_shape: None,
        };
        let claims: Vec<Claim> = (first..first + count).map(claim).collect();
        let keys = claims.iter().map(|claim| (claim.listing, claim.slot)).collect();
        self.worker.honest().offer(claims);
        keys
    }

    /// Has a prober write so many more votes while the Worker takes none, and kills it: the write-ahead file has them.
    ///
    /// # Panics
    /// Where it writes none.
    pub fn write_and_kill(&mut self, count: u32) {
        let already = self.written.len();
        self.worker.behave(Some(takes_no_votes));
        let mut prober = self.start("killed");
        self.offer(800, count);
        prober.wait_until("wrote its votes", PATIENCE, || {
            self.outbox.count().is_ok_and(|waiting| waiting == already + count as usize)
        });
        // Then it pauses, and none of its requests is under way.
        let log = self.folder.join("killed");
        let refused = || fs::read_to_string(&log).is_ok_and(|log| log.contains("answered 503"));
        prober.wait_until("was refused", PATIENCE, refused);
        prober.kill();
        self.worker.behave(None);
    }

    /// What is wrong with the votes: every one that was written must wait, be stored or be set aside, and be stored as
    /// it was written.
    #[must_use]
    pub fn lost(&self) -> Vec<String> {
        let stored = self.worker.honest().stored();
        let waiting: BTreeMap<_, _> =
            self.outbox.waiting().into_iter().map(|vote| ((vote.listing, vote.slot), vote)).collect();
        let refused = self.outbox.rejected().len();
        let mut missing = 0;
        let mut findings = Vec::new();
        for (key, vote) in &self.written {
            match stored.get(key).or_else(|| waiting.get(key)) {
                None => missing += 1,
                Some(kept) if kept != vote => findings.push(format!("{key:?} is kept as another vote")),
                Some(_) => {}
            }
        }
        if missing != refused {
            findings.push(format!("{missing} votes are gone, {refused} of them are set aside"));
        }
        let contradicted = self.worker.honest().contradicted();
        if !contradicted.is_empty() {
            findings.push(format!("two different votes came for {contradicted:?}"));
        }
        findings
    }
}

/// The outbox of a second prober.
pub struct Beside(PathBuf);

impl Beside {
    /// Starts its prober.
    #[must_use]
    pub fn start(&self, url: &str, holder: &str, log: &Path) -> Running {
        Run { worker: url, network: NETWORK, key: KEY, outbox: &self.0, holder }.start(log)
    }
}

/// Waits until it holds; false where it does not in time.
pub fn comes(mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// The line without the pages that SQLite's check names: which it finds first depends on the votes.
fn without_pages(line: &str) -> String {
    let named = line.split_once("(*** ").and_then(|(before, rest)| Some((before, rest.split_once("). ")?.1)));
    named.map_or_else(|| line.to_owned(), |(before, after)| format!("{before}(what SQLite found). {after}"))
}

/// The number of seconds behind these words is the time of day.
const TIMED: [&str; 2] = [".damaged-", ".replaced-"];

/// The line without the times in names of files.
fn without_time(line: &str) -> String {
    TIMED.iter().fold(line.to_owned(), |line, word| {
        let mut parts = line.split(word);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |line, part| {
            format!("{line}{word}TIME{}", part.trim_start_matches(|c: char| c.is_ascii_digit()))
        })
    })
}

/// The first line with `part` in it, without what differs between two runs.
#[must_use]
pub fn line_with(log: &str, part: &str, differs: &[(&str, &str)]) -> Option<String> {
    let line = log.lines().find(|line| line.contains(part))?;
    Some(differs.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to)))
}
