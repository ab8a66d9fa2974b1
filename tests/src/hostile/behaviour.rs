//! One behaviour of an endpoint, and the ways to make one.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use super::exchange::Exchange;
use super::expected::Expected;
use super::request::Kind;
use super::scene::Scene;

/// Answers one request.
pub type Act = Arc<dyn Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync>;
/// Has a connection to itself, from its first byte on.
pub type Raw = Arc<dyn Fn(TcpStream) -> io::Result<()> + Send + Sync>;

/// One behaviour.
#[derive(Clone)]
pub struct Behaviour {
    /// What it does, in words with dashes between; also the path under which it is served.
    pub name: String,
    /// The same in one line.
    pub says: String,
    pub serve: Serve,
    /// What the native vantage must make of it.
    pub native: Expected,
    edge: Option<Expected>,
    pub scene: Scene,
    /// Only a deadline ends it: tests probe it at shorter ones.
    pub waits: bool,
}

/// Who speaks.
#[derive(Clone)]
pub enum Serve {
    /// Answers requests; can share a port with others.
    Exchanges(Act),
    /// Acts before a request can name it; needs a port of its own.
    Connections(Raw),
}

impl Behaviour {
    /// A behaviour that answers requests.
    pub fn new(
        name: impl Into<String>,
        says: impl Into<String>,
        native: Expected,
        act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::served(name.into(), says.into(), native, Serve::Exchanges(Arc::new(act)))
    }

    /// A behaviour that has whole connections to itself.
    pub fn raw(
        name: impl Into<String>,
        says: impl Into<String>,
        native: Expected,
        raw: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::served(name.into(), says.into(), native, Serve::Connections(Arc::new(raw)))
    }

    fn served(name: String, says: String, native: Expected, serve: Serve) -> Self {
        Self { name, says, serve, native, edge: None, scene: Scene::default(), waits: false }
    }

    /// Misbehaves when asked to `initialize`, and is honest before and after.
    pub fn at_handshake(
        name: impl Into<String>,
        says: impl Into<String>,
        native: Expected,
        act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, says, native, only_at(Kind::Initialize, act))
    }

    /// Misbehaves when asked for its tools, and is honest before and after.
    pub fn at_tools(
        name: impl Into<String>,
        says: impl Into<String>,
        native: Expected,
        act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, says, native, only_at(Kind::ToolsList, act))
    }

    /// Only a deadline ends it.
    #[must_use]
    pub fn waits(mut self) -> Self {
        self.waits = true;
        self
    }

    /// What the edge vantage will see, where that does not follow from what the native one sees.
    #[must_use]
    pub fn from_the_edge(mut self, edge: Expected) -> Self {
        self.edge = Some(edge);
        self
    }

    /// What the edge vantage must make of it: it sees less, and never says more. None where it cannot be led there.
    #[must_use]
    pub fn edge(&self) -> Option<Expected> {
        let seen = || self.edge.clone().unwrap_or_else(|| self.native.from_the_edge());
        (!self.scene.native_only).then(seen)
    }
}

fn only_at(
    kind: Kind,
    act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
) -> impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static {
    move |exchange| if exchange.request.kind() == kind { act(exchange) } else { exchange.good() }
}
