//! Which addresses are connected to: none but those that were resolved once and passed the guard, whatever names,
//! redirects and documents say. One address of this machine stands in for a public one; behind the others listens a
//! trap, which a single connection would spring.

mod scene;

use std::net::IpAddr;
use std::sync::atomic::Ordering;

use name_server::{Answer, NameServer, RecordType, Zone};
use shared::outcome::{Class, FrontDoor, FrontDoorNote as Note, Reason};

use super::*;
use scene::{Endpoint, PRIVATE, PUBLIC, closing, good};

/// A name that is public when first asked for, and private ever after.
fn rebinding() -> Zone {
    Zone::new().decides("rebinding.mcp.example", |asked| {
        Answer::addresses(if asked.number == 1 { &[PUBLIC] } else { &[PRIVATE, "::1"] })
    })
}

/// That the trap stays unsprung below is the guard's doing: without it, the same name leads there.
#[tokio::test]
async fn the_trap_works() {
    let endpoint = Endpoint::start(good).await;
    let names = inward_names();
    endpoint.probe("inside.mcp.example", &names).await;
    endpoint.trap.assert_unsprung("guarded");
    endpoint.probe_with(Guard::Private, "inside.mcp.example", &names).await;
    assert!(endpoint.trap.is_sprung());
}

#[tokio::test]
async fn a_name_is_resolved_once_and_connected_to_as_checked() {
    let endpoint = Endpoint::start(good).await;
    let names = NameServer::start(rebinding());
    let verdict = endpoint.probe("rebinding.mcp.example", &names).await;
    assert_eq!((verdict.class, verdict.reason), (Class::Up, None), "{verdict:?}");
    assert_eq!(verdict.requests.len(), 4, "{verdict:?}");
    assert_eq!(endpoint.connections.load(Ordering::Relaxed), 4, "each request had its own connection");
    for kind in [RecordType::A, RecordType::AAAA] {
        let asked = names.asked("rebinding.mcp.example");
        assert_eq!(asked.iter().filter(|question| question.kind == kind).count(), 1, "{asked:?}");
    }
    endpoint.trap.assert_unsprung("rebinding");
    // The next probe asks anew, and is told the truth.
    let verdict = endpoint.probe("rebinding.mcp.example", &names).await;
    assert_eq!((verdict.class, verdict.reason), (Class::Skipped, Some(Reason::PrivateAddress)));
    endpoint.trap.assert_unsprung("rebound");
}

#[tokio::test]
async fn a_redirect_within_the_origin_goes_where_the_first_request_went() {
    let endpoint = Endpoint::start(|request, port| {
        if request.starts_with("POST /mcp ") {
            closing(307, "Location: /moved\r\n", "")
        } else {
            good(request, port)
        }
    })
    .await;
    let names = NameServer::start(rebinding());
    let verdict = endpoint.probe("rebinding.mcp.example", &names).await;
    assert_eq!(verdict.class, Class::Up, "{verdict:?}");
    assert!(verdict.requests.contains(&"POST /moved".to_owned()), "{verdict:?}");
    assert_eq!(names.asked("rebinding.mcp.example").len(), 2);
    endpoint.trap.assert_unsprung("redirected");
}

#[tokio::test]
async fn names_that_resolve_to_what_is_not_public_are_left_alone() {
    let endpoint = Endpoint::start(good).await;
    let table = [
        "127.0.0.1",
        "127.1.2.3",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "192.0.0.192",
        "255.255.255.255",
        "224.0.0.1",
        "::",
        "::1",
        "fe80::1",
        "fd00:ec2::254",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::127.0.0.1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "2001:0:7f00:1::",
        "ff02::1",
    ];
    for address in table {
        let names = NameServer::start(Zone::new().says("inside.mcp.example", Answer::addresses(&[address])));
        let verdict = endpoint.probe("inside.mcp.example", &names).await;
        let seen = (verdict.class, verdict.reason, verdict.requests.len());
        assert_eq!(seen, (Class::Skipped, Some(Reason::PrivateAddress), 0), "{address}");
        endpoint.trap.assert_unsprung(address);
    }
}

#[tokio::test]
async fn of_a_mixture_only_public_addresses_are_connected_to() {
    let endpoint = Endpoint::start(good).await;
    let late = Duration::from_millis(200);
    let mixture = |private: &'static [&str]| Answer::addresses(&[private, &[PUBLIC]].concat());
    let zone = Zone::new()
        .says("before.mcp.example", mixture(&[PRIVATE]))
        .says("after.mcp.example", Answer::addresses(&[PUBLIC, PRIVATE]))
        .says("other-family.mcp.example", mixture(&["::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"]))
        .says("many.mcp.example", mixture(&["10.0.0.1"; 200]).truncated())
        .decides("late.mcp.example", move |asked| match asked.kind {
            // What comes late passes the guard as well.
            RecordType::AAAA => Answer::addresses(&["::1"]).late(late),
            _ => Answer::addresses(&[PUBLIC]),
        })
        .decides("first-private.mcp.example", move |asked| match asked.kind {
            RecordType::AAAA => Answer::addresses(&["::1"]),
            _ => Answer::addresses(&[PUBLIC]).late(late),
        });
    let names = NameServer::start(zone);
    for host in [
        "before.mcp.example",
        "after.mcp.example",
        "other-family.mcp.example",
        "many.mcp.example",
        "late.mcp.example",
        "first-private.mcp.example",
    ] {
        let verdict = endpoint.probe(host, &names).await;
        assert_eq!(verdict.class, Class::Up, "{host}: {verdict:?}");
        endpoint.trap.assert_unsprung(host);
    }
}

