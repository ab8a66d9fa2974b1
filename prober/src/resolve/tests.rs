//! The resolver against a real name server on loopback that answers, denies, fails or says nothing.

use super::*;
use name_server::{Answer as Says, NameServer, Question, Zone};

fn here() -> Says {
    Says::addresses(&["192.0.2.7"])
}

fn both() -> Says {
    Says::addresses(&["2001:db8::7", "192.0.2.7"])
}

/// The table of most tests: each name one way to be.
fn zone() -> Zone {
    Zone::new()
        .says("there.example", here())
        .says("both.example", both())
        .says("empty.example", Says::addresses(&[]))
        .says("servfail.example", Says::Fails(ResponseCode::ServFail))
        .says("refused.example", Says::Fails(ResponseCode::Refused))
        .says("notimp.example", Says::Fails(ResponseCode::NotImp))
        .says("formerr.example", Says::Fails(ResponseCode::FormErr))
        .says("silent.example", Says::Silence)
        .says("garbage.example", Says::Garbage)
        .says("alias.example", Says::Alias("alias-2.example".into()))
        .says("alias-2.example", Says::Alias("alias-3.example".into()))
        .says("alias-3.example", here())
        .says("dangling.example", Says::Alias("nowhere.example".into()))
        .says("loop.example", Says::Alias("loop-2.example".into()))
        .says("loop-2.example", Says::Alias("loop.example".into()))
        .says("itself.example", Says::Alias("itself.example".into()))
        .says("chain.example", Says::Chain(12, vec!["192.0.2.7".parse().unwrap()]))
        .endless_aliases("endless.example")
        .says("large.example", here().truncated())
        .says("too-large.example", Says::AlwaysTruncated)
        // Some servers answer for one family and never for the other.
        .decides("deaf-v6.example", |asked| if is_v6(asked) { Says::Silence } else { here() })
        .decides("slow-v4.example", |asked| if is_v6(asked) { both() } else { both().late(LATE) })
        .decides("slow-v6.example", |asked| if is_v6(asked) { both().late(LATE) } else { both() })
        .decides(
            "mixed.example",
            |asked| {
                if is_v6(asked) { Says::Fails(ResponseCode::NXDomain) } else { here() }
            },
        )
}

/// Well beyond the moment that AAAA is given.
const LATE: Duration = Duration::from_millis(400);

fn is_v6(asked: &Question) -> bool {
    asked.kind == RecordType::AAAA
}

fn names(server: &NameServer) -> Arc<Names> {
    Names::new(&[server.address()]).unwrap()
}

async fn resolve(zone: Zone, host: &str) -> Result<Found, NameFault> {
    let server = NameServer::start(zone);
    names(&server).addresses(Host::Domain(host)).await
}

