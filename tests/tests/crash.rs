//! kill -9 of the prober and of workerd in the middle of delivery: nothing is lost, nothing is there twice.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use isitstillup_tests::client::{KEY, NETWORK, now_ms};
use isitstillup_tests::outbox::Outbox;
use isitstillup_tests::prober::Run;
use isitstillup_tests::process::Running;
use isitstillup_tests::sample;
use isitstillup_tests::site::Site;
use shared::history::Record;
use shared::schedule::minute_of;
use shared::vote::{BATCH_VOTES, Vote};

const LISTINGS: u32 = 8;
const WEEK_MINUTES: u32 = 7 * 24 * 60;
/// The network's number in wrangler.toml.
const NETWORK_ID: u32 = 1;
/// One delivery takes well under a second; after a fault the prober waits some seconds.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Prober,
    Workerd,
    Both,
}

/// Waits until the outbox holds fewer votes than `most`.
fn wait_for(outbox: &Outbox, most: usize, prober: &Running, site: &Site) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let count = outbox.count();
        if count.as_ref().is_ok_and(|count| *count < most) {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{count:?} votes wait, not fewer than {most}\nprober: {}\nworkerd: {}",
            prober.log(),
            site.log()
        );
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_vote_in_the_outbox_arrives_once_whoever_is_killed() {
    let urls: Vec<_> = (0..LISTINGS)
        .map(|number| (format!("sample-{number}"), format!("http://127.0.0.1:9/{number}")))
        .collect();
    let (mut site, numbers) = Site::with_listings("crash", &urls, WEEK_MINUTES);
    let outbox = Outbox::at(site.path("outbox.sqlite"));
    let (url, log) = (site.url().to_owned(), site.path("prober.log"));
    let start = || {
        let holder = "crash-test";
        Run { worker: &url, network: NETWORK, key: KEY, outbox: outbox.path(), holder }.start(&log)
    };

    // The prober makes the file; it is then filled as after an outage of days.
    let mut prober = start();
    prober.wait_until("made its outbox", PATIENCE, || outbox.count().is_ok());
    prober.kill();
    let mut written: BTreeMap<(u32, u32), Vote> =
        outbox.waiting().into_iter().map(|vote| ((vote.listing, vote.slot), vote)).collect();
    let database = site.stop();
    let now = minute_of(now_ms());
    let mut votes = Vec::new();
    for number in numbers.values() {
        votes.extend(
            database
                .slots(*number, now - 6 * 24 * 60, now - 60)
                .iter()
                .map(|slot| sample::vote(*number, *slot)),
        );
    }
    drop(database);
    outbox.fill(&sample::batch(votes.clone()));
    written.extend(votes.into_iter().map(|vote| ((vote.listing, vote.slot), vote)));
    assert!(written.len() > 20 * BATCH_VOTES, "{}", written.len());
    site.restart();

    let mut killed_in_the_middle = 0;
    for victim in
        [Victim::Prober, Victim::Workerd, Victim::Both, Victim::Workerd, Victim::Prober, Victim::Both]
    {
        let before = outbox.count().unwrap();
        prober = start();
        // One batch was acknowledged, the next is on its way.
        wait_for(&outbox, before.saturating_sub(BATCH_VOTES / 2), &prober, &site);
        if victim != Victim::Workerd {
            prober.kill();
        }
        if victim != Victim::Prober {
            site.kill();
            thread::sleep(Duration::from_millis(300));
            site.restart();
        }
        prober.kill();
        let left = outbox.waiting();
        killed_in_the_middle += usize::from(!left.is_empty());
        // Votes of real probes that came in between.
        written.extend(left.into_iter().map(|vote| ((vote.listing, vote.slot), vote)));
    }
    assert_eq!(killed_in_the_middle, 6, "the outbox ran empty before the last kill: fill it with more");

    prober = start();
    wait_for(&outbox, 1, &prober, &site);
    prober.kill();
    assert_eq!(outbox.rejected(), Vec::<String>::new());
    // A chunk that held a slot twice would not have decoded.
    let stored = site.stop().votes();
    for ((listing, slot), vote) in &written {
        let record = stored.get(&(*listing, NETWORK_ID, *slot));
        assert!(
            record.is_some_and(|record| record.same_vote(&Record::of(vote))),
            "listing {listing}, slot {slot}: stored {record:?}, written {vote:?}"
        );
    }
}
