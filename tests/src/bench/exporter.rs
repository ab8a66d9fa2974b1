//! Debian's `prometheus-blackbox-exporter` on one processor, asked as Prometheus asks it: over connections that are kept.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::json;
use shared::outcome::Era;
use shared::probe;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::cost::processor_seconds;
use super::{hosts, serving};
use crate::environment::Folder;
use crate::process::{Program, free_port};

/// Clients that each ask one question at a time: enough to have it always busy.
const CLIENTS: u32 = 16;
/// What it says of a probe that found what its module asks for.
const SUCCESS: &[u8] = b"\nprobe_success 1\n";
/// For it to listen.
const START: Duration = Duration::from_secs(10);

/// A running exporter; killed when dropped.
pub struct Exporter {
    _child: Child,
    process: u32,
    port: u16,
    asked: u32,
    _folder: Folder,
}

impl Exporter {
    /// What it says of its version.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn version(executable: &Path) -> String {
        let (_, output, errors) = Program::new(executable).arg("--version").output();
        let text = if output.is_empty() { errors } else { output };
        text.lines().next().unwrap_or("").to_owned()
    }

    /// Starts it with a module that posts `initialize`, as the prober does, and looks for the answer to it.
    ///
    /// # Errors
    /// A sentence, where it cannot be started or does not listen.
    pub async fn start(executable: &Path) -> Result<Self, String> {
        let folder = Folder::new("bench-exporter");
        let configuration = folder.join("modules.yml");
        fs::write(&configuration, module()?)
            .map_err(|error| format!("{}: {error}", configuration.display()))?;
        let port = free_port();
        let mut command = Command::new(executable);
        command
            .arg(format!("--config.file={}", configuration.display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=error")
            .env("GOMAXPROCS", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        let child = command.spawn().map_err(|error| format!("{}: {error}", executable.display()))?;
        let process = child.id().ok_or("the exporter ended at once")?;
        let deadline = Instant::now() + START;
        while connect(port).await.is_err() {
            if Instant::now() > deadline {
                return Err(format!("the exporter does not listen after {START:?}"));
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(Self { _child: child, process, port, asked: 0, _folder: folder })
    }

    /// Has it probe the target at this port so many times; gives the processor time it took, in seconds.
    ///
    /// # Errors
    /// A probe that is no success, or that took longer than `limit` with the others.
    pub async fn probe(&mut self, target_port: u16, probes: u32, limit: Duration) -> Result<f64, String> {
        let first = self.asked;
        self.asked += probes;
        let next = Arc::new(AtomicU32::new(first));
        let before = processor_seconds(self.process)?;
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            clients.spawn(ask(self.port, target_port, next.clone(), first + probes));
        }
        let all = async {
            while let Some(ended) = clients.join_next().await {
                ended.map_err(|error| error.to_string())??;
            }
            Ok(())
        };
        timeout(limit, all)
            .await
            .unwrap_or_else(|_| Err(format!("{probes} probes took longer than {limit:?}")))?;
        Ok(processor_seconds(self.process)? - before)
    }
}

/// One client: asks for the next probe until all are done.
async fn ask(port: u16, target_port: u16, next: Arc<AtomicU32>, end: u32) -> Result<(), String> {
    let mut connection = connect(port).await?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= end {
            return Ok(());
        }
        let target = hosts::url(number, target_port);
        let target = target.replace(':', "%3A").replace('/', "%2F");
        let uri: Uri = format!("/probe?module=mcp&target={target}")
            .parse()
            .map_err(|error| format!("{target}: {error}"))?;
        let mut request = Request::new(Empty::<Bytes>::new());
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::HOST, header::HeaderValue::from_static("127.0.0.1"));
        let asked = connection.send_request(request).await;
        let response = asked.map_err(|error| format!("the exporter does not answer: {error}"))?;
        let body = serving::whole(response.into_body()).await;
        if !body.windows(SUCCESS.len()).any(|piece| piece == SUCCESS) {
            return Err(format!(
                "the exporter calls {target} no success:\n{}",
                String::from_utf8_lossy(&body)
            ));
        }
    }
}

async fn connect(port: u16) -> Result<SendRequest<Empty<Bytes>>, String> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(|error| error.to_string())?;
    let _ = stream.set_nodelay(true);
    let (client, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    tokio::spawn(connection);
    Ok(client)
}

/// The configuration: YAML reads JSON.
fn module() -> Result<String, String> {
    let endpoint = Url::parse("http://127.0.0.1/mcp").map_err(|error| error.to_string())?;
    let (headers, body) = probe::opening(&endpoint, Era::Legacy, 1);
    let headers: serde_json::Map<_, _> =
        headers.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    let http = json!({
        "method": "POST",
        "headers": headers,
        "body": body,
        "preferred_ip_protocol": "ip4",
        "fail_if_body_not_matches_regexp": ["\"protocolVersion\""],
    });
    Ok(json!({"modules": {"mcp": {"prober": "http", "timeout": "10s", "http": http}}}).to_string())
}
