//! What was done since it was last told, for the operator.

use std::sync::Mutex;

use shared::outcome::Counted;
use shared::vote::Vote;

use crate::deliver::Delivered;
use crate::log::say;
use crate::text::printable;

/// Counters of one stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    successes: u64,
    failures: u64,
    no_evidence: u64,
    missed: u64,
    delivered: u64,
    rejected: u64,
}

/// Counts for all tasks; with `verbose` it also writes one line a vote.
#[derive(Debug)]
pub(super) struct Tally {
    verbose: bool,
    counters: Mutex<Counters>,
}

impl Tally {
    pub(super) const fn new(verbose: bool) -> Self {
        Self {
            verbose,
            counters: Mutex::new(Counters {
                successes: 0,
                failures: 0,
                no_evidence: 0,
                missed: 0,
                delivered: 0,
                rejected: 0,
            }),
        }
    }

    pub(super) fn voted(&self, slug: &str, vote: &Vote) {
        self.count(|counters| match vote.class.counted() {
            Counted::Success => counters.successes += 1,
            Counted::Failure => counters.failures += 1,
            Counted::None => counters.no_evidence += 1,
        });
        if self.verbose {
            say(line(slug, vote));
        }
    }

    /// A slot whose time passed before its probe could start.
    pub(super) fn missed(&self, slug: &str, slot: u32) {
        self.count(|counters| counters.missed += 1);
        if self.verbose {
            say(format_args!("missed listing={} slot={slot}", printable(slug)));
        }
    }

    pub(super) fn delivered(&self, moved: Delivered) {
        self.count(|counters| {
            counters.delivered += moved.stored as u64;
            counters.rejected += moved.rejected as u64;
        });
    }

    /// Tells what was counted and begins anew. Says nothing where nothing happened.
    pub(super) fn tell(&self, waiting: usize, running: usize) {
        let mut told = Counters::default();
        self.count(|counters| told = std::mem::take(counters));
        if told == Counters::default() {
            return;
        }
        let Counters { successes, failures, no_evidence, missed, delivered, rejected } = told;
        say(format_args!(
            "{} probed ({successes} success, {failures} failure, {no_evidence} no evidence), {missed} missed; \
             {delivered} delivered, {rejected} refused; {running} running, {waiting} waiting",
            successes + failures + no_evidence
        ));
    }

    fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut self.counters.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

/// One vote as `name=value` pairs, fixed words and numbers but for the slug.
fn line(slug: &str, vote: &Vote) -> String {
    let number = |value: Option<u32>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    format!(
        "vote listing={} slot={} class={} reason={} phase={} status={} latency_ms={} tools={}",
        printable(slug),
        vote.slot,
        vote.class,
        vote.reason.map_or("-", |reason| reason.word()),
        vote.phase.map_or("-", |phase| phase.word()),
        number(vote.http_status.map(u32::from)),
        number(vote.latency_ms),
        number(vote.shape.map(|shape| shape.count)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::tests::vote;

    #[test]
    fn a_vote_is_one_line_that_a_program_can_split() {
        assert_eq!(
            line("a\nb", &vote(1, 7)),
            "vote listing=a\\u{a}b slot=7 class=up reason=- phase=- status=200 latency_ms=12 tools=-"
        );
    }

    #[test]
    fn a_stretch_is_told_once() {
        let tally = Tally::new(false);
        tally.voted("a", &vote(1, 7));
        tally.missed("a", 8);
        tally.delivered(Delivered { stored: 3, rejected: 1, again: 0 });
        let counted = *tally.counters.lock().unwrap();
        let expected = Counters { successes: 1, missed: 1, delivered: 3, rejected: 1, ..Counters::default() };
        assert_eq!(counted, expected);
        tally.tell(0, 0);
        assert_eq!(*tally.counters.lock().unwrap(), Counters::default());
    }
}
