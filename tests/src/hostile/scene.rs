//! What lies between the prober and a behaviour: the name it goes by, what a name server says of it, the address it
//! listens on, TLS.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use name_server::{Answer, Zone};

use super::behaviour::{Behaviour, Serve};

/// The name behaviours go by that need one.
pub const HOST: &str = "mcp.example";

/// A plain one: http, this machine's usual address and no name.
#[derive(Clone)]
pub struct Scene {
    /// As the URL has it.
    pub host: String,
    pub listens_on: IpAddr,
    /// https; the prober is told to trust our root.
    pub secure: bool,
    /// What the prober's name server says, where it is to ask ours.
    pub zone: Option<Arc<dyn Fn() -> Zone + Send + Sync>>,
    /// Only public addresses may be connected to, as in production.
    pub guarded: bool,
    /// Another vantage cannot be led here.
    pub native_only: bool,
    /// It answers at the root too, so that no other may be on its port.
    pub alone: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.to_string(),
            listens_on: Ipv4Addr::LOCALHOST.into(),
            secure: false,
            zone: None,
            guarded: false,
            native_only: false,
            alone: false,
        }
    }
}

impl Behaviour {
    /// Whether it can be served on one port with others, told apart by the path.
    #[must_use]
    pub fn shares_a_port(&self) -> bool {
        let scene = &self.scene;
        let plain = !scene.secure && scene.zone.is_none() && scene.host == Ipv4Addr::LOCALHOST.to_string();
        plain && !scene.alone && matches!(self.serve, Serve::Exchanges(_))
    }

    /// Its connections begin with TLS.
    #[must_use]
    pub fn over_tls(mut self) -> Self {
        self.scene.secure = true;
        self
    }

    /// Goes by [`HOST`], of which the name server says this.
    #[must_use]
    pub fn resolved(self, answer: Answer) -> Self {
        self.resolved_by(move || Zone::new().says(HOST, answer.clone()))
    }

    /// Goes by [`HOST`], with this name server.
    #[must_use]
    pub fn resolved_by(mut self, zone: impl Fn() -> Zone + Send + Sync + 'static) -> Self {
        HOST.clone_into(&mut self.scene.host);
        self.scene.zone = Some(Arc::new(zone));
        self.scene.native_only = true;
        self
    }

    /// Goes by this host, which needs no name server.
    #[must_use]
    pub fn known_as(mut self, host: impl Into<String>) -> Self {
        self.scene.host = host.into();
        self
    }

    /// Listens here.
    #[must_use]
    pub fn at(mut self, address: impl Into<IpAddr>) -> Self {
        self.scene.listens_on = address.into();
        self
    }

    /// Probed as in production: no address that is not public.
    #[must_use]
    pub fn guarded(mut self) -> Self {
        self.scene.guarded = true;
        self
    }

    /// Has the root of its port to itself.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.scene.alone = true;
        self
    }

    /// Another vantage cannot be led here.
    #[must_use]
    pub fn native_only(mut self) -> Self {
        self.scene.native_only = true;
        self
    }
}
