//! The table for people: every fault, what the prober did about it, and what it said.

use std::fmt::Write;

use super::Section;

const OPENING: &str = "\
# What the prober does when something fails

Written by `cargo xtask test` from what `isitstillup-prober run` did and said; to write it anew after a change, run

    ISU_UPDATE=1 cargo test -p isitstillup-tests --test faults

A vote is written to the outbox before it is sent and leaves it only when the Worker has named it, so no fault below
loses one that was written; what a row says of votes was counted. Pauses begin at a second, double up to five minutes,
and are shortened at random by up to half.
";

/// The document.
#[must_use]
pub fn write(sections: &[Section]) -> String {
    let mut text = OPENING.to_owned();
    for section in sections {
        let _ = write!(text, "\n## {}\n\n", section.title);
        text.push_str("| fault | what the prober does | what it says | votes |\n| --- | --- | --- | --- |\n");
        for row in &section.rows {
            let told = if row.told.is_empty() { String::new() } else { format!("``{}``", row.told) };
            let cells = [&row.fault, &row.does, &told, &row.votes];
            let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    text
}
