//! The settings of `run`: flags over `ISU_*` variables over a TOML file, checked as a whole.
//!
//! clap already merges flags and variables; this adds the file, the defaults and the rules. Every fault names the
//! field and the rule, all of them at once, and no text ever holds the key.

mod file;
mod key;
mod rules;

use std::net::SocketAddr;
use std::path::PathBuf;

use url::Url;

use crate::cli::RunArguments;
pub(crate) use key::Key;
#[cfg(test)]
pub(crate) use key::test_key;
pub(crate) use rules::{check_network, name_servers};

/// Probes in flight unless the settings say otherwise: enough for one network's open listings on one core.
pub(crate) const DEFAULT_CONCURRENCY: u32 = 64;
/// More would only queue on the host's own sockets.
pub(crate) const MOST_CONCURRENCY: u32 = 1_000;

/// What `run` works with.
#[derive(Debug)]
pub(crate) struct RunConfig {
    /// Scheme, host and port of the Worker; the path is `/`.
    pub(crate) worker: Url,
    pub(crate) network: String,
    pub(crate) outbox: PathBuf,
    pub(crate) key: Key,
    pub(crate) allow_private: bool,
    pub(crate) concurrency: u32,
    pub(crate) holder: String,
    pub(crate) trust: Option<PathBuf>,
    /// Empty: the system's.
    pub(crate) name_servers: Vec<SocketAddr>,
    pub(crate) verbose: bool,
}

/// One setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {rule}")]
pub(crate) struct ConfigFault {
    /// The flag's name without dashes.
    pub(crate) field: &'static str,
    /// What it must be, and what it was.
    pub(crate) rule: String,
}

impl ConfigFault {
    fn new(field: &'static str, rule: impl Into<String>) -> Self {
        Self { field, rule: rule.into() }
    }
}

impl RunConfig {
    /// Merges and checks; `secret` is the value of `ISU_KEY`.
    ///
    /// # Errors
    /// Every fault found, in the order of the fields.
    pub(crate) fn load(arguments: RunArguments, secret: Option<String>) -> Result<Self, Vec<ConfigFault>> {
        let file = match &arguments.config {
            None => RunArguments::default(),
            Some(path) => file::read(path).map_err(|fault| vec![fault])?,
        };
        Self::check(merge(arguments, file), secret)
    }

    fn check(settings: RunArguments, secret: Option<String>) -> Result<Self, Vec<ConfigFault>> {
        let mut faults = Vec::new();
        let allow_private = settings.allow_private.unwrap_or(false);
        let worker = take(rules::worker(settings.worker.as_deref(), allow_private), &mut faults);
        let network = take(rules::network(settings.network.as_deref()), &mut faults);
        let outbox = take(rules::outbox(settings.outbox), &mut faults);
        let key = take(key::load(secret, settings.key_file.as_deref()), &mut faults);
        let concurrency = take(rules::concurrency(settings.concurrency), &mut faults);
        let holder = take(rules::holder(settings.holder, outbox.as_deref()), &mut faults);
        let name_servers = take(name_servers(&settings.nameserver), &mut faults);
        match (worker, network, outbox, key, concurrency, holder, name_servers) {
            (
                Some(worker),
                Some(network),
                Some(outbox),
                Some(key),
                Some(concurrency),
                Some(holder),
                Some(name_servers),
            ) => Ok(Self {
                worker,
                network,
                outbox,
                key,
                allow_private,
                concurrency,
                holder,
                trust: settings.trust,
                name_servers,
                verbose: settings.verbose.unwrap_or(false),
            }),
            _ => Err(faults),
        }
    }
}

/// The value, or None with its fault noted.
fn take<T>(checked: Result<T, ConfigFault>, faults: &mut Vec<ConfigFault>) -> Option<T> {
    checked.map_err(|fault| faults.push(fault)).ok()
}

/// What the command line and the environment say, and where they are silent what the file says.
fn merge(first: RunArguments, file: RunArguments) -> RunArguments {
    RunArguments {
        worker: first.worker.or(file.worker),
        network: first.network.or(file.network),
        outbox: first.outbox.or(file.outbox),
        key_file: first.key_file.or(file.key_file),
        allow_private: first.allow_private.or(file.allow_private),
        concurrency: first.concurrency.or(file.concurrency),
        holder: first.holder.or(file.holder),
        trust: first.trust.or(file.trust),
        nameserver: if first.nameserver.is_empty() { file.nameserver } else { first.nameserver },
        config: first.config,
        verbose: first.verbose.or(file.verbose),
    }
}

#[cfg(test)]
mod tests;
