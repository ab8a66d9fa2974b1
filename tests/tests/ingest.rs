//! Claims and votes against the real Worker: who may, what is offered once, and what a second delivery changes.

use std::collections::BTreeSet;

use isitstillup_tests::client::{self, CLAIMS, KEY, NETWORK, Signer, VOTES, now_ms};
use isitstillup_tests::http::{self, Answer};
use isitstillup_tests::sample;
use isitstillup_tests::site::{Site, Status};
use shared::methodology::{IDENTITIES_PER_LISTING, SHAPES_PER_LISTING};
use shared::schedule::minute_of;
use shared::signature::{HEADER_NETWORK, HEADER_NOW, HEADER_SIGNATURE, HEADER_TIME, Signed, sign};
use shared::table::Table;
use shared::vote::{ClaimAnswer, Rejection, ShapeReference, Vote, VoteAnswers, VoteBatch, VoteStatus};

const WEEK_MINUTES: u32 = 7 * 24 * 60;

const ACCEPTED: Status = (VoteStatus::Accepted, None);
const DUPLICATE: Status = (VoteStatus::Duplicate, None);
const TAKEN: Status = (VoteStatus::Rejected, Some(Rejection::SlotTaken));

/// Which answers there were, each once.
fn kinds(statuses: &[Status]) -> Vec<Status> {
    let mut kinds = statuses.to_vec();
    kinds.sort();
    kinds.dedup();
    kinds
}

fn listings(count: u32) -> Vec<(String, String)> {
    (0..count).map(|number| (format!("sample-{number}"), format!("http://127.0.0.1:9/{number}"))).collect()
}

fn assert_problem(answer: &Answer, status: u16, what: &str) {
    assert_eq!(answer.status, status, "{what}: {}", answer.body);
    let content_type = answer.header("content-type").unwrap_or_default();
    assert!(content_type.starts_with("application/problem+json"), "{what}: {content_type}");
    let problem = answer.json();
    assert_eq!(problem["status"], status, "{what}");
    for member in ["title", "detail"] {
        assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{what}: {problem}");
    }
}

#[test]
fn a_request_that_does_not_prove_its_network_is_turned_away() {
    let site = Site::start("auth");
    let body = client::claim_body("a", 1);
    let right = Signer::right();
    let answer = right.post(site.url(), CLAIMS, &body).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    let now: i64 = answer.header(HEADER_NOW).unwrap().parse().unwrap();
    assert!((now - now_ms()).abs() < 60_000, "the Worker's clock: {now}");

    let other_key = "another key of at least 32 characters";
    for (what, signer) in [
        ("another key", Signer { key: other_key, ..right }),
        ("another network", Signer { network: "cf-edge", ..right }),
        ("an old time", Signer { time_ms: now_ms() - 121_000, ..right }),
        ("a future time", Signer { time_ms: now_ms() + 125_000, ..right }),
    ] {
        for path in [CLAIMS, VOTES] {
            let answer = signer.post(site.url(), path, &body).unwrap();
            assert_problem(&answer, 401, what);
            assert!(answer.header(HEADER_NOW).is_some(), "{what}: the clock is told all the same");
        }
    }
    // Signed for one thing, sent as another.
    let time_ms = now_ms();
    let signed =
        Signed { network: NETWORK, method: "POST", path_and_query: CLAIMS, time_ms, body: body.as_bytes() };
    let signature = sign(KEY.as_bytes(), &signed);
    let send = |path: &str, body: &str, leave_out: &str| {
        let time = time_ms.to_string();
        let headers = [
            ("content-type", "application/json"),
            (HEADER_NETWORK, NETWORK),
            (HEADER_TIME, &time),
            (HEADER_SIGNATURE, &signature),
        ];
        let headers: Vec<_> = headers.into_iter().filter(|(name, _)| *name != leave_out).collect();
        http::send("POST", &format!("{}{path}", site.url()), &headers, body.as_bytes()).unwrap()
    };
    assert_eq!(send(CLAIMS, &body, "").status, 200);
    assert_problem(&send(VOTES, &body, ""), 401, "another path");
    assert_problem(&send(&format!("{CLAIMS}?x=1"), &body, ""), 401, "a query");
    assert_problem(&send(CLAIMS, &client::claim_body("b", 1), ""), 401, "another body");
    for header in [HEADER_NETWORK, HEADER_TIME, HEADER_SIGNATURE] {
        assert_problem(&send(CLAIMS, &body, header), 401, header);
    }
    let unsigned = http::send("POST", &format!("{}/api/admin/listings", site.url()), &[], b"{}").unwrap();
    assert_problem(&unsigned, 401, "no admin token");
}

