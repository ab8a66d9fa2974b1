//! The table for people: every behaviour and what was made of it.

use std::fmt::Write;

use super::behaviours::Kind;
use super::expected::Expected;

const OPENING: &str = "\
# What hostile endpoints are called

Written by `cargo xtask test` from what the prober said of each endpoint; to write it anew after a change, run

    ISU_UPDATE=1 cargo test -p isitstillup-tests --test hostile

Each row is a real server on loopback (`tests/src/hostile/behaviours/`) with one behaviour. To meet one:

    cargo run -p isitstillup-tests --bin hostile -- slow-drip-of-header-bytes --port 8100
    cargo run -p isitstillup-prober -- probe --allow-private http://127.0.0.1:8100/slow-drip-of-header-bytes

The native vantage sees every phase (precision `exact`). What a Worker's `fetch()` must make of the same endpoint
(precision `edge`) is named where it differs; `-` where it cannot be led to the endpoint.
";

/// The document. `seen` are the verdicts of the native vantage, in the order of the behaviours.
#[must_use]
pub fn write(kinds: &[Kind], seen: &[Expected]) -> String {
    let mut text = OPENING.to_owned();
    let mut seen = seen.iter();
    for kind in kinds {
        let _ = write!(text, "\n## {}\n\n", kind.title);
        text.push_str("| behaviour | what it does | class | reason | phase | besides | from the edge |\n");
        text.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
        for (behaviour, seen) in kind.behaviours.iter().zip(&mut seen) {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} | {} | {} |",
                behaviour.name,
                behaviour.says.replace('|', "\\|"),
                seen.class,
                seen.reason.map_or("", |reason| reason.word()),
                seen.phase.map_or("", |phase| phase.word()),
                besides(seen),
                behaviour.edge().map_or("-".to_owned(), |edge| from_the_edge(seen, &edge)),
            );
        }
    }
    text
}

/// The front door with the remarks on it, and the violations.
fn besides(seen: &Expected) -> String {
    let door = seen.front_door.map(|door| format!("front door {door}"));
    let violations = seen.violations.iter().map(|violation| violation.word().to_owned());
    let notes = seen.notes.iter().map(|note| note.word().to_owned());
    door.into_iter().chain(notes).chain(violations).collect::<Vec<_>>().join(", ")
}

fn from_the_edge(exact: &Expected, edge: &Expected) -> String {
    let same = Expected { precision: edge.precision, ..exact.clone() };
    if same == *edge {
        return String::new();
    }
    let words = [
        Some(edge.class.word()),
        edge.reason.map(|reason| reason.word()),
        edge.phase.map(|phase| phase.word()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