/// Every way to write an address of this machine into a URL, and names that lead there.
fn inward(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "%31%32%37.0.0.1",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "localhost",
        "localhost.",
        "app.localhost",
        "inside.mcp.example",
        "inside.mcp.example.",
        "INSIDE.mcp.example",
        "alias.mcp.example",
    ];
    hosts.iter().map(|host| format!("https://{host}:{port}/there")).collect()
}

fn inward_names() -> NameServer {
    let inside = || Answer::addresses(&[PRIVATE, "::1"]);
    NameServer::start(
        Zone::new()
            .says("endpoint.mcp.example", Answer::addresses(&[PUBLIC]))
            .says("inside.mcp.example", inside())
            .says("alias.mcp.example", Answer::Alias("inside.mcp.example".into())),
    )
}

#[tokio::test]
async fn a_redirect_leads_nowhere_inside() {
    let names = inward_names();
    for number in 0..inward(0).len() {
        for status in [301, 302, 303, 307, 308] {
            let endpoint = Endpoint::start(move |_, port| {
                closing(status, &format!("Location: {}\r\n", inward(port)[number]), "")
            })
            .await;
            let verdict = endpoint.probe("endpoint.mcp.example", &names).await;
            let target = &inward(endpoint.port)[number];
            assert_eq!(verdict.class, Class::Redirect, "{status} {target}: {verdict:?}");
            endpoint.trap.assert_unsprung(target);
        }
    }
}

#[tokio::test]
async fn a_challenge_leads_nowhere_inside() {
    let names = inward_names();
    for number in 0..inward(0).len() {
        let endpoint = Endpoint::start(move |_, port| {
            let target = &inward(port)[number];
            closing(401, &format!("WWW-Authenticate: Bearer resource_metadata=\"{target}\"\r\n"), "")
        })
        .await;
        let verdict = endpoint.probe("endpoint.mcp.example", &names).await;
        let target = &inward(endpoint.port)[number];
        assert_eq!(verdict.front_door, Some(FrontDoor::Partial), "{target}: {verdict:?}");
        assert!(verdict.front_door_notes.contains(&Note::MetadataUrlRefused), "{target}: {verdict:?}");
        assert_eq!(verdict.requests, ["POST /mcp"], "{target}");
        endpoint.trap.assert_unsprung(target);
    }
}

#[tokio::test]
async fn a_document_leads_nowhere_inside() {
    let names = inward_names();
    for number in 0..inward(0).len() {
        let endpoint = Endpoint::start(move |request, port| {
            if request.starts_with("POST ") {
                return closing(401, "WWW-Authenticate: Bearer\r\n", "");
            }
            let document = serde_json::json!({
                "resource": format!("https://endpoint.mcp.example:{port}/mcp"),
                "authorization_servers": [inward(port)[number]],
            });
            closing(200, "Content-Type: application/json\r\n", &document.to_string())
        })
        .await;
        let verdict = endpoint.probe("endpoint.mcp.example", &names).await;
        let target = &inward(endpoint.port)[number];
        assert_eq!(verdict.front_door, Some(FrontDoor::Partial), "{target}: {verdict:?}");
        let asked = ["POST /mcp", "GET /.well-known/oauth-protected-resource/mcp"];
        assert_eq!(verdict.requests, asked, "{target}");
        endpoint.trap.assert_unsprung(target);
    }
}

#[tokio::test]
async fn a_documents_redirect_leads_nowhere_inside() {
    let names = inward_names();
    for number in 0..inward(0).len() {
        let endpoint = Endpoint::start(move |request, port| {
            if request.starts_with("POST ") {
                return closing(401, "WWW-Authenticate: Bearer\r\n", "");
            }
            closing(302, &format!("Location: {}\r\n", inward(port)[number]), "")
        })
        .await;
        let verdict = endpoint.probe("endpoint.mcp.example", &names).await;
        let target = &inward(endpoint.port)[number];
        assert_eq!(verdict.class, Class::AuthRequired, "{target}: {verdict:?}");
        assert!(verdict.requests.iter().all(|request| !request.contains("there")), "{target}: {verdict:?}");
        endpoint.trap.assert_unsprung(target);
    }
}

/// The guard judges addresses; these texts never become a URL, or become one of the addresses above.
#[test]
fn odd_notations_are_the_addresses_they_mean() {
    for (text, meaning) in [
        ("https://2130706433/", Some("127.0.0.1")),
        ("https://0x7f.0x0.0x0.0x1/", Some("127.0.0.1")),
        ("https://127.1/", Some("127.0.0.1")),
        ("https://%31%30.0.0.1/", Some("10.0.0.1")),
        ("https://[::ffff:a9fe:a9fe]/", Some("::ffff:169.254.169.254")),
        ("https://[fe80::1%25eth0]/", None),
        ("https://4294967296/", None),
        ("https://1.2.3.4.5/", None),
        ("https://127.0.0.1.1/", None),
        ("https://[::1]:99999/", None),
    ] {
        let host = Url::parse(text).ok().and_then(|url| match url.host()? {
            url::Host::Ipv4(address) => Some(IpAddr::from(address)),
            url::Host::Ipv6(address) => Some(IpAddr::from(address)),
            url::Host::Domain(name) => panic!("{text} is the name {name}"),
        });
        assert_eq!(host, meaning.map(|address| address.parse().unwrap()), "{text}");
    }
}
