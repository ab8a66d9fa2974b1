//! The prober's benchmark, for a few probes: what it measures is a prober that does all of its work.

use std::time::Duration;

use isitstillup_tests::bench::{Desk, Prober, Target};
use isitstillup_tests::environment::Part;

/// Well beyond what a busy machine needs.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn every_slot_becomes_one_vote_of_three_requests_with_the_targets_tools() {
    let target = Target::start().unwrap();
    let desk = Desk::open(target.port).unwrap();
    let mut prober = Prober::start(&Part::Prober.path(), &desk, Some(20)).unwrap();
    // Held answers: no list of tools is given before all twenty probes are in flight.
    target.hold(20);
    prober.probe(&desk, 20, LIMIT).await.unwrap();
    assert_eq!(target.requests(), 60);
}

#[tokio::test]
async fn a_vote_for_another_target_fails_the_measure() {
    // Nothing speaks MCP at the desk's own port: its votes are not `up`.
    let elsewhere = Desk::open(1).unwrap();
    let desk = Desk::open(elsewhere.port).unwrap();
    let mut prober = Prober::start(&Part::Prober.path(), &desk, None).unwrap();
    let fault = prober.probe(&desk, 1, LIMIT).await.unwrap_err();
    assert!(fault.starts_with("a probe that saw something else than the target"), "{fault}");
}
