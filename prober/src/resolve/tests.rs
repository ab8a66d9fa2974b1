//! The resolver against a real name server on loopback that answers, denies, fails or says nothing.

use super::*;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig};
use hickory_resolver::proto::op::{Message, MessageType};
use hickory_resolver::proto::rr::Record;
use hickory_resolver::proto::rr::rdata::{A, NS};
use std::net::Ipv4Addr;
use tokio::net::UdpSocket;

/// What the name server does with a question.
#[derive(Clone, Copy)]
enum Zone {
    /// The root lives; names decide by their first label.
    Alive,
    /// SERVFAIL for everything, the root included.
    Failing,
    /// Never an answer.
    Silent,
}

async fn name_server(zone: Zone) -> NameServerConfig {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
    let port = socket.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut buffer = [0; 1_500];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let question = Message::from_vec(&buffer[..length]).unwrap();
            if let Some(answer) = answer(zone, &question) {
                let _ = socket.send_to(&answer.to_vec().unwrap(), from).await;
            }
        }
    });
    let mut udp = ConnectionConfig::udp();
    udp.port = port;
    NameServerConfig::new(Ipv4Addr::LOCALHOST.into(), true, vec![udp])
}

fn answer(zone: Zone, question: &Message) -> Option<Message> {
    let query = question.queries.first()?.clone();
    let mut answer = Message::response(question.id, question.op_code);
    answer.metadata.message_type = MessageType::Response;
    answer.metadata.recursion_available = true;
    answer.add_query(query.clone());
    let name = query.name().clone();
    let label =
        name.iter().next().map(|label| String::from_utf8_lossy(label).into_owned()).unwrap_or_default();
    match (zone, label.as_str()) {
        (Zone::Silent, _) | (_, "silent") => return None,
        (Zone::Failing, _) | (_, "servfail") => answer.metadata.response_code = ResponseCode::ServFail,
        (_, "refused") => answer.metadata.response_code = ResponseCode::Refused,
        (_, "nxdomain") => answer.metadata.response_code = ResponseCode::NXDomain,
        (_, "empty") => {}
        (_, "") => {
            let data = RData::NS(NS(Name::from_ascii("a.root-servers.net.").unwrap()));
            answer.add_answer(Record::from_rdata(name, 60, data));
        }
        // Some servers answer for A and never for AAAA.
        (_, "deaf-v6") if query.query_type() == RecordType::AAAA => return None,
        _ if query.query_type() == RecordType::A => {
            answer.add_answer(Record::from_rdata(name, 60, RData::A(A(Ipv4Addr::new(192, 0, 2, 7)))));
        }
        _ => {}
    }
    Some(answer)
}

async fn resolve(zone: Zone, host: &str) -> Result<Vec<IpAddr>, NameFault> {
    let config = ResolverConfig::from_parts(None, vec![], vec![name_server(zone).await]);
    let names =
        Names::with(config, ResolverOpts::default(), Hosts::from_system().unwrap_or_default()).unwrap();
    names.addresses(Host::Domain(host)).await.map(|found| found.first)
}

#[tokio::test]
async fn an_answer_a_denial_and_a_failure_are_told_apart() {
    let here = Ok(vec![IpAddr::from([192, 0, 2, 7])]);
    let cases = [
        ("there.example", here.clone()),
        ("nxdomain.example", Err(NameFault::NoSuchName)),
        ("empty.example", Err(NameFault::NoAddress)),
        ("servfail.example", Err(NameFault::DeadDelegation)),
        ("refused.example", Err(NameFault::ResolverFailed)),
    ];
    for (host, expected) in cases {
        assert_eq!(resolve(Zone::Alive, host).await, expected, "{host}");
    }
}

#[tokio::test]
async fn silence_for_one_name_is_its_delegation_and_silence_for_all_is_our_resolver() {
    let (one, all, failing) = tokio::join!(
        resolve(Zone::Alive, "silent.example"),
        resolve(Zone::Silent, "there.example"),
        resolve(Zone::Failing, "there.example"),
    );
    assert_eq!(one, Err(NameFault::DeadDelegation));
    assert_eq!(all, Err(NameFault::ResolverFailed));
    assert_eq!(failing, Err(NameFault::ResolverFailed));
}

#[tokio::test]
async fn a_family_that_never_answers_does_not_hold_up_the_other() {
    let start = Instant::now();
    assert!(resolve(Zone::Alive, "deaf-v6.example").await.is_ok());
    assert!(start.elapsed() < TRY / 2, "took {:?}", start.elapsed());
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
    assert_eq!(literal.first, ["2001:db8::1".parse::<IpAddr>().unwrap()]);
    let fault = async |name: &str| names.addresses(Host::Domain(name)).await.unwrap_err();
    assert_eq!(fault("there.example").await, NameFault::ResolverFailed);
    let long = format!("{}.example", "a".repeat(64));
    assert_eq!(fault(&long).await, NameFault::NoSuchName);
}

#[test]
fn families_take_turns() {
    let ips = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
    assert_eq!(
        interleaved(ips(&["::1", "::2", "::3"]), ips(&["1.1.1.1"])),
        ips(&["::1", "1.1.1.1", "::2", "::3"])
    );
}
