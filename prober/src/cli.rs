//! The command line: what a person can ask for, and the help that teaches it.

use std::path::PathBuf;

use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use shared::outcome::Era;

/// Watches MCP endpoints from this machine.
#[derive(Debug, Parser)]
#[command(name = "isitstillup-prober", version, about, long_about = LONG_ABOUT, after_long_help = EXAMPLES)]
#[command(propagate_version = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const LONG_ABOUT: &str = "\
Watches MCP endpoints from this machine.

`probe` looks at one URL once and tells you what it saw. `run` does it for a whole list: it asks a Worker which
endpoints are due, probes them at a polite pace, keeps every result on disk and delivers it. `check` reads the same
settings as `run`, says what is wrong with them and what `run` would do. `reproduce` redoes the published figures of a
listing.

A probe opens the conversation a client would open (initialize, tools/list), calls no tool, sends no credentials and
goes to public addresses only.";

const EXAMPLES: &str = "\
Examples:
  Is this endpoint up?
      isitstillup-prober probe https://mcp.example.com/mcp

  The same for a program (one JSON object on stdout; exit code 0 whatever the verdict):
      isitstillup-prober probe https://mcp.example.com/mcp --json | jq -r .class

  A server on your own machine:
      isitstillup-prober probe http://127.0.0.1:3000/mcp --allow-private

  Probe for a Worker, with the settings in a file and the key in the environment:
      export ISU_KEY=...                                  # never a flag: flags show in process lists
      isitstillup-prober check --config /etc/isitstillup/prober.toml
      isitstillup-prober run   --config /etc/isitstillup/prober.toml

Measure only endpoints you run, or whose operators agreed.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Probe one URL now and explain what was seen.
    #[command(after_long_help = PROBE_HELP)]
    Probe(ProbeArguments),
    /// Probe what a Worker asks for, until stopped.
    #[command(after_long_help = RUN_HELP)]
    Run(RunArguments),
    /// Check the settings of `run` and say what it would do, without probing.
    #[command(after_long_help = RUN_HELP)]
    Check(RunArguments),
    /// Redo the figures of a published tool.json and say equal or where they differ.
    #[command(after_long_help = REPRODUCE_HELP)]
    Reproduce(ReproduceArguments),
}

const PROBE_HELP: &str = "\
What you get:
  Every request as it was sent, the status and time of its answer, what we concluded, and the verdict in words.
  With --json, one object on stdout: class, counted, reason, phase, precision, http_status, latency_ms, era,
  protocol_version, server, tools, tools_ok, front_door, front_door_notes, violations, requests.

Exit codes:
  0  the probe finished, whatever it found      2  the arguments are not usable      1  anything else

Examples:
  isitstillup-prober probe https://mcp.example.com/mcp
  isitstillup-prober probe https://mcp.example.com/mcp --json
  isitstillup-prober probe http://localhost:3000/mcp --allow-private
  isitstillup-prober probe https://mcp.example.com/mcp --nameserver 9.9.9.9      # what another resolver says";

const RUN_HELP: &str = "\
Settings come from flags, then from ISU_* variables, then from the TOML file; the first that speaks wins.
The key comes from ISU_KEY or from --key-file alone, and is never printed.

A settings file (each line is a flag without its dashes, `-` written `_`):
  worker  = \"https://www.isitstillup.com\"
  network = \"tools-centralindia\"
  outbox  = \"/var/lib/isitstillup/outbox.sqlite\"
  key_file = \"/etc/isitstillup/key\"
  concurrency = 64
  nameserver = [\"192.0.2.53\", \"[2001:db8::53]:5353\"]      # a list; the variable has commas instead

Time:
  Votes, signatures and the validity of certificates go by the Worker's time, from its first answer on: a wrong clock
  here makes no endpoint's certificate expired. (`probe` has this machine's clock alone.)

Signals:
  SIGTERM or Ctrl-C: takes no more work, finishes or abandons what is running within 10 seconds, delivers once more
  and exits with 0. Votes that were not delivered stay in the outbox and go first at the next start.

Examples:
  isitstillup-prober check --worker https://www.isitstillup.com --network tools-centralindia --outbox ./outbox.sqlite
  isitstillup-prober run --config prober.toml --verbose
  ISU_ALLOW_PRIVATE=true isitstillup-prober run --worker http://127.0.0.1:8787 --network local --outbox /tmp/o.sqlite";

const REPRODUCE_HELP: &str = "\
What you get:
  One line a figure: as published, as redone by the published formula, and how. From the document alone: the interval,
  the inputs of Health and their sum, the lower bound, Trust, the evidence grade, and why there is no score. With
  --probes also availability, latency, the vote that protocol is from, and coverage.

Exit codes:
  0  every figure is equal      1  one differs      2  there is nothing that can be redone

Examples:
  isitstillup-prober reproduce https://www.isitstillup.com/api/v2/tools/SLUG/tool.json
  isitstillup-prober reproduce tool.json --probes monday.ndjson --probes tuesday.ndjson      # oldest first
  curl -s https://www.isitstillup.com/api/v2/tools/SLUG/tool.json | isitstillup-prober reproduce -";

/// A document to redo.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArguments {
    /// The tool.json of a listing: a file, an http:// or https:// URL, or - for standard input.
    #[arg(value_name = "FILE or URL")]
    pub(crate) tool: String,
    /// The listing's probes.ndjson over the seven days before the document's `as_of`, as files or URLs, oldest first.
    #[arg(long, value_name = "FILE or URL", num_args = 1..)]
    pub(crate) probes: Vec<String>,
}

