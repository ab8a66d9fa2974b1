//! The rule of each setting.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use shared::methodology::HOLDER_CHARACTERS;
use url::{Host, Url};

use super::{ConfigFault, DEFAULT_CONCURRENCY, MOST_CONCURRENCY};
use crate::resolve;
use crate::text::printable;

/// What a holder's name takes of the host's.
const HOST_NAME_CHARACTERS: usize = 48;

/// The Worker's URL: https, or http where it stays on this machine or private targets are allowed.
pub(super) fn worker(text: Option<&str>, allow_private: bool) -> Result<Url, ConfigFault> {
    let fault = |rule: &str| ConfigFault::new("worker", rule.to_owned());
    let text = text.ok_or_else(|| fault("needed: the Worker's URL, such as https://www.isitstillup.com"))?;
    let url = Url::parse(text)
        .map_err(|error| fault(&format!("must be a URL, got \"{}\" ({error})", printable(text))))?;
    if !url.username().is_empty() || url.password().is_some() {
        // Not quoted: it may hold a secret.
        return Err(fault("must not hold a user name or password"));
    }
    let plain_allowed = allow_private || is_loopback(&url);
    match url.scheme() {
        "https" => {}
        "http" if plain_allowed => {}
        "http" => {
            return Err(fault("must be https:// (http:// only for this machine, or with --allow-private)"));
        }
        other => {
            return Err(fault(&format!("must be an https:// URL, got the scheme \"{}\"", printable(other))));
        }
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(fault("must be scheme, host and port alone, without path, query or fragment"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// A network's name: it stands in signatures, pages and URLs.
pub(super) fn network(text: Option<&str>) -> Result<String, ConfigFault> {
    let needed = "needed: the network's name, as the Worker's configuration has it";
    let text = text.ok_or_else(|| ConfigFault::new("network", needed))?;
    check_network(text)?;
    Ok(text.to_owned())
}

/// The rule of a network's name.
pub(crate) fn check_network(text: &str) -> Result<(), ConfigFault> {
    let valid = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !valid {
        let rule = format!("must be 1 to 64 of a-z, 0-9 and -, got \"{}\"", printable(text));
        return Err(ConfigFault::new("network", rule));
    }
    Ok(())
}

/// Name servers to ask in place of the system's.
pub(crate) fn name_servers(given: &[String]) -> Result<Vec<SocketAddr>, ConfigFault> {
    let address = |text: &String| {
        let with_port = text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, resolve::PORT));
        let address = with_port.or_else(|_| text.parse()).ok().filter(|address| address.port() != 0);
        address.ok_or_else(|| {
            let rule = "must be an IP address, with a port where it is not 53, such as 192.0.2.53 or \
                        [2001:db8::53]:5353";
            ConfigFault::new("nameserver", format!("{rule}, got \"{}\"", printable(text)))
        })
    };
    given.iter().map(address).collect()
}

/// The outbox's path; whether it can be written is found out by opening it.
pub(super) fn outbox(path: Option<PathBuf>) -> Result<PathBuf, ConfigFault> {
    let path =
        path.ok_or_else(|| ConfigFault::new("outbox", "needed: a path for the file that keeps votes"))?;
    if path.as_os_str().is_empty() || path.is_dir() {
        return Err(ConfigFault::new(
            "outbox",
            format!("must be a file, not a folder: \"{}\"", path.display()),
        ));
    }
    if path.file_name().is_none() {
        return Err(ConfigFault::new("outbox", format!("must end in a file name: \"{}\"", path.display())));
    }
    Ok(path)
}

/// Probes in flight.
pub(super) fn concurrency(given: Option<u32>) -> Result<u32, ConfigFault> {
    let value = given.unwrap_or(DEFAULT_CONCURRENCY);
    if !(1..=MOST_CONCURRENCY).contains(&value) {
        return Err(ConfigFault::new("concurrency", format!("must be 1 to {MOST_CONCURRENCY}, got {value}")));
    }
    Ok(value)
}

/// The holder's name: given, or made from this host's and the outbox's, so that it differs between two probers on
/// one machine and stays the same across restarts.
pub(super) fn holder(given: Option<String>, outbox: Option<&Path>) -> Result<String, ConfigFault> {
    let Some(name) = given else {
        let mut hasher = DefaultHasher::new();
        outbox.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned())).hash(&mut hasher);
        return Ok(format!("{}-{:08x}", host_name(), hasher.finish() as u32));
    };
    if !is_holder(&name) {
        return Err(ConfigFault::new(
            "holder",
            format!("must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', got \"{}\"", printable(&name)),
        ));
    }
    Ok(name)
}

fn is_holder(name: &str) -> bool {
    HOLDER_CHARACTERS.contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The host's name in a holder's letters; a fixed word where the system does not tell.
fn host_name() -> String {
    let told = std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname"))
        .or_else(|_| std::env::var("HOSTNAME"))
        .unwrap_or_default();
    let name: String = told.trim().chars().take(HOST_NAME_CHARACTERS).collect();
    if is_holder(&name) { name } else { "prober".to_owned() }
}
