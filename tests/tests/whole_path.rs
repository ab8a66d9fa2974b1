//! From an added listing to a published document: real servers, the real prober, the real Worker and database.

use std::thread;
use std::time::{Duration, Instant};

use isitstillup_tests::client::{KEY, NETWORK, document};
use isitstillup_tests::endpoints;
use isitstillup_tests::http;
use isitstillup_tests::outbox::Outbox;
use isitstillup_tests::prober::Run;
use isitstillup_tests::process::Running;
use isitstillup_tests::site::Site;
use serde_json::{Value, json};

/// A slot is due within half a minute of its time, and is claimed at the turn of a minute at the latest.
const PATIENCE: Duration = Duration::from_secs(150);
/// What SIGTERM may take, with some room for a busy machine.
const GRACE: Duration = Duration::from_secs(15);

/// The first vote of each listing's only network, once all are there.
fn wait_for_votes(site: &Site, slugs: &[&str], prober: &mut Running) -> Vec<Value> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let documents: Vec<Value> = slugs
            .iter()
            .map(|slug| document(site.url(), &format!("/api/v2/tools/{slug}/tool.json")))
            .collect();
        let missing: Vec<_> =
            slugs.iter().zip(&documents).filter(|(_, document)| document["last_probe"].is_null()).collect();
        if missing.is_empty() {
            return documents;
        }
        assert!(prober.ended().is_none(), "the prober ended:\n{}", prober.log());
        assert!(Instant::now() < deadline, "no vote of {missing:?}\n{}\n{}", prober.log(), site.log());
        thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn npm_and_python_listings_are_probed_stored_and_published() {
    let (open, key, oauth) =
        (endpoints::everything(), endpoints::proxy_with_api_key(), endpoints::oauth_example());
    let (modern, python) = (endpoints::modern_only(), endpoints::fastmcp());
    let expected = [
        (
            "sample-open",
            open.url().to_owned(),
            json!({"classification": "up", "http_status": 200, "tools_ok": true}),
        ),
        ("sample-key", key.url().to_owned(), json!({"classification": "auth_required", "http_status": 401})),
        (
            "sample-oauth",
            oauth.url().to_owned(),
            json!({"classification": "auth_required", "http_status": 401}),
        ),
        ("sample-modern", modern.url().to_owned(), json!({"classification": "up", "tools_ok": true})),
        ("sample-python", python.url().to_owned(), json!({"classification": "up", "tools_ok": true})),
        (
            "sample-closed",
            endpoints::closed_port(),
            json!({"classification": "connect_failed", "counted": "failure", "reason": "connection_refused"}),
        ),
    ];
    let listings: Vec<_> = expected.iter().map(|(slug, url, _)| ((*slug).to_owned(), url.clone())).collect();
    let (site, _) = Site::with_listings("whole-path", &listings, 60);
    let outbox = Outbox::at(site.path("outbox.sqlite"));
    let run =
        Run { worker: site.url(), network: NETWORK, key: KEY, outbox: outbox.path(), holder: "whole-path" };
    let mut prober = run.start(&site.path("prober.log"));

    let slugs = expected.each_ref().map(|(slug, ..)| *slug);
    let documents = wait_for_votes(&site, &slugs, &mut prober);
    for ((slug, _, vote), document) in expected.iter().zip(&documents) {
        let last = &document["last_probe"];
        for (member, value) in vote.as_object().unwrap() {
            assert_eq!(&last[member], value, "{slug}: {member} of {last}");
        }
        assert_eq!(last["network"], NETWORK, "{slug}");
        assert_eq!(document["networks"][0]["votes"][0]["at"], last["at"], "{slug}");
    }
    let network = |slug: &str| {
        let index = slugs.iter().position(|other| *other == slug).unwrap();
        documents[index]["networks"][0].clone()
    };
    let tools = network("sample-open")["tools"].clone();
    assert!((12..=13).contains(&tools["count"].as_u64().unwrap_or(0)), "{tools}");
    assert_eq!(tools["names"].as_array().map(|names| names.len() as u64), tools["count"].as_u64());
    assert_eq!(network("sample-open")["era"], "legacy");
    assert_eq!(network("sample-open")["server"]["name"], "mcp-servers/everything");
    assert_eq!(network("sample-modern")["era"], "modern");
    assert_eq!(network("sample-key")["front_door"], "bare");
    assert_eq!(network("sample-oauth")["front_door"], "ok");
    assert_eq!(network("sample-python")["tools"]["count"], 2);
    pages_show(&site, &slugs);

    prober.signal("TERM");
    let status = prober.wait(GRACE);
    assert!(status.success(), "{status}\n{}", prober.log());
    assert_eq!(outbox.count(), Ok(0), "everything was delivered");
}

/// The pages say what the documents say.
fn pages_show(site: &Site, slugs: &[&str]) {
    let page = |path: &str| {
        let answer =
            http::send("GET", &format!("{}{path}", site.url()), &[("accept", "text/html")], b"").unwrap();
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer.header("content-security-policy").is_some_and(|policy| !policy.contains("unsafe")),
            "{path}"
        );
        answer.body
    };
    let board = page("/");
    let documents = document(site.url(), "/api/v2/tools.json");
    let listed: Vec<_> =
        documents["tools"].as_array().unwrap().iter().map(|tool| &tool["listing"]["slug"]).collect();
    for slug in slugs {
        assert!(board.contains(&format!("/tools/{slug}")), "{slug} on the board");
        assert!(listed.contains(&&json!(slug)), "{slug} in tools.json");
        assert!(page(&format!("/tools/{slug}")).contains(slug), "{slug}");
    }
    let text = http::send("GET", &format!("{}/probe.txt", site.url()), &[], b"").unwrap().body;
    for request in ["initialize", "notifications/initialized", "tools/list", "DELETE", "server/discover"] {
        assert!(text.contains(request), "probe.txt says nothing of {request}");
    }
}
