//! `check`: the settings of `run`, judged and put into words, without a probe and without a trace.

use std::fmt::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use shared::methodology::HOST_GAP_MS;

use crate::config::{ConfigFault, RunConfig};
use crate::log::say;
use crate::outbox::{self, Examined, OutboxFaultKind};
use crate::probe_command::BAD_ARGUMENTS;
use crate::resolve::{self, Names};
use crate::text::printable;
use crate::transport::Tls;

/// Says every fault of the settings.
pub(crate) fn refuse(faults: &[ConfigFault]) -> ExitCode {
    for fault in faults {
        say(format_args!("error: {fault}"));
    }
    say("see `isitstillup-prober run --help` for the settings");
    ExitCode::from(BAD_ARGUMENTS)
}

/// 0 where `run` could begin, 1 where something outside the settings stands in its way.
pub(crate) fn check(config: &RunConfig) -> ExitCode {
    let mut obstacles = Vec::new();
    let outbox = match outbox::examine(&config.outbox) {
        Ok(examined) => outbox_words(&examined),
        Err(fault) if fault.kind == OutboxFaultKind::InUse => {
            "in use by another process; that is fine if it is this prober's own `run`".to_owned()
        }
        Err(fault) if fault.kind == OutboxFaultKind::Corrupt => {
            format!("{fault}; `run` would keep what is damaged aside and go on")
        }
        Err(fault) => {
            obstacles.push(format!("outbox: {fault}"));
            "cannot be used".to_owned()
        }
    };
    let names = match Names::new(&config.name_servers) {
        Ok(names) => names.servers().iter().map(name_server).collect::<Vec<_>>().join(", "),
        Err(fault) => {
            obstacles.push(fault);
            String::new()
        }
    };
    if let Err(fault) = Tls::new(config.trust.as_deref(), Arc::default()) {
        obstacles.push(fault);
    }
    let usable =
        if obstacles.is_empty() { "The settings are usable." } else { "The settings are well formed, but:" };
    obstacles.iter().for_each(|obstacle| say(format_args!("error: {obstacle}")));
    print(&format!("{usable} `run` would:\n{}", plan(config, &outbox, &names)));
    if obstacles.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The address, with its port where that is not the usual one.
fn name_server(address: &SocketAddr) -> String {
    if address.port() == resolve::PORT { address.ip().to_string() } else { address.to_string() }
}

fn print(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout().lock(), text.as_bytes());
}

fn outbox_words(examined: &Examined) -> String {
    let Some((counts, rejections)) = &examined.counts else {
        return "does not exist yet and can be made".to_owned();
    };
    let mut words = format!("{} votes wait, {} were refused for good", counts.waiting, counts.rejected);
    for (reason, count) in rejections {
        // A later Worker's own word may be among them.
        let _ = write!(words, "; {count} x {}", printable(reason));
    }
    words
}

/// What `run` would do.
fn plan(config: &RunConfig, outbox: &str, names: &str) -> String {
    let targets = if config.allow_private {
        "any address, over http or https (private targets are allowed: for local runs only)"
    } else {
        "public addresses alone, over https alone"
    };
    let names = if names.is_empty() { "the hosts file alone: no name server is configured" } else { names };
    let trust = match &config.trust {
        Some(path) => format!("the public authorities and those in {}", path.display()),
        None => "the public authorities".to_owned(),
    };
    format!(
        "\
         \x20 ask {worker}api/v2/claims which slots of network {network} are due,\n\
         \x20   as holder {holder}, signed with a key of {key} characters (not shown)\n\
         \x20 probe up to {concurrency} endpoints at a time, each over new connections,\n\
         \x20   one probe at a time to a host and at least {HOST_GAP_MS} ms between two\n\
         \x20 connect to {targets}\n\
         \x20 resolve names through {names}\n\
         \x20 trust {trust}\n\
         \x20 keep every vote in {path} before it is sent\n\
         \x20   ({outbox})\n\
         \x20 deliver votes to {worker}api/v2/votes until each is acknowledged\n",
        worker = config.worker,
        network = config.network,
        holder = config.holder,
        key = config.key.bytes().len(),
        concurrency = config.concurrency,
        path = config.outbox.display(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::test_key;
    use crate::outbox::tests::Folder;

    #[test]
    fn the_plan_names_what_matters_and_no_secret() {
        let folder = Folder::new("check");
        let config = RunConfig {
            worker: "https://worker.example".parse().unwrap(),
            network: "native".into(),
            outbox: folder.outbox(),
            key: test_key("0123456789abcdef0123456789abcdef"),
            allow_private: false,
            concurrency: 7,
            holder: "here".into(),
            trust: None,
            name_servers: Vec::new(),
            verbose: false,
        };
        let plan = plan(&config, "does not exist yet and can be made", "192.0.2.53");
        for part in [
            "https://worker.example/api/v2/claims",
            "network native",
            "holder here",
            "up to 7 endpoints",
            "600 ms",
            "public addresses alone",
            "192.0.2.53",
            "outbox.sqlite",
        ] {
            assert!(plan.contains(part), "{part} is not in\n{plan}");
        }
        assert!(!plan.contains("0123456789abcdef"), "{plan}");
    }
}
