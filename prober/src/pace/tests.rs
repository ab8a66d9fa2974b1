//! The laws of the pace, for any jobs and any durations of probes.

use proptest::prelude::*;

use super::*;

fn job(host: &str, due_ms: u64, last_start_ms: u64) -> Job<u32> {
    Job { host: host.to_owned(), due_ms, last_start_ms, task: 0 }
}

#[test]
fn a_job_starts_when_it_is_due_and_not_before() {
    let mut pace = Pace::new(2);
    assert_eq!(pace.next(0), Next::Idle);
    pace.add(job("a", 100, 1_000));
    assert_eq!(pace.next(99), Next::At(100));
    assert_eq!(pace.next(100), Next::Start(job("a", 100, 1_000)));
    assert_eq!((pace.waiting(), pace.running()), (0, 1));
}

#[test]
fn a_host_has_one_probe_at_a_time_and_a_pause_between_two() {
    let mut pace = Pace::new(9);
    pace.add(job("a", 0, 9_000));
    pace.add(job("a", 0, 9_000));
    assert!(matches!(pace.next(0), Next::Start(_)));
    assert_eq!(pace.next(5_000), Next::Idle, "the host is busy");
    pace.finished("a", 5_000);
    assert_eq!(pace.next(5_000), Next::At(5_000 + HOST_GAP_MS));
    assert!(matches!(pace.next(5_000 + HOST_GAP_MS), Next::Start(_)));
}

#[test]
fn a_full_house_waits_and_a_missed_job_is_named() {
    let mut pace = Pace::new(1);
    pace.add(job("a", 0, 9_000));
    pace.add(job("b", 0, 50));
    assert!(matches!(pace.next(0), Next::Start(_)));
    assert_eq!(pace.next(1), Next::Idle);
    assert_eq!(pace.next(51), Next::Missed(job("b", 0, 50)));
    pace.finished("a", 60);
    assert_eq!(pace.next(60), Next::Idle);
}

proptest! {
    /// Whatever comes in whatever order: no job early, none late, never two at a host, never too many at once, the
    /// pause kept, and every job started or missed exactly once.
    #[test]
    fn the_laws_hold(
        jobs in prop::collection::vec((0_usize..4, 0_u64..5_000, 0_u64..5_000, 1_u64..2_000), 1..60),
        most_running in 1_usize..5,
    ) {
        let mut pace = Pace::new(most_running);
        for (index, (host, due_ms, patience_ms, _)) in jobs.iter().enumerate() {
            pace.add(Job {
                host: format!("host-{host}"),
                due_ms: *due_ms,
                last_start_ms: due_ms + patience_ms,
                task: index,
            });
        }
        let mut now_ms = 0;
        let mut running: Vec<(u64, String)> = Vec::new();
        let mut ended: HashMap<String, u64> = HashMap::new();
        let mut seen = BTreeSet::new();
        while seen.len() < jobs.len() || !running.is_empty() {
            running.sort();
            match pace.next(now_ms) {
                Next::Start(job) => {
                    prop_assert!(job.due_ms <= now_ms && now_ms <= job.last_start_ms);
                    prop_assert!(running.iter().all(|(_, host)| *host != job.host));
                    prop_assert!(ended.get(&job.host).is_none_or(|end| now_ms >= end + HOST_GAP_MS));
                    prop_assert!(seen.insert(job.task));
                    running.push((now_ms + jobs[job.task].3, job.host));
                    prop_assert!(running.len() <= most_running);
                    continue;
                }
                Next::Missed(job) => {
                    prop_assert!(now_ms > job.last_start_ms);
                    prop_assert!(seen.insert(job.task));
                    continue;
                }
                Next::At(at_ms) => {
                    prop_assert!(at_ms > now_ms);
                    let end = running.first().map_or(u64::MAX, |(end, _)| *end);
                    now_ms = at_ms.min(end);
                }
                Next::Idle => now_ms = running.first().expect("idle means that something runs").0,
            }
            while let Some(position) = running.iter().position(|(end, _)| *end <= now_ms) {
                let (_, host) = running.remove(position);
                pace.finished(&host, now_ms);
                ended.insert(host, now_ms);
            }
        }
        prop_assert_eq!((pace.waiting(), pace.running()), (0, 0));
    }
}
