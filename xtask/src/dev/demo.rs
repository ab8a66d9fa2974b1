//! The demo endpoints: other people's MCP servers as npm ships them, one of each kind of door, and a closed port.

use super::Local;
use super::ports::Ports;
use super::secrets::random_hex;
use crate::process::{self, Running};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use ureq::http::StatusCode;

const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";
const MCP_PROXY: &str = "mcp-proxy/dist/bin/mcp-proxy.mjs";
const OAUTH_EXAMPLE: &str = "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js";
/// They take 2 to 4 s to start together on two cores.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A listing of the demo.
pub(super) struct Endpoint {
    pub(super) slug: &'static str,
    pub(super) name: &'static str,
    pub(super) url: String,
    pub(super) what: &'static str,
}

pub(super) fn endpoints(ports: &Ports) -> [Endpoint; 4] {
    let url = |port: u16| format!("http://localhost:{port}/mcp");
    [
        Endpoint {
            slug: "demo-open",
            name: "Demo: open",
            url: url(ports.open),
            what: "server-everything, open",
        },
        Endpoint {
            slug: "demo-api-key",
            name: "Demo: API key",
            url: url(ports.gated),
            what: "mcp-proxy, wants an API key",
        },
        Endpoint {
            slug: "demo-oauth",
            name: "Demo: OAuth",
            url: url(ports.oauth),
            what: "the TypeScript SDK's example, wants an OAuth login",
        },
        Endpoint { slug: "demo-down", name: "Demo: down", url: url(ports.closed), what: "a closed port" },
    ]
}

/// Starts the servers, which then come up while the site does.
///
/// # Errors
/// When one of them cannot be started.
pub(super) fn start(local: &Local) -> Result<Vec<Running>> {
    let ports = &local.ports;
    let mut open = local.npm.script(EVERYTHING);
    open.arg("streamableHttp").env("PORT", ports.open.to_string());

    let mut gated = local.npm.script(MCP_PROXY);
    gated.args(["--host", "127.0.0.1", "--port", &ports.gated.to_string(), "--server", "stream"]);
    // Nobody ever gets in: the key is thrown away.
    gated.args(["--apiKey", &random_hex()?, "--"]);
    gated.arg(local.npm.node()).arg(local.npm.modules().join(EVERYTHING)).arg("stdio");

    let mut oauth = local.npm.script(OAUTH_EXAMPLE);
    oauth.arg("--oauth");
    oauth.env("MCP_PORT", ports.oauth.to_string()).env("MCP_AUTH_PORT", ports.oauth_login.to_string());

    let mut running = Vec::new();
    for (name, mut command) in [("demo-open", open), ("demo-api-key", gated), ("demo-oauth", oauth)] {
        running.push(process::start_logged(name, &mut command, &local.log(name), |_| false)?);
    }
    Ok(running)
}

/// Waits until each of the servers listens.
///
/// # Errors
/// When one of them ends, or takes too long.
pub(super) fn wait_until_up(local: &Local, running: &[Running]) -> Result<()> {
    let ports = &local.ports;
    for (server, port) in running.iter().zip([ports.open, ports.gated, ports.oauth]) {
        wait_until_listening(local, server, port)?;
    }
    Ok(())
}

fn wait_until_listening(local: &Local, server: &Running, port: u16) -> Result<()> {
    let log = local.log(server.name());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let deadline = Instant::now() + START_LIMIT;
    while TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err() {
        if let Some(status) = server.status()? {
            bail!("{} ended ({status}): see {}", server.name(), log.display());
        }
        if Instant::now() > deadline {
            bail!("{} does not listen on port {port}: see {}", server.name(), log.display());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Lists the endpoints on the local site. Those of an earlier run get the address of this one.
///
/// # Errors
/// When the site refuses one.
pub(super) fn add_listings(local: &Local) -> Result<()> {
    let listed = listed(local)?;
    for Endpoint { slug, name, url, .. } in endpoints(&local.ports) {
        let action = match listed.iter().find(|listing| listing.slug == slug) {
            Some(listing) if listing.url == url => continue,
            Some(_) => "edit",
            None => "add",
        };
        let change = serde_json::json!({ "action": action, "slug": slug, "name": name, "url": url });
        let request = ureq::post(admin_url(local)).header("authorization", bearer(local));
        let request = request.config().http_status_as_error(false).build();
        let mut answer = request.send_json(change).context("the site does not answer")?;
        // Somebody has edited this local site so that another listing has the address: theirs to do.
        if !answer.status().is_success() && answer.status() != StatusCode::CONFLICT {
            let said = answer.body_mut().read_to_string().unwrap_or_default();
            bail!("the site refuses the listing {slug} ({}): {said}", answer.status());
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Listings {
    listings: Vec<Listing>,
}

#[derive(Deserialize)]
struct Listing {
    slug: String,
    url: String,
}

/// The first page of listings behind the slug `demo`: all of ours are on it.
fn listed(local: &Local) -> Result<Vec<Listing>> {
    let request =
        ureq::get(format!("{}?after=demo", admin_url(local))).header("authorization", bearer(local));
    let mut answer = request.call().context("the site does not list its listings")?;
    let listings: Listings = answer.body_mut().read_json().context("the site's listings do not parse")?;
    Ok(listings.listings)
}

fn admin_url(local: &Local) -> String {
    format!("{}/api/admin/listings", local.ports.site_url())
}

fn bearer(local: &Local) -> String {
    format!("Bearer {}", local.secrets.admin_token)
}