fn ips(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// Everything that is found in the end, IPv6 first.
async fn all(found: Found) -> Vec<IpAddr> {
    let mut all = found.first;
    if let Some(late) = found.late {
        all.extend(late.await);
    }
    all.sort_by_key(|address| std::cmp::Reverse(*address));
    all
}

#[tokio::test]
async fn an_answer_a_denial_and_a_failure_are_told_apart() {
    let here = || Ok(ips(&["192.0.2.7"]));
    let cases = [
        ("there.example", here()),
        ("both.example", Ok(ips(&["2001:db8::7", "192.0.2.7"]))),
        ("alias.example", here()),
        ("chain.example", here()),
        ("large.example", here()),
        ("mixed.example", here()),
        ("nxdomain.example", Err(NameFault::NoSuchName)),
        ("dangling.example", Err(NameFault::NoSuchName)),
        ("empty.example", Err(NameFault::NoAddress)),
        ("servfail.example", Err(NameFault::DeadDelegation)),
        ("formerr.example", Err(NameFault::DeadDelegation)),
        ("garbage.example", Err(NameFault::DeadDelegation)),
        ("too-large.example", Err(NameFault::DeadDelegation)),
        // A resolver says SERVFAIL of these; where it hands on the aliases alone, they lead to no address.
        ("loop.example", Err(NameFault::NoAddress)),
        ("itself.example", Err(NameFault::NoAddress)),
        ("endless.example", Err(NameFault::NoAddress)),
        ("refused.example", Err(NameFault::ResolverFailed)),
        ("notimp.example", Err(NameFault::ResolverFailed)),
    ];
    for (host, expected) in cases {
        let found = match resolve(zone(), host).await {
            Ok(found) => Ok(all(found).await),
            Err(fault) => Err(fault),
        };
        assert_eq!(found, expected, "{host}");
    }
}

#[tokio::test]
async fn silence_for_one_name_is_its_delegation_and_silence_for_all_is_our_resolver() {
    let (one, all, failing) = tokio::join!(
        resolve(zone(), "silent.example"),
        resolve(Zone::everywhere(Says::Silence), "there.example"),
        resolve(Zone::everywhere(Says::Fails(ResponseCode::ServFail)), "there.example"),
    );
    assert_eq!(one.unwrap_err(), NameFault::DeadDelegation);
    assert_eq!(all.unwrap_err(), NameFault::ResolverFailed);
    assert_eq!(failing.unwrap_err(), NameFault::ResolverFailed);
}

#[tokio::test]
async fn a_resolver_that_answers_after_the_deadline_is_as_one_that_does_not() {
    let late = |answer: Says| answer.late(TRY + Duration::from_secs(1));
    let (one, all) = tokio::join!(
        resolve(Zone::new().says("slow.example", late(Says::addresses(&["192.0.2.7"]))), "slow.example"),
        resolve(Zone::everywhere(late(Says::addresses(&["192.0.2.7"]))), "slow.example"),
    );
    assert_eq!(one.unwrap_err(), NameFault::DeadDelegation);
    assert_eq!(all.unwrap_err(), NameFault::ResolverFailed);
}

#[tokio::test]
async fn a_family_that_never_answers_does_not_hold_up_the_other() {
    let start = Instant::now();
    assert_eq!(resolve(zone(), "deaf-v6.example").await.unwrap().first, ips(&["192.0.2.7"]));
    assert!(start.elapsed() < TRY / 2, "took {:?}", start.elapsed());
}

#[tokio::test]
async fn a_family_that_answers_late_is_not_lost() {
    for (host, first, late) in
        [("slow-v4.example", "2001:db8::7", "192.0.2.7"), ("slow-v6.example", "192.0.2.7", "2001:db8::7")]
    {
        let server = NameServer::start(zone());
        let found = names(&server).addresses(Host::Domain(host)).await.unwrap();
        assert_eq!(found.first, ips(&[first]), "{host}");
        let (one, other) = (found.late.clone().unwrap(), found.late.unwrap());
        assert_eq!((one.await, other.await), (ips(&[late]), ips(&[late])), "{host}");
    }
}

#[tokio::test]
async fn where_nothing_of_the_first_family_may_be_used_the_other_is_waited_for() {
    let only_v4 = |all: Vec<IpAddr>| all.into_iter().filter(IpAddr::is_ipv4).collect();
    let found = resolve(zone(), "slow-v4.example").await.unwrap().only(only_v4).await;
    assert_eq!(found.first, ips(&["192.0.2.7"]));
    let found = resolve(zone(), "slow-v6.example").await.unwrap().only(only_v4).await;
    assert_eq!(found.first, ips(&["192.0.2.7"]));
    assert_eq!(found.late.unwrap().await, ips(&[]));
}

#[tokio::test]
async fn localhost_and_addresses_need_no_name_server() {
    let names = Names::with(
        ResolverConfig::default(),
        ResolverOpts::default(),
        Hosts::from_system().unwrap_or_default(),
    )
    .unwrap();
    let localhost = names.addresses(Host::Domain("localhost")).await.unwrap().first;
    assert!(localhost.iter().all(IpAddr::is_loopback), "{localhost:?}");
    let literal = names.addresses(Host::Ipv6("2001:db8::1".parse().unwrap())).await.unwrap();
    assert_eq!(literal.first, ips(&["2001:db8::1"]));
    let fault = async |name: &str| names.addresses(Host::Domain(name)).await.unwrap_err();
    assert_eq!(fault("there.example").await, NameFault::ResolverFailed);
    let long = format!("{}.example", "a".repeat(64));
    assert_eq!(fault(&long).await, NameFault::NoSuchName);
}

#[test]
fn families_take_turns() {
    assert_eq!(
        interleaved(ips(&["::1", "::2", "::3"]), ips(&["1.1.1.1"])),
        ips(&["::1", "1.1.1.1", "::2", "::3"])
    );
}
