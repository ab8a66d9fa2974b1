//! Names with several addresses, of one family or both, some of them dead: one that lives is enough.

use name_server::{Answer, NameServer, Zone};
use shared::outcome::Phase::Connect;
use tokio::net::TcpSocket;

use super::*;

/// Nothing listens on it, at the port of the others.
const CLOSED: &str = "127.0.0.3";
/// No route leads there.
const NO_ROUTE: &str = "2001:db8::1";

/// Whether tests over IPv6 can run here; `cargo xtask test` lists that they cannot.
fn has_ipv6() -> bool {
    let has = std::net::TcpListener::bind("[::1]:0").is_ok();
    if !has {
        eprintln!("cannot run here: this machine has no IPv6 loopback");
    }
    has
}

/// An address whose listener is full: it answers no further knock. Held open while this lives.
struct Silent {
    _listener: TcpListener,
    _callers: Vec<TcpStream>,
}

impl Silent {
    async fn at(address: SocketAddr) -> Self {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.unwrap();
        socket.bind(address).unwrap();
        let listener = socket.listen(1).unwrap();
        let mut callers = Vec::new();
        let knock = || tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address));
        while let Ok(caller) = knock().await {
            callers.push(caller.unwrap());
        }
        Self { _listener: listener, _callers: callers }
    }
}

/// A good endpoint at this address of this machine; gives its port.
async fn endpoint(ip: &str) -> u16 {
    let listener = TcpListener::bind((ip, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                while let Some(request) = read_request(&mut stream).await {
                    let result = initialize_result(&id_of(&request));
                    let _ =
                        stream.write_all(&ok("Content-Type: application/json\r\n", result.as_bytes())).await;
                }
            });
        }
    });
    port
}

/// The first request to `host`, as this table has it, at the published deadlines divided by two.
async fn ask(zone: Zone, host: &str, port: u16) -> Result<Response, Fault> {
    let names = NameServer::start(zone);
    let vantage =
        Vantage { names: Names::new(&[names.address()]).unwrap(), ..Vantage::clone(&vantage(true)) };
    let mut request = first_request(&format!("http://{host}:{port}/mcp"));
    request.connect_ms *= HASTE / 4;
    request.deadline_ms *= HASTE / 4;
    Transport::new(Arc::new(vantage)).send(&request).await.outcome
}

fn host(addresses: &[&str]) -> Zone {
    Zone::new().says("host.example", Answer::addresses(addresses))
}

#[tokio::test]
async fn a_dead_address_beside_a_live_one_is_no_failure() {
    let port = endpoint("127.0.0.1").await;
    let _silent = Silent::at(SocketAddr::new("127.0.0.4".parse().unwrap(), port)).await;
    let many: Vec<&str> = [CLOSED; MOST_ADDRESSES - 1].into_iter().chain(["127.0.0.1"]).collect();
    let mut table = vec![
        vec![CLOSED, "127.0.0.1"],
        vec!["127.0.0.1", CLOSED],
        vec!["127.0.0.4", "127.0.0.1"],
        vec!["127.0.0.4", CLOSED, "127.0.0.1"],
        vec![NO_ROUTE, "127.0.0.1"],
        vec!["::ffff:127.0.0.3", "127.0.0.1"],
        many,
    ];
    if has_ipv6() {
        table.push(vec!["::1", "127.0.0.1"]);
        table.push(vec!["::1", "127.0.0.4", "127.0.0.1"]);
    }
    for addresses in table {
        let answer = ask(host(&addresses), "host.example", port).await;
        assert_eq!(answer.unwrap().status, 200, "{addresses:?}");
    }
}

#[tokio::test]
async fn ipv6_alone_and_beside_a_dead_ipv4_address_is_reached() {
    if !has_ipv6() {
        return;
    }
    let port = endpoint("::1").await;
    let _silent = Silent::at(SocketAddr::new("127.0.0.4".parse().unwrap(), port)).await;
    for addresses in [&["::1"][..], &["::1", CLOSED], &["::1", "127.0.0.4"]] {
        let answer = ask(host(addresses), "host.example", port).await;
        assert_eq!(answer.unwrap().status, 200, "{addresses:?}");
    }
}

/// A resolver may know AAAA at once and have to ask for A: what it knows first must not decide alone.
#[tokio::test]
async fn the_family_that_is_resolved_later_joins_in() {
    let late = Duration::from_millis(300);
    let port = endpoint("127.0.0.1").await;
    let late_v4 = |first: &'static str| {
        Zone::new().decides("host.example", move |asked| match asked.kind {
            name_server::RecordType::A => Answer::addresses(&["127.0.0.1"]).late(late),
            _ => Answer::addresses(&[first]),
        })
    };
    let mut firsts = vec![NO_ROUTE];
    firsts.extend(has_ipv6().then_some("::1"));
    for first in firsts {
        let answer = ask(late_v4(first), "host.example", port).await;
        assert_eq!(answer.unwrap().status, 200, "after {first}");
    }
    if has_ipv6() {
        let port = endpoint("::1").await;
        let late_v6 = Zone::new().decides("host.example", move |asked| match asked.kind {
            name_server::RecordType::A => Answer::addresses(&[CLOSED]),
            _ => Answer::addresses(&["::1"]).late(late),
        });
        assert_eq!(ask(late_v6, "host.example", port).await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn where_all_are_dead_the_fault_that_says_most_is_told() {
    let port = endpoint("127.0.0.1").await;
    let _silent = Silent::at(SocketAddr::new("127.0.0.4".parse().unwrap(), port)).await;
    for (addresses, kind) in [
        (&[CLOSED, "127.0.0.5"][..], FaultKind::ConnectionRefused),
        (&["127.0.0.4"], FaultKind::Timeout),
        // One refuses and the other says nothing until the deadline.
        (&[CLOSED, "127.0.0.4"], FaultKind::ConnectionRefused),
        (&["127.0.0.4", CLOSED], FaultKind::ConnectionRefused),
        (&[NO_ROUTE, CLOSED], FaultKind::ConnectionRefused),
    ] {
        let answer = ask(host(addresses), "host.example", port).await;
        assert_eq!(answer.unwrap_err(), at(Connect, kind), "{addresses:?}");
    }
}
