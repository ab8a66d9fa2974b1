//! A stand-in Worker, an outbox with votes in it, and a prober between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use shared::schedule::minute_of;
use shared::vote::{Claim, Vote};

use crate::client::{KEY, NETWORK, now_ms};
use crate::environment::Folder;
use crate::misbehaving_worker::{Act, MisbehavingWorker};
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
        let outbox = Outbox::at(folder.join("outbox.sqlite"));
        fs::copy(template(), outbox.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let votes = votes(waiting);
        outbox.fill(&sample::batch(votes.clone()));
        let written = votes.into_iter().map(|vote| ((vote.listing, vote.slot), vote)).collect();
        Self { worker: MisbehavingWorker::start(act), outbox, written, folder }
    }

    /// Starts the prober; its log is a file of this name.
    #[must_use]
    pub fn start(&self, log: &str) -> Running {
        let url = self.worker.url();
        let outbox = self.outbox.path();
        Run { worker: &url, network: NETWORK, key: KEY, outbox, holder: &log.replace(' ', "-") }
            .start(&self.folder.join(log))
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

/// The first line with `part` in it, without what differs between two runs.
#[must_use]
pub fn line_with(log: &str, part: &str, differs: &[(&str, &str)]) -> Option<String> {
    let line = log.lines().find(|line| line.contains(part))?;
    Some(differs.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to)))
}