#[test]
fn a_slot_is_offered_once_to_one_holder() {
    let (mut site, numbers) = Site::with_listings("claims", &listings(40), 60);
    let first = site.claim("one", 25);
    assert_eq!((first.claims.len(), first.held_elsewhere), (25, 0), "{first:?}");
    let other = site.claim("two", 1000);
    assert_eq!((other.claims.len(), other.held_elsewhere), (0, 1), "the shard is held: {other:?}");

    let second = site.claim("one", 1000);
    let keys = |answer: &ClaimAnswer| -> BTreeSet<(u32, u32)> {
        answer.claims.iter().map(|claim| (claim.listing, claim.slot)).collect()
    };
    assert!(keys(&first).is_disjoint(&keys(&second)), "offered twice");
    let offered: BTreeSet<u32> = keys(&first).union(&keys(&second)).map(|(listing, _)| *listing).collect();
    // A listing whose slot is due later in its minute may come with the next claim.
    assert!(
        offered.len() >= 30 && offered.iter().all(|listing| numbers.values().any(|known| known == listing))
    );

    site.kill();
    site.restart();
    let after = site.claim("one", 1000);
    let before: BTreeSet<_> = keys(&first).union(&keys(&second)).copied().collect();
    assert!(keys(&after).is_disjoint(&before), "offered again after a crash");
}

/// Two sites with the same listings, and votes for these.
fn twins(name: &str) -> (Site, Site, Vec<Vote>) {
    let (mut site, numbers) = Site::with_listings(name, &listings(3), WEEK_MINUTES + 600);
    let database = site.stop();
    let now = minute_of(now_ms());
    let slots = |number: u32| database.slots(number, now - 860, now - 60);
    let votes = numbers
        .values()
        .flat_map(|number| slots(*number).into_iter().map(|slot| sample::vote(*number, slot)));
    let votes: Vec<Vote> = votes.collect();
    drop(database);
    let other = site.copy(&format!("{name}-other"));
    site.restart();
    assert!((300..=500).contains(&votes.len()), "{}", votes.len());
    (site, other, votes)
}

fn shuffle(votes: &mut [Vote]) {
    votes.sort_by_key(|vote| sample::mix(u64::from(vote.slot) * 7 + u64::from(vote.listing)));
}

/// The lines of each that the other lacks.
fn assert_same(first: &[String], second: &[String]) {
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| !those.contains(line)).cloned().collect()
    };
    assert_eq!(only(first, second), only(second, first));
}

#[test]
fn a_batch_delivered_twice_and_shuffled_leaves_the_same_database() {
    let (mut site, mut other, votes) = twins("order");
    assert_eq!(kinds(&site.deliver(&votes)), [ACCEPTED]);

    let mut shuffled = votes.clone();
    shuffle(&mut shuffled);
    assert_eq!(kinds(&other.deliver(&shuffled)), [ACCEPTED]);
    shuffled.reverse();
    assert_eq!(kinds(&other.deliver(&shuffled)), [DUPLICATE]);

    let (first, second) = (site.stop(), other.stop());
    assert_eq!(first.votes().len(), votes.len());
    assert_same(&first.contents(), &second.contents());
}

/// Late votes end in the same record as punctual ones. Tier and fuse are decisions of their time and stay out, and so
/// do sessions that were ended, which the fuse goes by.
#[test]
fn votes_that_come_late_and_in_any_order_leave_the_same_record() {
    let (mut site, mut other, mut votes) = twins("late");
    for vote in &mut votes {
        vote.learned.session_ended = false;
    }
    for part in votes.chunks(150) {
        assert_eq!(kinds(&site.deliver(part)), [ACCEPTED]);
    }
    shuffle(&mut votes);
    for part in votes.chunks(70) {
        assert_eq!(kinds(&other.deliver(part)), [ACCEPTED]);
    }
    let record = |site: &mut Site| {
        let mut lines = site.stop().contents();
        lines.retain(|line| {
            ["vote_chunk ", "identity ", "shape "].iter().any(|table| line.starts_with(table))
        });
        lines
    };
    assert_same(&record(&mut site), &record(&mut other));
}

/// A key admits one vote: other bytes for the same slot are refused, and the first stay.
#[test]
fn another_vote_for_a_taken_slot_is_refused() {
    let (mut site, numbers) = Site::with_listings("taken", &listings(1), WEEK_MINUTES);
    let database = site.stop();
    let number = *numbers.values().next().unwrap();
    let now = minute_of(now_ms());
    let slots = database.slots(number, now - 120, now - 60);
    drop(database);
    site.restart();
    let vote = sample::vote(number, *slots.first().unwrap());
    assert_eq!(site.deliver(std::slice::from_ref(&vote)), [ACCEPTED]);
    let other = Vote { latency_ms: Some(9_999), ..vote.clone() };
    assert_eq!(site.deliver(std::slice::from_ref(&other)), [TAKEN]);
    assert_eq!(site.deliver(&[vote]), [DUPLICATE]);
    assert_eq!(site.stop().votes().len(), 1);
}

