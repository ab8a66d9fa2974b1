//! The real prober, on one worker thread, with its outbox on the disk.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};

use super::cost::{peak_bytes, processor_seconds};
use super::desk::{Desk, KEY, NETWORK};
use crate::environment::Folder;

/// A running prober; killed when dropped.
pub struct Prober {
    child: Child,
    process: u32,
    log: PathBuf,
    _folder: Folder,
}

impl Prober {
    /// Starts `run` of this executable for the desk.
    ///
    /// # Errors
    /// A sentence, where it cannot be started.
    pub fn start(executable: &Path, desk: &Desk, concurrency: Option<u32>) -> Result<Self, String> {
        let folder = Folder::new("bench-prober");
        let log = folder.join("log");
        let messages = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Command::new(executable);
        command
            .args(["run", "--allow-private", "--network", NETWORK, "--worker"])
            .arg(format!("http://127.0.0.1:{}", desk.port))
            .arg("--outbox")
            .arg(folder.join("outbox.sqlite"))
            .args(concurrency.map(|most| format!("--concurrency={most}")))
            .env("ISU_KEY", KEY)
            .env("TOKIO_WORKER_THREADS", "1")
            .stdin(Stdio::null())
            .stderr(messages)
            .kill_on_drop(true);
        let child = command.spawn().map_err(|error| format!("{}: {error}", executable.display()))?;
        let process = child.id().ok_or("the prober ended at once")?;
        Ok(Self { child, process, log, _folder: folder })
    }

    /// Has so many slots probed and delivered; gives the processor time it took, in seconds.
    ///
    /// # Errors
    /// What the desk says, with what the prober said.
    pub async fn probe(&mut self, desk: &Desk, slots: u32, limit: Duration) -> Result<f64, String> {
        let before = processor_seconds(self.process)?;
        let ended = tokio::select! {
            done = desk.hand_out(slots, limit) => done,
            status = self.child.wait() => Err(format!("the prober ended: {status:?}")),
        };
        ended.map_err(|fault| {
            format!("{fault}\n{}", std::fs::read_to_string(&self.log).unwrap_or_default())
        })?;
        Ok(processor_seconds(self.process)? - before)
    }

    /// The most memory it held so far, in bytes.
    ///
    /// # Errors
    /// Where Linux cannot tell.
    pub fn peak_bytes(&self) -> Result<u64, String> {
        peak_bytes(self.process)
    }
}