/// One URL to look at.
#[derive(Debug, Args)]
pub(crate) struct ProbeArguments {
    /// The endpoint, an http:// or https:// URL as a client would use it.
    pub(crate) url: String,
    /// Print one JSON object instead of an explanation.
    #[arg(long)]
    pub(crate) json: bool,
    /// Allow http:// and addresses that are not public, such as this machine's own.
    #[arg(long, env = "ISU_ALLOW_PRIVATE", value_parser = BoolishValueParser::new(), value_name = "BOOL",
          num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false",
          hide_default_value = true)]
    pub(crate) allow_private: bool,
    /// Open the conversation in this era, as `run` does where it remembers the endpoint's [default: legacy, and modern
    /// where the endpoint asks for it].
    #[arg(long, value_parser = era())]
    pub(crate) era: Option<Era>,
    /// The name of the network this machine stands in, shown with the result.
    #[arg(long, env = "ISU_NETWORK", value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// A PEM file with further certificate authorities to trust, beside the public ones.
    #[arg(long, env = "ISU_TRUST", value_name = "FILE")]
    pub(crate) trust: Option<PathBuf>,
    /// Ask this name server instead of the system's: an address, with a port where it is not 53, such as 192.0.2.53
    /// or [2001:db8::53]:5353. May be given several times. The hosts file still speaks first.
    #[arg(long, env = "ISU_NAMESERVER", value_name = "ADDR[:PORT]", value_delimiter = ',')]
    pub(crate) nameserver: Vec<String>,
}

fn era() -> impl TypedValueParser<Value = Era> {
    let words = PossibleValuesParser::new(Era::ALL.iter().map(|era| era.word()));
    words.try_map(|word| Era::from_word(&word).ok_or("no era"))
}

/// The settings of `run` and `check`, as far as flags and environment give them.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct RunArguments {
    /// The Worker that hands out slots and takes votes: an https:// URL without a path.
    #[arg(long, env = "ISU_WORKER", value_name = "URL")]
    pub(crate) worker: Option<String>,
    /// The network this prober reports for, as the Worker's configuration names it.
    #[arg(long, env = "ISU_NETWORK", value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// The SQLite file that keeps votes until the Worker has acknowledged them. One process at a time.
    #[arg(long, env = "ISU_OUTBOX", value_name = "PATH")]
    pub(crate) outbox: Option<PathBuf>,
    /// A file that holds the network's key, where ISU_KEY is not set.
    #[arg(long, env = "ISU_KEY_FILE", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Allow http:// and addresses that are not public, for local runs.
    #[arg(long, env = "ISU_ALLOW_PRIVATE", value_parser = BoolishValueParser::new(), value_name = "BOOL",
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) allow_private: Option<bool>,
    /// Probes in flight at most, 1 to 1000 [default: 64].
    #[arg(long, env = "ISU_CONCURRENCY", value_name = "N")]
    pub(crate) concurrency: Option<u32>,
    /// Names this process among the network's probers; keep it the same across restarts [default: made from
    /// the names of host and outbox].
    #[arg(long, env = "ISU_HOLDER", value_name = "NAME")]
    pub(crate) holder: Option<String>,
    /// A PEM file with further certificate authorities to trust, beside the public ones.
    #[arg(long, env = "ISU_TRUST", value_name = "FILE")]
    pub(crate) trust: Option<PathBuf>,
    /// Ask this name server instead of the system's: an address, with a port where it is not 53, such as 192.0.2.53
    /// or [2001:db8::53]:5353. May be given several times. The hosts file still speaks first.
    #[arg(long, env = "ISU_NAMESERVER", value_name = "ADDR[:PORT]", value_delimiter = ',')]
    pub(crate) nameserver: Vec<String>,
    /// A TOML file with any of these settings.
    #[arg(long, env = "ISU_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// One line on stderr for every vote.
    #[arg(long, short, env = "ISU_VERBOSE", value_parser = BoolishValueParser::new(), value_name = "BOOL",
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) verbose: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_run_flag_has_an_isu_variable() {
        let command = CommandLine::command();
        let run = command.find_subcommand("run").unwrap();
        for argument in run
            .get_arguments()
            .filter(|argument| argument.get_id() != "help" && argument.get_id() != "version")
        {
            let expected = format!("ISU_{}", argument.get_id().as_str().to_uppercase());
            assert_eq!(argument.get_env().and_then(|name| name.to_str()), Some(expected.as_str()));
        }
    }

    #[test]
    fn an_era_is_named_by_its_word() {
        let parse = |word: &str| {
            let words = ["prober", "probe", "https://mcp.example/", "--era", word];
            match CommandLine::try_parse_from(words).map(|line| line.command) {
                Ok(Command::Probe(probe)) => probe.era,
                _ => None,
            }
        };
        for era in Era::ALL {
            assert_eq!(parse(era.word()), Some(*era));
        }
        assert_eq!(parse("2026-07-28"), None);
    }

    #[test]
    fn a_flag_that_allows_can_also_forbid() {
        let parse = |words: &[&str]| match CommandLine::try_parse_from(words).unwrap().command {
            Command::Run(run) => run.allow_private,
            _ => unreachable!(),
        };
        assert_eq!(parse(&["prober", "run"]), None);
        assert_eq!(parse(&["prober", "run", "--allow-private"]), Some(true));
        assert_eq!(parse(&["prober", "run", "--allow-private=false"]), Some(false));
    }
}
