//! The fuse on our DELETE: a server that dies of it is not blamed, and gets no second one.

use std::time::Duration;

use isitstillup_tests::client::{document, now_ms};
use isitstillup_tests::endpoints;
use isitstillup_tests::prober::probe;
use isitstillup_tests::sample;
use isitstillup_tests::site::Site;
use shared::outcome::{Class, Reason};
use shared::schedule::{minute_of, slot_ms};
use shared::verdict::{Learned, ProbeReport};
use shared::vote::{Vote, VoteStatus};

/// What the prober sees of the older Python server: it is up, and then gone.
fn look_twice() -> [ProbeReport; 2] {
    let mut server = endpoints::older_python();
    let good = probe(server.url());
    assert_eq!(good.class, Class::Up, "{good:#?}");
    assert!(good.requests.iter().any(|request| request.starts_with("DELETE")), "{good:#?}");
    // It answers 500 while it dies.
    server.wait_for_end(Duration::from_secs(10));
    let dead = probe(server.url());
    assert_eq!(dead.class, Class::ConnectFailed, "{dead:#?}");
    [good, dead]
}

/// That as votes of two neighbouring slots.
fn votes([good, dead]: &[ProbeReport; 2], listing: u32, slots: &[u32]) -> [Vote; 2] {
    let [first, second] = slots else { panic!("two slots, not {slots:?}") };
    let base = Vote { identity: None, shape: None, violations: Vec::new(), ..sample::vote(listing, *first) };
    let up = Vote {
        class: good.class,
        reason: None,
        phase: None,
        http_status: good.http_status,
        latency_ms: good.latency_ms,
        tools_ok: good.tools_ok,
        started_ms: slot_ms(*first),
        learned: Learned { session_ended: true, ..Learned::default() },
        ..base.clone()
    };
    let down = Vote {
        slot: *second,
        class: dead.class,
        reason: dead.reason,
        phase: dead.phase,
        http_status: None,
        latency_ms: None,
        tools_ok: None,
        // Within one interval of the DELETE, as due times jitter.
        started_ms: slot_ms(*second) - 5_000,
        learned: Learned::default(),
        ..base
    };
    [up, down]
}

#[test]
fn a_python_server_that_dies_of_our_delete_is_not_blamed_and_gets_no_second_one() {
    // Several, because at no minute is every listing due.
    let listings: Vec<_> =
        (0..8).map(|number| (format!("sample-{number}"), format!("http://127.0.0.1:9/{number}"))).collect();
    let (mut site, numbers) = Site::with_listings("fuse", &listings, 60);
    let seen = look_twice();
    let now = minute_of(now_ms());
    let database = site.stop();
    let mut batch = Vec::new();
    for number in numbers.values() {
        let slots = database.slots(*number, now - 40, now - 10);
        batch.extend(votes(&seen, *number, slots.get(..2).unwrap()));
    }
    drop(database);
    site.restart();

    let armed = site.claim("fuse", 100);
    assert!(!armed.claims.is_empty() && armed.claims.iter().all(|claim| claim.end_session), "{armed:?}");
    assert!(site.deliver(&batch).iter().all(|status| *status == (VoteStatus::Accepted, None)));

    for slug in numbers.keys() {
        let published = document(site.url(), &format!("/api/v2/tools/{slug}/tool.json"));
        let votes = &published["networks"][0]["votes"];
        assert_eq!(votes[0]["classification"], Class::VantageError.word(), "{votes}");
        assert_eq!(votes[0]["reason"], Reason::AfterOurDelete.word(), "{votes}");
        assert_eq!(votes[0]["counted"], "none", "{votes}");
        assert_eq!(votes[1]["classification"], Class::Up.word(), "{votes}");
    }

    let database = site.stop();
    database.forget_offers();
    drop(database);
    site.restart();
    let blown = site.claim("fuse", 100);
    assert!(!blown.claims.is_empty() && blown.claims.iter().all(|claim| !claim.end_session), "{blown:?}");
}
