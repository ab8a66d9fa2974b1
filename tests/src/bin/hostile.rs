//! Serves hostile endpoints on loopback, for a prober of any vantage and for a person who wants to meet one.

use std::thread;

use clap::Parser;
use isitstillup_tests::hostile::server::Server;
use isitstillup_tests::hostile::{Behaviour, behaviours};

/// Serves endpoints that misbehave in one way each, on loopback, until stopped.
#[derive(Parser)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    /// The behaviour to serve.
    #[arg(required_unless_present_any = ["all", "list"], conflicts_with = "all")]
    name: Option<String>,
    /// Serve every behaviour: those that answer requests on one port, each under its name, and each of the others on
    /// a port of its own.
    #[arg(long)]
    all: bool,
    /// Name every behaviour with what it does and what a probe must make of it.
    #[arg(long)]
    list: bool,
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

const EXAMPLES: &str = "\
Any client on this machine can call http://127.0.0.1:PORT/NAME, a Worker in workerd as well: with a NAME for that
one, with --all for each that --all names at PORT. --list says what each vantage must make of it; what says
\"not from the edge\" needs names or notations that only the native prober can be given. Several documents and
pages are asked for below /.well-known/, on the same port.

Examples:
  cargo run -p isitstillup-tests --bin hostile -- --list
  cargo run -p isitstillup-tests --bin hostile -- slow-drip-of-header-bytes --port 8100
  isitstillup-prober probe --allow-private http://127.0.0.1:8100/slow-drip-of-header-bytes
  cargo run -p isitstillup-tests --bin hostile -- --all --port 8100
  curl --json '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}' http://127.0.0.1:8100/tools-none";

fn main() -> Result<(), String> {
    let arguments = Arguments::parse();
    let all = behaviours::all();
    if arguments.list {
        for behaviour in &all {
            println!(
                "{}\n    {}\n    {}\n    {}",
                behaviour.name,
                behaviour.says,
                behaviour.native,
                behaviour.edge().map_or_else(|| "not from the edge".to_owned(), |edge| edge.to_string())
            );
        }
        return Ok(());
    }
    // A server that is dropped takes its files with it.
    let _kept = match &arguments.name {
        Some(name) => {
            let behaviour = all
                .iter()
                .find(|behaviour| behaviour.name == *name)
                .ok_or_else(|| format!("no behaviour is named {name:?}: --list names all"))?;
            let server =
                Server::of(behaviour, arguments.port).map_err(|error| taken(arguments.port, &error))?;
            tell(&server, behaviour);
            vec![server]
        }
        None => serve_all(&all, arguments.port)?,
    };
    loop {
        thread::park();
    }
}

fn serve_all(all: &[Behaviour], port: u16) -> Result<Vec<Server>, String> {
    let shared = Server::of_all(all, port).map_err(|error| taken(port, &error))?;
    let mut kept = Vec::new();
    for behaviour in all {
        if behaviour.shares_a_port() {
            tell(&shared, behaviour);
        } else {
            let own = Server::of(behaviour, 0).map_err(|error| taken(0, &error))?;
            tell(&own, behaviour);
            kept.push(own);
        }
    }
    kept.push(shared);
    Ok(kept)
}

fn tell(server: &Server, behaviour: &Behaviour) {
    println!("{} {}  {}", server.url(behaviour), server.options(behaviour).join(" "), behaviour.native);
}

fn taken(port: u16, error: &std::io::Error) -> String {
    format!("cannot listen on port {port} of this machine: {error}; --port takes another one")
}