/// A server that calls itself something else, and lists other tools, at every probe: what is kept of it is bounded, and
/// the newest is always there.
#[test]
fn a_server_that_is_another_each_time_stays_bounded_and_known() {
    let (mut site, numbers) = Site::with_listings("fickle", &listings(1), WEEK_MINUTES);
    let database = site.stop();
    let number = *numbers.values().next().unwrap();
    let now = minute_of(now_ms());
    let slots = database.slots(number, now - 6_000, now - 60);
    drop(database);
    site.restart();
    assert!(slots.len() > usize::try_from(IDENTITIES_PER_LISTING).unwrap() + 100, "{}", slots.len());
    let mut version = 0;
    for part in slots.chunks(70) {
        let mut batch = VoteBatch { votes: Vec::new(), shapes: Table::default() };
        for slot in part {
            version += 1;
            let shape = sample::shape_named(&format!("tool-{version}"));
            let reference = ShapeReference { digest: shape.digest(), count: 1, complete: true };
            batch.votes.push(sample::fickle(number, *slot, version, reference));
            batch.shapes.set(reference.digest, shape);
        }
        let answer =
            Signer::right().post(site.url(), VOTES, &serde_json::to_string(&batch).unwrap()).unwrap();
        let answers: VoteAnswers = serde_json::from_str(&answer.body).unwrap();
        assert!(
            answers.results.iter().all(|result| result.status == VoteStatus::Accepted),
            "{}",
            answer.body
        );
        let document =
            http::send("GET", &format!("{}/api/v2/tools/sample-0/tool.json", site.url()), &[], b"").unwrap();
        let seen = &document.json()["networks"][0];
        assert_eq!(seen["server"]["version"], format!("1.{version}.0"), "{seen}");
        assert_eq!(seen["tools"]["names"], serde_json::json!([format!("tool-{version}")]));
    }
    let contents = site.stop().contents();
    let rows = |table: &str| u32::try_from(contents.iter().filter(|line| line.starts_with(table)).count());
    assert!((1..=IDENTITIES_PER_LISTING).contains(&rows("identity ").unwrap()));
    assert!((1..=SHAPES_PER_LISTING).contains(&rows("shape ").unwrap()));
}

#[test]
fn wrong_requests_get_problem_documents() {
    let site = Site::start("problems");
    client::add_listing(site.url(), "sample-one", "http://127.0.0.1:9/mcp");
    let send =
        |method: &str, path: &str| http::send(method, &format!("{}{path}", site.url()), &[], b"").unwrap();
    for (method, path, status) in [
        ("GET", "/api/v2/nothing", 404),
        ("GET", "/nothing/at/all", 404),
        ("GET", "/api/v2/tools/no-such-tool/tool.json", 404),
        ("GET", "/api/v2/tools/Not-A-Slug/tool.json", 400),
        ("GET", "/api/v2/tools.json?after=Not-A-Slug", 400),
        ("POST", "/api/v2/tools.json", 405),
        ("GET", CLAIMS, 405),
        ("DELETE", VOTES, 405),
        ("PUT", "/", 405),
        // A method that the platform knows by no name of its own.
        ("PROPFIND", "/", 405),
        ("MKCOL", "/api/admin/listings", 405),
    ] {
        let answer = send(method, path);
        assert_problem(&answer, status, &format!("{method} {path}"));
        assert_eq!(answer.header("allow").is_some(), status == 405, "{method} {path}");
    }
    // A signed body that breaks a rule names the member.
    for (body, field) in [
        ("{", "body"),
        (r#"{"holder":"a b","capacity":1}"#, "holder"),
        (r#"{"holder":"a","capacity":1001}"#, "capacity"),
        (r#"{"holder":"a","capacity":1,"more":true}"#, "more"),
        (r#"{"holder":"a","capacity":-1}"#, "capacity"),
    ] {
        let answer = Signer::right().post(site.url(), CLAIMS, body).unwrap();
        assert_problem(&answer, 400, body);
        assert_eq!(answer.json()["field"], field, "{body}");
    }
}

#[test]
fn a_listing_has_its_own_slug_and_url() {
    let site = Site::start("listings");
    client::add_listing(site.url(), "sample-one", "http://127.0.0.1:9/mcp");
    let add = |slug: &str, url: &str| {
        let body = serde_json::json!({"slug": slug, "name": "Sample", "url": url}).to_string();
        client::admin(site.url(), "POST", &body)
    };
    for (slug, url, field) in [
        ("sample-one", "http://127.0.0.1:9/other", "slug"),
        ("sample-two", "http://127.0.0.1:9/mcp", "url"),
        ("sample-two", "HTTP://127.0.0.1:9/mcp", "url"),
    ] {
        let answer = add(slug, url);
        assert_problem(&answer, 409, url);
        let problem = answer.json();
        assert_eq!(
            (&problem["existing"], &problem["field"]),
            (&"sample-one".into(), &field.into()),
            "{problem}"
        );
    }
    for (slug, url, field) in [
        ("Not A Slug", "http://127.0.0.1:9/a", "slug"),
        ("sample-three", "ftp://127.0.0.1/a", "url"),
        ("sample-three", "http://name:word@127.0.0.1/a", "url"),
        ("sample-three", "no url", "url"),
    ] {
        let answer = add(slug, url);
        assert_problem(&answer, 400, url);
        assert_eq!(answer.json()["field"], field, "{slug} {url}");
    }
    let listed = client::admin(site.url(), "GET", "").json();
    assert_eq!(listed["listings"].as_array().map(Vec::len), Some(1), "{listed}");
}
