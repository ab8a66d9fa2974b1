//! What became of each step, and what that makes of the whole run.

use anyhow::{Result, bail};
use std::env;
use std::fmt::Display;
use std::time::{Duration, Instant};

enum Outcome {
    Passed,
    Failed(String),
    /// Something that the step needs is not on this machine.
    CannotRun(String),
    /// The caller did not ask for it.
    Skipped(String),
}

pub(super) struct Report {
    steps: Vec<(String, Duration, Outcome)>,
    /// Where `CI` is set, a step that cannot run has failed.
    strict: bool,
}

impl Report {
    pub(super) fn new() -> Self {
        Self { steps: Vec::new(), strict: env::var_os("CI").is_some_and(|value| !value.is_empty()) }
    }

    /// Runs a step that says something about the code.
    pub(super) fn step<T>(&mut self, name: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        self.timed(name, run, Outcome::Failed)
    }

    /// Runs a step that makes something ready: its failure says something about the machine.
    pub(super) fn prepare<T>(&mut self, name: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        self.timed(name, run, Outcome::CannotRun)
    }

    pub(super) fn cannot_run(&mut self, name: &str, reason: &str) {
        self.note(name, Duration::ZERO, Outcome::CannotRun(reason.to_owned()));
    }

    pub(super) fn skip(&mut self, name: &str, reason: &str) {
        self.note(name, Duration::ZERO, Outcome::Skipped(reason.to_owned()));
    }

    fn timed<T>(
        &mut self,
        name: &str,
        run: impl FnOnce() -> Result<T>,
        otherwise: impl FnOnce(String) -> Outcome,
    ) -> Option<T> {
        println!("\n== {name}");
        let begin = Instant::now();
        let (value, outcome) = match run() {
            Ok(value) => (Some(value), Outcome::Passed),
            Err(error) => (None, otherwise(format!("{error:#}"))),
        };
        self.note(name, begin.elapsed(), outcome);
        value
    }

    fn note(&mut self, name: &str, took: Duration, outcome: Outcome) {
        println!("== {}", line(name, took, &outcome));
        self.steps.push((name.to_owned(), took, outcome));
    }

    /// Prints the summary; the last line is the count.
    ///
    /// # Errors
    /// When a step failed, or could not run where that counts as failed.
    pub(super) fn finish(self) -> Result<()> {
        println!("\nSummary");
        for (name, took, outcome) in &self.steps {
            println!("  {}", line(name, *took, outcome));
        }
        let total: Duration = self.steps.iter().map(|(_, took, _)| *took).sum();
        println!("  {:7.1} s  in all", total.as_secs_f64());
        let count = |wanted: fn(&Outcome) -> bool| self.steps.iter().filter(|step| wanted(&step.2)).count();
        let passed = count(|outcome| matches!(outcome, Outcome::Passed));
        let mut failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let missing = count(|outcome| matches!(outcome, Outcome::CannotRun(_)));
        if missing > 0 && self.strict {
            failed += missing;
            println!("  CI is set: what cannot run here counts as failed");
        } else if missing > 0 {
            println!("  warning: {missing} steps cannot run here; the list above says why");
        }
        println!("{passed} passed, {failed} failed");
        if failed > 0 {
            bail!("{failed} of {} steps failed", self.steps.len());
        }
        Ok(())
    }
}

fn line(name: &str, took: Duration, outcome: &Outcome) -> impl Display {
    let said = match outcome {
        Outcome::Passed => "passed".to_owned(),
        Outcome::Failed(why) => format!("FAILED: {why}"),
        Outcome::CannotRun(why) => format!("cannot run here: {why}"),
        Outcome::Skipped(why) => format!("skipped: {why}"),
    };
    format!("{:7.1} s  {name}: {said}", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(strict: bool) -> Report {
        Report { steps: Vec::new(), strict }
    }

    #[test]
    fn a_failed_step_fails_the_run_and_the_next_step_still_runs() {
        let mut report = report(false);
        assert_eq!(report.step("a", || -> Result<u8> { bail!("broken") }), None);
        assert_eq!(report.step("b", || Ok(7)), Some(7));
        assert_eq!(report.finish().unwrap_err().to_string(), "1 of 2 steps failed");
    }

    #[test]
    fn what_cannot_run_fails_only_where_ci_is_set() {
        for strict in [false, true] {
            let mut report = report(strict);
            report.prepare("python", || -> Result<()> { bail!("not installed") });
            report.cannot_run("servers", "python is missing");
            assert_eq!(report.finish().is_err(), strict);
        }
    }

    #[test]
    fn a_skipped_step_never_fails_the_run() {
        let mut report = report(true);
        report.skip("end to end", "--quick");
        assert!(report.finish().is_ok());
    }
}
