//! When to start which probe: at its due time, one at a time to a host, a pause between two, and never too many.
//!
//! Pure: time enters as milliseconds of any clock that only moves forward.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use shared::methodology::HOST_GAP_MS;

/// Hosts remembered before those that are free again are first looked for.
const FIRST_SWEEP: usize = 1_024;

/// One probe to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job<T> {
    pub(crate) host: String,
    /// Not before this.
    pub(crate) due_ms: u64,
    /// Not after this: the result would be refused.
    pub(crate) last_start_ms: u64,
    pub(crate) task: T,
}

/// What to do now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next<T> {
    /// Start this one, and say `finished` when it is over.
    Start(Job<T>),
    /// Its time has passed: drop it.
    Missed(Job<T>),
    /// Nothing before this time.
    At(u64),
    /// Nothing until a probe finishes or a job is added.
    Idle,
}

/// The jobs that wait and the hosts they wait for.
#[derive(Debug)]
pub(crate) struct Pace<T> {
    most_running: usize,
    running: usize,
    waiting: usize,
    sequence: u64,
    hosts: HashMap<String, Host<T>>,
    /// The hosts that are not busy and have a job, by the time it can start.
    ready: BTreeSet<(u64, String)>,
    /// Hosts are swept when there are this many.
    sweep_at: usize,
}

#[derive(Debug)]
struct Host<T> {
    /// In order of due time, then of arrival.
    jobs: BTreeMap<(u64, u64), Job<T>>,
    busy: bool,
    free_from_ms: u64,
}

impl<T> Host<T> {
    fn next_start_ms(&self) -> Option<u64> {
        let (due_ms, _) = self.jobs.first_key_value()?.0;
        (!self.busy).then_some((*due_ms).max(self.free_from_ms))
    }
}

impl<T> Default for Host<T> {
    fn default() -> Self {
        Self { jobs: BTreeMap::new(), busy: false, free_from_ms: 0 }
    }
}

impl<T> Pace<T> {
    /// At most `most_running` probes at a time (at least 1).
    pub(crate) fn new(most_running: usize) -> Self {
        Self {
            most_running: most_running.max(1),
            running: 0,
            waiting: 0,
            sequence: 0,
            hosts: HashMap::new(),
            ready: BTreeSet::new(),
            sweep_at: FIRST_SWEEP,
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(crate) fn running(&self) -> usize {
        self.running
    }

    pub(crate) fn add(&mut self, job: Job<T>) {
        let name = job.host.clone();
        let key = (job.due_ms, self.sequence);
        self.sequence += 1;
        self.waiting += 1;
        self.change(&name, |host| {
            host.jobs.insert(key, job);
        });
    }

    /// What to do at `now_ms`. Call again until the answer is `At` or `Idle`.
    pub(crate) fn next(&mut self, now_ms: u64) -> Next<T> {
        let Some((start_ms, name)) = self.ready.first().cloned() else {
            return Next::Idle;
        };
        if start_ms > now_ms {
            return Next::At(start_ms);
        }
        let most_running = self.running >= self.most_running;
        let mut taken = None;
        self.change(&name, |host| {
            let missed = host.jobs.first_entry().is_some_and(|first| first.get().last_start_ms < now_ms);
            if missed || !most_running {
                taken = host.jobs.pop_first().map(|(_, job)| (job, missed));
                host.busy = !missed && taken.is_some();
            }
        });
        match taken {
            None => Next::Idle,
            Some((job, missed)) => {
                self.waiting -= 1;
                if missed {
                    return Next::Missed(job);
                }
                self.running += 1;
                Next::Start(job)
            }
        }
    }

    /// A started probe of this host is over.
    pub(crate) fn finished(&mut self, host: &str, now_ms: u64) {
        self.running = self.running.saturating_sub(1);
        self.change(host, |host| {
            host.busy = false;
            host.free_from_ms = now_ms + HOST_GAP_MS;
        });
        if self.hosts.len() >= self.sweep_at {
            self.hosts.retain(|_, host| host.busy || !host.jobs.is_empty() || host.free_from_ms > now_ms);
            self.sweep_at = FIRST_SWEEP.max(2 * self.hosts.len());
        }
    }

    /// Drops every job that has not started; gives how many.
    pub(crate) fn clear(&mut self) -> usize {
        self.ready.clear();
        self.hosts.values_mut().for_each(|host| host.jobs.clear());
        std::mem::take(&mut self.waiting)
    }

    /// Changes a host and keeps `ready` in step with it.
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Host<T>)) {
        let host = self.hosts.entry(name.to_owned()).or_default();
        if let Some(start_ms) = host.next_start_ms() {
            self.ready.remove(&(start_ms, name.to_owned()));
        }
        change(host);
        if let Some(start_ms) = host.next_start_ms() {
            self.ready.insert((start_ms, name.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests;
