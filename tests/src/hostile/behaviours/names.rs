//! Names and addresses: what a name server says, and which of the addresses live.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use name_server::{Answer, RecordType, ResponseCode, Zone};
use shared::outcome::{Class, Phase, Reason};

use super::super::behaviour::Behaviour;
use super::super::exchange::Exchange;
use super::super::expected::Expected;
use super::super::scene::HOST;
use super::super::trap;

const HERE: &str = "127.0.0.1";
/// Nothing listens there.
const DEAD: &str = "127.0.0.3";
/// Beyond what the prober waits for one answer, twice.
const TOO_LATE: Duration = Duration::from_secs(7);
/// Later than the other family, and in time.
const LATE: Duration = Duration::from_millis(300);

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = answers();
    all.extend(addresses());
    all.extend(one_family());
    all.extend(moving());
    all.extend(inward());
    all
}

/// A good endpoint, whatever is said of its name.
fn endpoint(name: impl Into<String>, says: impl Into<String>, expected: Expected) -> Behaviour {
    Behaviour::new(name, says, expected, |exchange| exchange.good())
}

fn fails(class: Class, reason: Reason) -> Expected {
    Expected::is(class).because(reason).at(Phase::Dns)
}

fn answers() -> Vec<Behaviour> {
    let dead = |reason| fails(Class::DnsFailure, reason);
    let ours = || fails(Class::VantageError, Reason::ResolverFailed);
    let here = || Answer::addresses(&[HERE]);
    vec![
        endpoint("name-found", "The name has an address.", Expected::up()).resolved(here()),
        endpoint("name-unknown", "The name does not exist.", dead(Reason::NoSuchName))
            .resolved(Answer::Fails(ResponseCode::NXDomain)),
        endpoint("name-without-address", "The name has no address.", dead(Reason::NoAddress))
            .resolved(Answer::addresses(&[])),
        endpoint("name-servfail", "SERVFAIL for the name; the root is fine.", dead(Reason::DeadDelegation))
            .resolved(Answer::Fails(ResponseCode::ServFail)),
        endpoint("resolver-servfail", "SERVFAIL for everything, the root too.", ours())
            .resolved_by(|| Zone::everywhere(Answer::Fails(ResponseCode::ServFail))),
        endpoint("resolver-refuses", "The resolver refuses to serve us.", ours())
            .resolved(Answer::Fails(ResponseCode::Refused)),
        endpoint("name-dropped", "No answer for the name; the root is fine.", dead(Reason::DeadDelegation))
            .resolved(Answer::Silence),
        endpoint("resolver-drops", "No answer to any question.", ours())
            .resolved_by(|| Zone::everywhere(Answer::Silence)),
        endpoint(
            "name-answered-too-late",
            "The answer for the name comes after the deadline; the root is fine.",
            dead(Reason::DeadDelegation),
        )
        .resolved(here().late(TOO_LATE)),
        endpoint("resolver-too-late", "Every answer comes after the deadline.", ours())
            .resolved_by(move || Zone::everywhere(Answer::addresses(&[HERE]).late(TOO_LATE))),
        endpoint("resolver-talks-nonsense", "The answer is no DNS message.", dead(Reason::DeadDelegation))
            .resolved(Answer::Garbage),
        endpoint("name-over-tcp", "The answer over UDP is cut short; over TCP it is whole.", Expected::up())
            .resolved(here().truncated()),
        endpoint(
            "name-never-whole",
            "The answer is cut short over UDP and over TCP.",
            dead(Reason::DeadDelegation),
        )
        .resolved(Answer::AlwaysTruncated),
        endpoint("alias", "The name is an alias, whose target is asked for.", Expected::up()).resolved_by(
            move || aliases("target.example").says("target.example", Answer::addresses(&[HERE])),
        ),
        endpoint("alias-chain", "Twelve aliases in one answer, and the address.", Expected::up())
            .resolved(Answer::Chain(12, vec![HERE.parse().unwrap()])),
        endpoint(
            "alias-dangling",
            "The name is an alias of one that does not exist.",
            dead(Reason::NoSuchName),
        )
        .resolved_by(|| aliases("nowhere.example")),
        endpoint("alias-loop", "Two names, each an alias of the other.", dead(Reason::NoAddress))
            .resolved_by(|| aliases("other.example").says("other.example", Answer::Alias(HOST.into()))),
        endpoint("alias-of-itself", "The name is an alias of itself.", dead(Reason::NoAddress))
            .resolved_by(|| aliases(HOST)),
        endpoint("alias-without-end", "Every alias leads to another one.", dead(Reason::NoAddress))
            .resolved_by(|| Zone::new().endless_aliases(HOST)),
    ]
}

