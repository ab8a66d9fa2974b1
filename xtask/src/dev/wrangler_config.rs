//! The few facts of `wrangler.toml` that a local run needs.

use crate::workspace::root;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fs;
use std::path::PathBuf;

#[derive(Deserialize)]
pub(crate) struct WranglerConfig {
    d1_databases: Vec<Database>,
    #[serde(default)]
    triggers: Triggers,
    vars: Vars,
}

#[derive(Deserialize)]
struct Database {
    database_name: String,
}

#[derive(Deserialize, Default)]
struct Triggers {
    #[serde(default)]
    crons: Vec<String>,
}

#[derive(Deserialize)]
struct Vars {
    /// JSON: `[{"id":1,"name":"...","precision":"exact"}]`.
    #[serde(rename = "NETWORKS")]
    networks: String,
}

#[derive(Deserialize)]
struct Network {
    name: String,
}

impl WranglerConfig {
    pub(super) fn path() -> PathBuf {
        root().join("wrangler.toml")
    }

    /// # Errors
    /// When the file cannot be read or lacks what is needed.
    pub(super) fn read() -> Result<Self> {
        let path = Self::path();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))
    }

    /// # Errors
    /// When no database is bound.
    pub(super) fn database(&self) -> Result<&str> {
        let first = self.d1_databases.first().context("wrangler.toml binds no D1 database")?;
        Ok(&first.database_name)
    }

    /// The network that the local prober speaks for.
    ///
    /// # Errors
    /// When the variable NETWORKS is no such list or an empty one.
    pub(super) fn first_network(&self) -> Result<String> {
        let networks: Vec<Network> = serde_json::from_str(&self.vars.networks)
            .context("NETWORKS in wrangler.toml is no JSON list of networks")?;
        let first = networks.into_iter().next().context("NETWORKS in wrangler.toml is empty")?;
        Ok(first.name)
    }

    pub(super) fn crons(&self) -> &[String] {
        &self.triggers.crons
    }
}
