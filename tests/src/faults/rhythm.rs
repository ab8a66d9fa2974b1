//! How often a prober may ask, as its published pauses allow: the rule of `prober/src/backoff.rs`, said once more.

use std::time::Duration;

use crate::misbehaving_worker::Asked;
use crate::misbehaving_worker::behaviours::Rhythm;

/// The shortest first pause.
const SHORTEST: Duration = Duration::from_millis(500);

/// What the rhythm means, for the table.
pub(super) fn words(rhythm: Rhythm) -> &'static str {
    match rhythm {
        Rhythm::Doubling(1) => "tries again, with pauses that double",
        Rhythm::Doubling(_) => {
            "signs once more by the Worker's time, then tries again with pauses that double"
        }
        Rhythm::Steady => "takes what is acknowledged, and sends the rest after a pause of a second",
        Rhythm::Halving => {
            "halves the batch down to one vote, then tries single votes with pauses that double"
        }
        Rhythm::Asked(_) => "tries again when the time asked for is over, after an hour at most",
    }
}

/// What breaks the rhythm in the requests of one kind during `lasted`.
pub(super) fn breach(rhythm: Rhythm, asked: &[Asked], lasted: Duration) -> Option<String> {
    let most = match rhythm {
        Rhythm::Doubling(each) => each * rounds(lasted),
        Rhythm::Steady => 1 + (lasted.as_millis() / SHORTEST.as_millis()) as usize,
        Rhythm::Halving => {
            // From the first batch down to one vote.
            let halvings = asked.first().and_then(|first| first.votes).unwrap_or(1).max(1).ilog2() as usize;
            halvings + rounds(lasted)
        }
        Rhythm::Asked(wait) => {
            if let [first, second, ..] = asked
                && second.at - first.at < wait
            {
                return Some(format!("asked again after {:?}, not {wait:?}", second.at - first.at));
            }
            2
        }
    };
    (asked.len() > most).then(|| format!("{} requests in {lasted:?}, more than {most}", asked.len()))
}

/// Rounds in a time, with the shortest pauses between them.
fn rounds(lasted: Duration) -> usize {
    let (mut rounds, mut pause, mut at) = (1, SHORTEST, SHORTEST);
    while at <= lasted {
        rounds += 1;
        pause *= 2;
        at += pause;
    }
    rounds
}