fn aliases(target: &str) -> Zone {
    Zone::new().says(HOST, Answer::Alias(target.into()))
}

fn addresses() -> Vec<Behaviour> {
    let localhost_v6 = IpAddr::from(Ipv6Addr::LOCALHOST);
    let refused = Expected::is(Class::ConnectFailed).because(Reason::ConnectionRefused).at(Phase::Connect);
    let mut all = vec![
        endpoint("dead-address-first", "Two addresses, of which the first is dead.", Expected::up())
            .resolved(Answer::addresses(&[DEAD, HERE])),
        endpoint("seven-dead-addresses", "Eight addresses, of which one lives.", Expected::up())
            .resolved(Answer::addresses(&[&[DEAD; 7][..], &[HERE]].concat())),
        endpoint("all-addresses-dead", "Three addresses, all dead.", refused).resolved(Answer::addresses(&[
            DEAD,
            "127.0.0.4",
            "127.0.0.5",
        ])),
        endpoint(
            "ipv6-without-route",
            "An IPv6 address without a route, and a live IPv4 one.",
            Expected::up(),
        )
        .resolved(Answer::addresses(&["2001:db8::1", HERE])),
        endpoint("ipv4-late", "IPv6 without a route at once, the live IPv4 address later.", Expected::up())
            .resolved_by(|| by_family(Answer::addresses(&[HERE]).late(LATE), &["2001:db8::1"])),
        endpoint("ipv6-never-answered", "No answer for IPv6, and a live IPv4 address.", Expected::up())
            .resolved_by(|| {
                Zone::new().decides(HOST, |asked| match asked.kind {
                    RecordType::AAAA => Answer::Silence,
                    _ => Answer::addresses(&[HERE]),
                })
            }),
    ];
    // `cargo xtask test` says where these cannot run.
    if std::net::TcpListener::bind((localhost_v6, 0)).is_ok() {
        all.extend([
            endpoint("ipv6-alone", "IPv6 and nothing else.", Expected::up())
                .resolved(Answer::addresses(&["::1"]))
                .at(localhost_v6),
            endpoint("ipv6-dead-ipv4-live", "A dead IPv6 address beside a live IPv4 one.", Expected::up())
                .resolved(Answer::addresses(&["::1", HERE])),
            endpoint("ipv6-live-ipv4-dead", "A live IPv6 address beside a dead IPv4 one.", Expected::up())
                .resolved(Answer::addresses(&["::1", DEAD]))
                .at(localhost_v6),
        ]);
    }
    all
}

/// IPv6 addresses at once, and this for IPv4.
fn by_family(v4: Answer, v6: &'static [&'static str]) -> Zone {
    Zone::new().decides(HOST, move |asked| match asked.kind {
        RecordType::AAAA => Answer::addresses(v6),
        _ => v4.clone(),
    })
}

