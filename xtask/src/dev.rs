//! `cargo xtask dev`: the whole product on this machine, until Ctrl-C.

mod cron;
mod demo;
mod ports;
mod secrets;
mod site;
mod wrangler_config;

use crate::cache::Cache;
use crate::prepare;
use crate::process::{self, Running};
use crate::tools::npm::Npm;
use crate::worker_build::{Profile, WORKER};
use crate::workspace::target_dir;
use anyhow::{Context, Result, bail};
use clap::Args;
use ports::Ports;
use secrets::Secrets;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;
use wrangler_config::WranglerConfig;

#[derive(Args)]
pub(crate) struct DevOptions {
    /// The site's port. The demo endpoints take the five ports behind it.
    #[arg(long, default_value_t = 8787, value_parser = clap::value_parser!(u16).range(1024..=65530))]
    port: u16,
    /// Start without the demo endpoints: nothing is listed, and nothing probed, but what you add.
    #[arg(long)]
    no_demo: bool,
    /// Build as for deployment: slower to build, and what the numbers should be taken from.
    #[arg(long)]
    release: bool,
}

/// What every part of a local run needs to know.
struct Local {
    ports: Ports,
    config: WranglerConfig,
    secrets: Secrets,
    npm: Npm,
    /// Database, outbox, secrets and logs: kept from run to run, outside git.
    folder: PathBuf,
}

impl Local {
    fn log(&self, name: &str) -> PathBuf {
        self.folder.join("logs").join(format!("{name}.log"))
    }
}

/// Runs until Ctrl-C, or until one of the parts ends.
///
/// # Errors
/// When something is missing, a port is taken, or a part fails.
pub(crate) fn run(options: &DevOptions) -> Result<()> {
    let ports = Ports::behind(options.port);
    ports.check_free(!options.no_demo)?;
    let cache = Cache::open()?;
    let npm = Npm::install(&cache)?;
    let profile = if options.release { Profile::Production } else { Profile::Development };
    WORKER.build(&cache, &npm, profile)?;
    let prober = prepare::build_prober(options.release)?;

    let folder = target_dir().join("dev");
    fs::create_dir_all(folder.join("logs")).with_context(|| format!("cannot write {}", folder.display()))?;
    let config = WranglerConfig::read()?;
    let secrets = Secrets::load_or_create(&folder, &config.first_network()?)?;
    let local = Local { ports, config, secrets, npm, folder };

    let mut parts = if options.no_demo { Vec::new() } else { demo::start(&local)? };
    let site = site::start(&local)?;
    cron::tick_each_minute(&local);
    if !options.no_demo {
        demo::wait_until_up(&local, &parts)?;
        demo::add_listings(&local)?;
    }
    parts.push(site);
    parts.push(start_prober(&local, prober)?);
    announce(&local, options);
    watch(&local, &parts)
}

fn start_prober(local: &Local, prober: PathBuf) -> Result<Running> {
    let mut command = Command::new(prober);
    command.args(["run", "--allow-private", "--worker", &local.ports.site_url()]);
    command.args(["--network", &local.secrets.network, "--outbox"]).arg(local.folder.join("outbox.sqlite"));
    command.env("ISU_KEY", &local.secrets.network_key);
    process::start_logged("prober", &mut command, &local.log("prober"), |_| true)
}

fn announce(local: &Local, options: &DevOptions) {
    println!("\n  IsItStillUp runs at {}/\n", local.ports.site_url());
    if !options.no_demo {
        for demo in demo::endpoints(&local.ports) {
            println!("  {:<18} {}  ({})", demo.slug, demo.url, demo.what);
        }
    }
    println!("  The admin token is in {}", local.secrets.file.display());
    println!("  Logs are in {}", local.folder.join("logs").display());
    println!("  Ctrl-C ends all of it.\n");
}

/// Waits for a part to end, which none should: Ctrl-C ends the whole program elsewhere.
fn watch(local: &Local, parts: &[Running]) -> Result<()> {
    loop {
        for part in parts {
            if let Some(status) = part.status()? {
                bail!("{} ended ({status}): see {}", part.name(), local.log(part.name()).display());
            }
        }
        thread::sleep(Duration::from_millis(200));
    }
}
