//! One address that stands in for a public one, with an endpoint over TLS on it, and a trap on the others.

use std::sync::atomic::{AtomicUsize, Ordering};

use name_server::NameServer;
use tokio_rustls::TlsAcceptor;

use super::super::encrypted::{Authority, server_config};
use super::*;
use crate::address_guard::Guard;

/// Stands in for a public address.
pub(super) const PUBLIC: &str = "127.0.0.2";
pub(super) const PRIVATE: &str = "127.0.0.1";

/// A listener that nobody may ever reach, on IPv4 and, where this machine has it, on IPv6.
pub(super) struct Trap(Vec<std::net::TcpListener>);

impl Trap {
    /// On the same port as the endpoint.
    fn at(port: u16) -> Self {
        let v4 = std::net::TcpListener::bind((PRIVATE, port)).unwrap();
        let v6 = std::net::TcpListener::bind(("::1", port));
        Self([v4].into_iter().chain(v6).collect())
    }

    /// A connection to a listener that accepts none waits with the system: one look at the end sees all there were.
    pub(super) fn is_sprung(&self) -> bool {
        self.0.iter().any(|listener| {
            listener.set_nonblocking(true).unwrap();
            match listener.accept() {
                Ok(_) => true,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => false,
                Err(error) => panic!("{error}"),
            }
        })
    }

    pub(super) fn assert_unsprung(&self, what: &str) {
        assert!(!self.is_sprung(), "{what}: a connection came to where none may go");
    }
}

/// An endpoint over TLS on the public stand-in, under every name in `mcp.example`; closes after each answer, so that each
/// request needs a connection of its own.
pub(super) struct Endpoint {
    pub(super) port: u16,
    pub(super) trap: Trap,
    pub(super) connections: Arc<AtomicUsize>,
    authority: Authority,
}

impl Endpoint {
    /// `answer` gets the request and the port.
    pub(super) async fn start(answer: impl Fn(&str, u16) -> Vec<u8> + Send + Sync + 'static) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let authority = Authority::new(&format!("addresses-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let chain = authority.leaf("*.mcp.example", &authority.root, |_| {}, &[]);
        let acceptor = TlsAcceptor::from(Arc::new(server_config(chain)));
        let (listener, trap) = loop {
            let listener = TcpListener::bind((PUBLIC, 0)).await.unwrap();
            let port = listener.local_addr().unwrap().port();
            // Another program may have this port on the other address.
            if std::net::TcpListener::bind((PRIVATE, port)).is_ok() {
                break (listener, Trap::at(port));
            }
        };
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, answer) = (connections.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let (acceptor, answer) = (acceptor.clone(), answer.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    if let Some(request) = read_request(&mut stream).await {
                        let _ = stream.write_all(&answer(&request, port)).await;
                        let _ = stream.shutdown().await;
                    }
                });
            }
        });
        Self { port, trap, connections, authority }
    }

    /// Probes `host` by what this name server says.
    pub(super) async fn probe(&self, host: &str, names: &NameServer) -> Verdict {
        self.probe_with(Guard::PublicAnd(PUBLIC.parse().unwrap()), host, names).await
    }

    pub(super) async fn probe_with(&self, guard: Guard, host: &str, names: &NameServer) -> Verdict {
        let vantage = Vantage {
            names: Names::new(&[names.address()]).unwrap(),
            guard,
            ..Vantage::clone(&self.authority.vantage())
        };
        let mut plan = hasty_plan(&format!("https://{host}:{}/mcp", self.port));
        plan.allow_private = false;
        converse(plan, Transport::new(Arc::new(vantage)), &mut ()).await
    }
}

pub(super) fn closing(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into()
}

/// A good endpoint with tools and a session.
pub(super) fn good(request: &str, _: u16) -> Vec<u8> {
    if request.contains("\"initialize\"") {
        let result = initialize_result(&id_of(request))
            .replace("\"capabilities\":{}", "\"capabilities\":{\"tools\":{}}");
        return closing(200, "Content-Type: application/json\r\nMcp-Session-Id: s\r\n", &result);
    }
    if request.contains("\"tools/list\"") {
        let body = serde_json::json!({"jsonrpc": "2.0", "id": id_of(request), "result": {"tools": []}});
        return closing(200, "Content-Type: application/json\r\n", &body.to_string());
    }
    closing(202, "", "")
}
