//! The Worker in workerd, with its database, as `wrangler dev` runs it.

use super::Local;
use super::wrangler_config::WranglerConfig;
use crate::process::{self, Running};
use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const WRANGLER: &str = "wrangler/bin/wrangler.js";
/// workerd answers within 2 s on two idle cores.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Applies the migrations, starts workerd, and waits until it answers.
///
/// # Errors
/// When a migration fails or workerd does not come up.
pub(super) fn start(local: &Local) -> Result<Running> {
    migrate(local)?;
    let mut command = wrangler(local);
    command.args(["dev", "--ip", "127.0.0.1", "--port", &local.ports.site.to_string()]);
    command.args(["--test-scheduled", "--show-interactive-dev-session=false", "--env-file"]);
    command.arg(&local.secrets.file).args(["--var", "ALLOW_PRIVATE_TARGETS:true"]);
    command.args(["--var", &format!("SITE_ORIGIN:{}", local.ports.site_url())]);
    command.arg("--persist-to").arg(local.folder.join("state"));
    let site = process::start_logged("site", &mut command, &local.log("site"), is_worth_showing)?;
    let deadline = Instant::now() + START_LIMIT;
    loop {
        if answers(&local.ports.site_url()) {
            return Ok(site);
        }
        if let Some(status) = site.status()? {
            bail!("workerd did not start ({status}): see {}", local.log("site").display());
        }
        if Instant::now() > deadline {
            bail!("workerd does not answer: see {}", local.log("site").display());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn migrate(local: &Local) -> Result<()> {
    let log = local.log("migrations");
    let file = std::fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut command = wrangler(local);
    command.args(["d1", "migrations", "apply", local.config.database()?, "--local", "--persist-to"]);
    command.arg(local.folder.join("state"));
    command.stdout(Stdio::from(file.try_clone()?)).stderr(Stdio::from(file));
    process::run("wrangler d1 migrations apply", &mut command).with_context(|| {
        format!(
            "the local database cannot be migrated: see {}, or remove {} to start with an empty one",
            log.display(),
            local.folder.display()
        )
    })
}

/// wrangler on the pinned Node, quiet towards the outside and towards the home folder.
fn wrangler(local: &Local) -> Command {
    let mut command = local.npm.script(WRANGLER);
    command.current_dir(crate::workspace::root()).arg("--config").arg(WranglerConfig::path());
    command
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        .env("NO_COLOR", "1")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("WRANGLER_REGISTRY_PATH", local.folder.join("registry"))
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_WRITE_LOGS", "false");
    command
}

/// Any answer will do: a page that fails is for the reader to see, not a reason to wait.
fn answers(url: &str) -> bool {
    let request = ureq::get(format!("{url}/probe.txt"));
    let request = request.config().timeout_global(Some(Duration::from_secs(5))).http_status_as_error(false);
    request.build().call().is_ok()
}

/// Leaves out what wrangler says about itself at the start, requests that went well, and the Worker's count of
/// its statements; the log has them all.
fn is_worth_showing(line: &str) -> bool {
    match line.strip_prefix("[wrangler:info] ") {
        Some(said) => request_status(said).is_some_and(|status| status >= 400),
        None => !QUIET.iter().any(|start| line.starts_with(start)),
    }
}

const QUIET: [&str; 11] = [
    "Using secrets defined in",
    "Your Worker has access to",
    "Binding ",
    "env.",
    "Attaching additional modules",
    "⎔ ",
    "│",
    "┌",
    "├",
    "└",
    "d1 statements=",
];

/// The status in wrangler's `METHOD PATH STATUS TEXT (TIME)`.
fn request_status(said: &str) -> Option<u16> {
    said.split(' ').nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_should_see_is_shown() {
        for (line, shown) in [
            ("[wrangler:info] Ready on http://127.0.0.1:8787", false),
            ("[wrangler:info] GET /probe.txt 200 OK (3ms)", false),
            ("[wrangler:info] POST /api/v2/claims 401 Unauthorized (3ms)", true),
            ("[wrangler:info] GET / 500 Internal Server Error (3ms)", true),
            ("d1 statements=2 rows_read=1 rows_written=4", false),
            ("⎔ Starting local server...", false),
            ("store: no such table: listings", true),
            ("Uncaught Error: out of memory", true),
        ] {
            assert_eq!(is_worth_showing(line), shown, "{line}");
        }
    }
}
