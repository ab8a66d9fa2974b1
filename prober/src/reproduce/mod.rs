//! `reproduce`: redoes the figures of a published `tool.json`, and says equal or where it differs.

mod source;

use std::fmt::Write;
use std::process::ExitCode;

use shared::document::probes::ProbeRow;
use shared::document::reproduce::{Check, PublishedTool, from_document, from_probes};

use crate::cli::ReproduceArguments;
use crate::log::say;
use crate::probe_command::BAD_ARGUMENTS;
use crate::text::printable;

/// 0 where every figure is its own, 1 where one is not, 2 where there was nothing to redo.
pub(crate) async fn run(arguments: &ReproduceArguments) -> ExitCode {
    match redo(arguments).await {
        Ok(checks) => {
            print!("{}", told(&checks));
            let equal = checks.iter().all(Check::is_equal);
            if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(fault) => {
            say(format_args!("error: {fault}"));
            ExitCode::from(BAD_ARGUMENTS)
        }
    }
}

async fn redo(arguments: &ReproduceArguments) -> Result<Vec<Check>, String> {
    let text = source::read(&arguments.tool).await?;
    let tool = document(&arguments.tool, &text)?;
    let mut checks = from_document(&tool).map_err(|fault| fault.to_string())?;
    if !arguments.probes.is_empty() {
        let mut rows = Vec::new();
        for probes in &arguments.probes {
            rows.extend(rows_of(probes, &source::read(probes).await?)?);
        }
        checks.extend(from_probes(&tool, &rows).map_err(|fault| fault.to_string())?);
    }
    Ok(checks)
}

fn document(name: &str, text: &str) -> Result<PublishedTool, String> {
    serde_json::from_str(text).map_err(|error| {
        format!("{} is no tool.json of this version: {}", printable(name), printable(&error.to_string()))
    })
}

/// One JSON object a line; empty lines are passed over.
fn rows_of(name: &str, text: &str) -> Result<Vec<ProbeRow>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(place, line)| {
            serde_json::from_str(line).map_err(|error| {
                let error = error.to_string();
                format!(
                    "{}, line {}: no row of probes.ndjson: {}",
                    printable(name),
                    place + 1,
                    printable(&error)
                )
            })
        })
        .collect()
}

/// One line a figure, then the verdict.
fn told(checks: &[Check]) -> String {
    let mut text = String::new();
    let width = checks.iter().map(|check| check.figure.len()).max().unwrap_or(0);
    for check in checks {
        let Check { figure, published, redone, how } = check;
        let (published, redone, how) = (printable(published), printable(redone), printable(how));
        let _ = match check.is_equal() {
            true => writeln!(text, "equal    {figure:width$}  {published}   [{how}]"),
            false => {
                writeln!(text, "DIFFERS  {figure:width$}  published {published}, redone {redone}   [{how}]")
            }
        };
    }
    let differing = checks.iter().filter(|check| !check.is_equal()).count();
    let _ = match differing {
        0 => writeln!(text, "{} figures redone, all equal.", checks.len()),
        _ => writeln!(text, "{} figures redone, {differing} of them differ.", checks.len()),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_line_and_the_last_one_counts() {
        let check = |figure, published: &str, redone: &str| Check {
            figure,
            published: published.to_owned(),
            redone: redone.to_owned(),
            how: "h\u{1b}[2J".to_owned(),
        };
        let text = told(&[check("health.score", "99", "99"), check("trust.score", "50", "51")]);
        assert_eq!(text.lines().count(), 3);
        assert!(text.starts_with("equal    health.score  99"), "{text}");
        assert!(text.contains("DIFFERS  trust.score   published 50, redone 51"), "{text}");
        assert!(text.ends_with("2 figures redone, 1 of them differ.\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "nothing reaches a terminal raw");
    }

    #[test]
    fn what_is_no_document_is_said_with_its_place() {
        let fault = document("a.json", "{\"formula_version\": 1}").unwrap_err();
        assert!(fault.starts_with("a.json is no tool.json of this version: "), "{fault}");
        let fault = rows_of("p.ndjson", "\n{}\n").unwrap_err();
        assert!(fault.starts_with("p.ndjson, line 2: no row of probes.ndjson: missing field"), "{fault}");
        assert_eq!(rows_of("p.ndjson", "\n \n").unwrap(), []);
    }
}
