//! A Worker in real workerd, started by wrangler, with a real local D1.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment::{Folder, Part};
use crate::http;
use crate::process::{Program, Running, free_port};

const WRANGLER: &str = "wrangler/bin/wrangler.js";
/// It answers within 2 s on two idle cores; the machine may be busy.
const START_LIMIT: Duration = Duration::from_secs(120);
const DATABASE: &str = "isitstillup";

/// A running Worker.
#[derive(Debug)]
pub struct Workerd {
    running: Running,
    url: String,
}

/// How to start one, more than once where it is killed in between.
#[derive(Debug)]
pub struct WorkerdSettings {
    config: PathBuf,
    port: u16,
    url: String,
    /// State, logs, secrets.
    folder: PathBuf,
    variables: Vec<String>,
    secrets: Option<PathBuf>,
}

fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

impl WorkerdSettings {
    /// The Worker of the site, with no database yet.
    ///
    /// # Panics
    /// Where the secrets cannot be written.
    #[must_use]
    pub fn site(folder: &Folder, secrets: &str) -> Self {
        // The built Worker is where wrangler.toml says.
        let _ = Part::Worker.path();
        let secrets_file = folder.join("secrets.env");
        fs::write(&secrets_file, secrets)
            .unwrap_or_else(|error| panic!("{}: {error}", secrets_file.display()));
        let port = free_port();
        Self {
            config: Part::Root.path().join("wrangler.toml"),
            port,
            url: address(port),
            folder: folder.join("workerd"),
            variables: vec!["ALLOW_PRIVATE_TARGETS:true".to_owned()],
            secrets: Some(secrets_file),
        }
    }

    /// The Worker that runs vectors.
    ///
    /// # Panics
    /// Where its configuration cannot be written.
    #[must_use]
    pub fn vectors(folder: &Folder) -> Self {
        let build = Part::VectorsWorker.path();
        let config = folder.join("wrangler.json");
        let site = fs::read_to_string(Part::Root.path().join("wrangler.toml")).unwrap_or_default();
        let date = site.split("compatibility_date = \"").nth(1).and_then(|rest| rest.get(..10));
        let json = serde_json::json!({
            "name": "vectors-worker",
            "main": build.join("index.js"),
            "no_bundle": true,
            "find_additional_modules": true,
            "base_dir": build,
            "compatibility_date": date,
        });
        fs::write(&config, json.to_string()).unwrap_or_else(|error| panic!("{}: {error}", config.display()));
        let port = free_port();
        let folder = folder.join("workerd");
        Self { config, port, url: address(port), folder, variables: Vec::new(), secrets: None }
    }

    /// Its address, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where wrangler keeps the database.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// The SQLite file of D1.
    ///
    /// # Panics
    /// Where there is not exactly one.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        let folder = self.state().join("v3/d1/miniflare-D1DatabaseObject");
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| {
            path.extension().is_some_and(|extension| extension == "sqlite")
                && path.file_name().is_none_or(|name| name != "metadata.sqlite")
        });
        assert_eq!(files.len(), 1, "D1 files in {}: {files:?}", folder.display());
        files.remove(0)
    }

    fn wrangler(&self) -> Program {
        let modules = Part::NodeModules.path();
        let node = Part::Node.path();
        let bin = node.parent().map(Path::to_owned).unwrap_or_default();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        fs::create_dir_all(&self.folder).unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        Program::new(node)
            .arg(modules.join(WRANGLER))
            .env("PATH", path)
            .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
            .env("NO_COLOR", "1")
            .env("WRANGLER_HIDE_BANNER", "true")
            .env("WRANGLER_REGISTRY_PATH", self.folder.join("registry"))
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_WRITE_LOGS", "false")
    }

    /// Takes over the database of a Worker that has ended.
    ///
    /// # Panics
    /// Where it cannot be copied.
    pub fn copy_database(&self, from: &Self) {
        let file = from.database();
        let to = self.state().join(file.strip_prefix(from.state()).unwrap_or(&file));
        let copied = fs::create_dir_all(to.parent().unwrap_or(&to)).and_then(|()| fs::copy(&file, &to));
        copied.unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    }

    /// Applies the migrations to an empty database.
    ///
    /// # Panics
    /// Where one fails.
    pub fn migrate(&self) {
        let program = self
            .wrangler()
            .args(["d1", "migrations", "apply", DATABASE, "--local", "--config"])
            .arg(&self.config)
            .arg("--persist-to")
            .arg(self.state());
        let (status, output, errors) = program.env("CI", "1").output();
        assert!(status.success(), "wrangler d1 migrations apply: {output}{errors}");
    }

    /// Starts it and waits until it answers.
    ///
    /// # Panics
    /// With its log where it does not.
    #[must_use]
    pub fn start(&self) -> Workerd {
        let mut program = self
            .wrangler()
            .args(["dev", "--ip", "127.0.0.1", "--port", &self.port.to_string()])
            .args(["--inspector-port", &free_port().to_string()])
            .args(["--show-interactive-dev-session=false", "--config"])
            .arg(&self.config)
            .arg("--persist-to")
            .arg(self.state());
        for variable in &self.variables {
            program = program.args(["--var", variable]);
        }
        if let Some(secrets) = &self.secrets {
            program = program.arg("--env-file").arg(secrets);
        }
        let mut running = program.start("workerd", &self.folder.join("log"));
        let url = self.url.clone();
        running.wait_until("answered", START_LIMIT, || http::send("GET", &url, &[], b"").is_ok());
        Workerd { running, url }
    }
}

impl Workerd {
    /// Its address, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `kill -9` of workerd and of wrangler, which would start another.
    pub fn kill(&mut self) {
        self.running.kill();
    }

    /// What it printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.running.log()
    }
}