/// IPv4 lives, and of IPv6 something else is said.
fn one_family() -> Vec<Behaviour> {
    let mut all = Vec::new();
    for (name, says, answer) in [
        ("unknown", "is that the name does not exist", Answer::Fails(ResponseCode::NXDomain)),
        ("servfail", "is SERVFAIL", Answer::Fails(ResponseCode::ServFail)),
        ("refused", "is refused", Answer::Fails(ResponseCode::Refused)),
        ("nonsense", "is no DNS message", Answer::Garbage),
        ("never-whole", "is cut short over UDP and over TCP", Answer::AlwaysTruncated),
        ("alias-to-nowhere", "is an alias of what does not exist", Answer::Alias("nowhere.example".into())),
    ] {
        let v6 = answer.clone();
        let zone = move || {
            let v6 = v6.clone();
            Zone::new().decides(HOST, move |asked| match asked.kind {
                RecordType::AAAA => v6.clone(),
                _ => Answer::addresses(&[HERE]),
            })
        };
        let lives = format!("The answer for IPv6 {says}; an IPv4 address lives.");
        all.push(endpoint(format!("ipv6-{name}"), lives, Expected::up()).resolved_by(zone));
        let dead = format!("The answer for IPv4 {says}; an IPv6 address is dead.");
        let refused =
            Expected::is(Class::ConnectFailed).because(Reason::ConnectionRefused).at(Phase::Connect);
        if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
            let zone = move || by_family(answer.clone(), &["::1"]);
            all.push(endpoint(format!("ipv4-{name}"), dead, refused).resolved_by(zone));
        }
    }
    all
}

/// Another address for each question: the one that was checked is the one that is connected to.
fn moving() -> Vec<Behaviour> {
    let trap = trap::ADDRESS.to_string();
    let moves = move |to: &str| {
        let to = Answer::addresses(&[to]);
        move || {
            let to = to.clone();
            Zone::new().decides(HOST, move |asked| match asked.number {
                1 => Answer::addresses(&[HERE]),
                _ => to.clone(),
            })
        }
    };
    let closes = |exchange: &mut Exchange<'_>| {
        exchange.good()?;
        exchange.close();
        Ok(())
    };
    vec![
        endpoint("name-that-moves", "Another address for the second question.", Expected::up())
            .resolved_by(moves(&trap)),
        Behaviour::new(
            "name-that-moves-between-connections",
            "Another address for the second question, and a connection for each request.",
            Expected::up(),
            closes,
        )
        .resolved_by(moves(&trap)),
        endpoint(
            "name-that-moves-here",
            "A private address, and this machine for the second question.",
            fails(Class::Skipped, Reason::PrivateAddress),
        )
        .resolved_by(|| {
            Zone::new().decides(HOST, |asked| match asked.number {
                1 => Answer::addresses(&["10.0.0.1"]),
                _ => Answer::addresses(&[HERE]),
            })
        })
        .guarded()
        .over_tls(),
    ]
}

/// Probed as in production: an address that is not public is left alone, by whatever name or notation it comes.
fn inward() -> Vec<Behaviour> {
    let skipped = || fails(Class::Skipped, Reason::PrivateAddress);
    let mut all: Vec<Behaviour> = [
        ("loopback", "127.0.0.1"),
        ("private", "10.0.0.1"),
        ("link-local", "169.254.169.254"),
        ("shared", "100.64.0.1"),
        ("azure-platform", "168.63.129.16"),
        ("ipv6-loopback", "::1"),
        ("ipv6-link-local", "fe80::1"),
        ("ipv6-unique-local", "fd00:ec2::254"),
        ("ipv4-mapped", "::ffff:127.0.0.1"),
        ("nat64", "64:ff9b::127.0.0.1"),
        ("6to4", "2002:7f00:1::"),
    ]
    .into_iter()
    .map(|(name, address)| {
        let says = format!("The name resolves to {address} alone.");
        endpoint(format!("resolves-to-{name}"), says, skipped())
            .resolved(Answer::addresses(&[address]))
            .guarded()
            .over_tls()
    })
    .collect();
    for (name, host) in [
        ("dotted", "127.0.0.1"),
        ("short", "127.1"),
        ("decimal", "2130706433"),
        ("hexadecimal", "0x7f000001"),
        ("octal", "0177.0.0.1"),
        ("escaped", "%31%32%37.0.0.1"),
        ("unspecified", "0.0.0.0"),
        ("ipv6", "[::1]"),
        ("ipv4-mapped", "[::ffff:7f00:1]"),
        ("local-name", "localhost"),
    ] {
        let says = format!("The URL's host is {host}.");
        all.push(
            endpoint(format!("written-as-{name}"), says, skipped())
                .known_as(host)
                .guarded()
                .over_tls()
                .native_only(),
        );
    }
    all
}
