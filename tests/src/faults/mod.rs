//! Faults a prober meets in a process of its own, what it did about each, and the table of them.

pub mod damage;
pub mod disk;
pub mod document;
pub mod others;
mod rhythm;
pub mod scene;
pub mod worker;

/// What was seen of one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub fault: String,
    pub does: String,
    /// The line on stderr.
    pub told: String,
    /// What became of the votes.
    pub votes: String,
}

/// A kind of faults, with what was found that must not be.
#[derive(Debug, Clone, Default)]
pub struct Section {
    pub title: &'static str,
    pub rows: Vec<Row>,
    pub findings: Vec<String>,
    /// Faults that this machine does not let be made, and why.
    pub skipped: Vec<(String, String)>,
}

/// Runs every piece at the same time and gives what came of them in order: most of them wait.
///
/// # Panics
/// Where one of them does.
pub fn at_once<T: Sync, R: Send>(pieces: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let running: Vec<_> = pieces.iter().map(|piece| scope.spawn(|| work(piece))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
