//! The prober as a process: what it writes to its outbox survives an outage of the Worker and a kill, and gets there
//! once; a signal ends it in time and in good order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shared::vote::{Claim, ClaimAnswer, VoteAnswers, VoteBatch, VoteResult, VoteStatus};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "0123456789abcdef0123456789abcdef";
const SLOTS: u32 = 40;

/// The few lines of a Worker that this needs: it hands out slots once and remembers which votes arrived how often.
#[derive(Default)]
struct Worker {
    offered: bool,
    takes_votes: bool,
    arrived: BTreeMap<(u32, u32), u32>,
}

impl Worker {
    fn now_ms() -> i64 {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(now.as_millis()).unwrap()
    }

    fn answer(&mut self, path: &str, body: &str, target: &str) -> (u16, String) {
        if path == "/api/v2/claims" {
            let claims = if std::mem::replace(&mut self.offered, true) { Vec::new() } else { claims(target) };
            let answer = ClaimAnswer { now_ms: Self::now_ms(), claims, held_elsewhere: 0, next_ms: 1_000 };
            return (200, serde_json::to_string(&answer).unwrap());
        }
        if !self.takes_votes {
            return (503, "the Worker is out".into());
        }
        let batch: VoteBatch = shared::reading::document(body.as_bytes()).unwrap();
        let results = batch.votes.iter().map(|vote| {
            *self.arrived.entry((vote.listing, vote.slot)).or_default() += 1;
            VoteResult { listing: vote.listing, slot: vote.slot, status: VoteStatus::Accepted, reason: None }
        });
        (200, serde_json::to_string(&VoteAnswers { results: results.collect() }).unwrap())
    }
}

/// Slots of listings under names that all lead to this machine, so that no host gap holds them up.
fn claims(target: &str) -> Vec<Claim> {
    let now_ms = Worker::now_ms();
    let slot = u32::try_from(now_ms / 60_000).unwrap();
    let claim = |listing: u32| Claim {
        listing,
        slug: format!("listing-{listing}"),
        url: format!("http://127.0.1.{listing}:{target}/mcp"),
        slot,
        due_ms: now_ms,
        interval_minutes: 5,
        era: None,
        resource_metadata: None,
        authorization_server: None,
        end_session: true,
        known_shape: None,
    };
    (1..=SLOTS).map(claim).collect()
}

async fn serve(mut stream: TcpStream, worker: Arc<Mutex<Worker>>, target: String) {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 65_536];
    while let Ok(length) = stream.read(&mut piece).await {
        if length == 0 {
            return;
        }
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let wanted = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length: ")
                .and_then(|value| value.parse::<usize>().ok())
        });
        if body.len() < wanted.unwrap_or(0) {
            continue;
        }
        let path = head.split(' ').nth(1).unwrap();
        let (status, answer) = worker.lock().unwrap().answer(path, body, &target);
        let reply = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
        if stream.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
        bytes.clear();
    }
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("isitstillup-process-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running prober, killed at the end whatever happens.
struct Prober(Child);

impl Prober {
    fn start(worker: &str, outbox: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_isitstillup-prober"));
        command
            .args(["run", "--worker", worker, "--network", "native", "--allow-private", "--outbox"])
            .arg(outbox);
        Self(command.env("ISU_KEY", KEY).spawn().unwrap())
    }

    fn terminate(&self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    async fn end(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Prober {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Votes committed to the file, as another process sees them.
fn waiting(outbox: &Path) -> u32 {
    let count = || {
        let connection =
            rusqlite::Connection::open_with_flags(outbox, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.query_row("SELECT count(*) FROM votes", [], |row| row.get(0))
    };
    count().unwrap_or(0)
}

struct Scene {
    worker: Arc<Mutex<Worker>>,
    url: String,
    folder: Folder,
}

impl Scene {
    /// `target`: the port on which the probed addresses listen, or do not.
    async fn new(name: &str, target: u16) -> Self {
        let worker = Arc::new(Mutex::new(Worker::default()));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = worker.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone(), target.to_string()));
            }
        });
        Self { worker, url, folder: Folder::new(name) }
    }

    fn outbox(&self) -> PathBuf {
        self.folder.0.join("outbox.sqlite")
    }
}

/// A port nobody listens on, on any loopback address.
async fn closed_port() -> u16 {
    TcpListener::bind(("0.0.0.0", 0)).await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn votes_written_during_an_outage_survive_a_kill_and_arrive_once() {
    let scene = Scene::new("kill", closed_port().await).await;
    let mut prober = Prober::start(&scene.url, &scene.outbox());
    eventually("every slot is probed and written", || waiting(&scene.outbox()) == SLOTS).await;
    prober.0.kill().unwrap();
    prober.0.wait().unwrap();

    scene.worker.lock().unwrap().takes_votes = true;
    let mut prober = Prober::start(&scene.url, &scene.outbox());
    eventually("the outbox is empty", || waiting(&scene.outbox()) == 0).await;
    let arrived = scene.worker.lock().unwrap().arrived.clone();
    assert_eq!(arrived.len(), SLOTS as usize);
    assert!(arrived.values().all(|times| *times == 1), "{arrived:?}");
    prober.terminate();
    assert!(prober.end().await.success());
}

#[tokio::test]
async fn a_signal_abandons_probes_that_hang_and_ends_in_ten_seconds() {
    // Accepts connections and never says a word.
    let silent = TcpListener::bind(("0.0.0.0", 0)).await.unwrap();
    let scene = Scene::new("signal", silent.local_addr().unwrap().port()).await;
    scene.worker.lock().unwrap().takes_votes = true;
    let mut prober = Prober::start(&scene.url, &scene.outbox());
    let mut held = Vec::new();
    for _ in 0..SLOTS {
        held.push(silent.accept().await.unwrap());
    }
    let told = Instant::now();
    prober.terminate();
    assert!(prober.end().await.success());
    assert!(told.elapsed() < Duration::from_secs(12), "took {:?}", told.elapsed());
    assert_eq!(waiting(&scene.outbox()), 0);
}

#[tokio::test]
async fn a_second_process_does_not_touch_the_outbox() {
    let scene = Scene::new("second", closed_port().await).await;
    let _first = Prober::start(&scene.url, &scene.outbox());
    eventually("the first has begun", || waiting(&scene.outbox()) == SLOTS).await;
    let mut second = Prober::start(&scene.url, &scene.outbox());
    assert_eq!(second.end().await.code(), Some(1));
    assert_eq!(waiting(&scene.outbox()), SLOTS);
}
