//! Real MCP servers as npm and PyPI ship them, on free ports of this machine.

use std::path::Path;
use std::time::Duration;

use crate::environment::{Folder, Part};
use crate::process::{Program, Running, free_port, listens};

const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";
const MCP_PROXY: &str = "mcp-proxy/dist/bin/mcp-proxy.mjs";
const OAUTH_EXAMPLE: &str = "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js";
const START_LIMIT: Duration = Duration::from_secs(90);

/// A server that listens.
#[derive(Debug)]
pub struct Endpoint {
    running: Running,
    url: String,
    /// Where it runs and logs.
    _folder: Folder,
}

impl Endpoint {
    /// The URL of its MCP endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until its process has ended by itself.
    ///
    /// # Panics
    /// Where it still runs after `limit`.
    pub fn wait_for_end(&mut self, limit: Duration) {
        self.running.wait(limit);
    }

    fn start(name: &str, program: &Program, port: u16, path: &str) -> Self {
        let folder = Folder::new(name);
        let mut running = program.clone().current_dir(folder.join("")).start(name, &folder.join("log"));
        running.wait_until("listened", START_LIMIT, || listens(port));
        Self { running, url: format!("http://127.0.0.1:{port}{path}"), _folder: folder }
    }
}

/// A script of an npm package on the pinned Node.
fn script(path: &Path) -> Program {
    let node = Part::Node.path();
    let bin = node.parent().map(Path::to_owned).unwrap_or_default();
    let search = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    Program::new(node).arg(path).env("PATH", search)
}

/// A script of the installed npm packages, by its path below `node_modules`.
pub(crate) fn npm(path: &str) -> Program {
    script(&Part::NodeModules.path().join(path))
}

/// npm `@modelcontextprotocol/server-everything`: legacy, sessions, streams with a primer.
#[must_use]
pub fn everything() -> Endpoint {
    let port = free_port();
    let program = npm(EVERYTHING).arg("streamableHttp").env("PORT", port.to_string());
    Endpoint::start("everything", &program, port, "/mcp")
}

fn proxy(port: u16) -> Program {
    npm(MCP_PROXY).args(["--host", "127.0.0.1", "--port", &port.to_string(), "--server", "stream"])
}

/// What npm `mcp-proxy` puts on HTTP here: `server-everything` over standard input and output.
fn behind(program: Program) -> Program {
    program.arg("--").arg(Part::Node.path()).arg(Part::NodeModules.path().join(EVERYTHING)).arg("stdio")
}

/// npm `mcp-proxy`: both eras.
#[must_use]
pub fn dual_era_proxy() -> Endpoint {
    let port = free_port();
    Endpoint::start("mcp-proxy", &behind(proxy(port)), port, "/mcp")
}

/// npm `mcp-proxy` with an API key that nobody has.
#[must_use]
pub fn proxy_with_api_key() -> Endpoint {
    let port = free_port();
    let program = proxy(port).args(["--apiKey", "a-key-that-is-not-sent"]);
    Endpoint::start("mcp-proxy-api-key", &behind(program), port, "/mcp")
}

/// The TypeScript SDK's example with its OAuth demo server.
#[must_use]
pub fn oauth_example() -> Endpoint {
    let (port, auth_port) = (free_port(), free_port());
    let program = npm(OAUTH_EXAMPLE)
        .arg("--oauth")
        .env("MCP_PORT", port.to_string())
        .env("MCP_AUTH_PORT", auth_port.to_string());
    let mut endpoint = Endpoint::start("oauth-example", &program, port, "/mcp");
    endpoint.running.wait_until("listened for logins", START_LIMIT, || listens(auth_port));
    // Its documents name localhost, so a client must come by that name as well.
    endpoint.url = format!("http://localhost:{port}/mcp");
    endpoint
}

/// npm `@modelcontextprotocol/server` that refuses the legacy handshake.
#[must_use]
pub fn modern_only() -> Endpoint {
    let port = free_port();
    let glue = Path::new(env!("CARGO_MANIFEST_DIR")).join("endpoints/modern-only.mjs");
    let program = script(&glue).env("ISU_NPM", Part::NodeModules.path()).env("PORT", port.to_string());
    Endpoint::start("modern-only", &program, port, "/mcp")
}

/// The configuration by which `fastmcp run` puts another server on HTTP.
fn fastmcp_configuration() -> String {
    let command = Part::PythonOlder.path().join("mcp-server-time");
    let arguments = ["--local-timezone", "UTC"];
    serde_json::json!({"mcpServers": {"time": {"command": command, "args": arguments}}}).to_string()
}

/// PyPI `fastmcp`: both eras, CRLF line ends, before PyPI `mcp-server-time`.
///
/// # Panics
/// Where its configuration cannot be written.
#[must_use]
pub fn fastmcp() -> Endpoint {
    let port = free_port();
    let folder = Folder::new("fastmcp");
    let configuration = folder.join("mcp.json");
    std::fs::write(&configuration, fastmcp_configuration())
        .unwrap_or_else(|error| panic!("{}: {error}", configuration.display()));
    let program = Program::new(Part::PythonCurrent.path().join("fastmcp"))
        .arg("run")
        .arg(&configuration)
        .args(["--transport", "http", "--host", "127.0.0.1", "--port", &port.to_string(), "--no-banner"])
        .env("FASTMCP_CHECK_FOR_UPDATES", "off");
    // Read once, at the start.
    Endpoint::start("fastmcp", &program, port, "/mcp")
}

/// PyPI `mcp-proxy` 0.8.0 on `mcp` 1.9.4: wants `notifications/initialized`, redirects `/mcp`, dies on DELETE.
#[must_use]
pub fn older_python() -> Endpoint {
    let port = free_port();
    let bin = Part::PythonOlder.path();
    let program = Program::new(bin.join("mcp-proxy"))
        .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--"])
        .arg(bin.join("mcp-server-time"))
        .args(["--local-timezone", "UTC"]);
    Endpoint::start("older-python", &program, port, "/mcp")
}

/// A URL at which nothing listens.
#[must_use]
pub fn closed_port() -> String {
    format!("http://127.0.0.1:{}/mcp", free_port())
}
