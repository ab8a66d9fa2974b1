//! Which port each local server takes, and whether it is free.

use anyhow::{Result, bail};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

pub(super) struct Ports {
    pub(super) site: u16,
    pub(super) open: u16,
    pub(super) gated: u16,
    pub(super) oauth: u16,
    pub(super) oauth_login: u16,
    /// Nothing listens here: the demo of an endpoint that is down.
    pub(super) closed: u16,
}

impl Ports {
    /// The site's port and the five behind it. `site` is at most 65530.
    pub(super) fn behind(site: u16) -> Self {
        Self {
            site,
            open: site + 1,
            gated: site + 2,
            oauth: site + 3,
            oauth_login: site + 4,
            closed: site + 5,
        }
    }

    pub(super) fn site_url(&self) -> String {
        format!("http://localhost:{}", self.site)
    }

    /// # Errors
    /// Names the first port that something else uses.
    pub(super) fn check_free(&self, with_demo: bool) -> Result<()> {
        let demo = [self.open, self.gated, self.oauth, self.oauth_login, self.closed];
        let wanted = std::iter::once(self.site).chain(demo.into_iter().filter(|_| with_demo));
        for port in wanted {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::AddrInUse => bail!(
                    "port {port} is in use: stop what uses it, or choose another with `cargo xtask dev --port N` \
                     (six ports from N on are needed)"
                ),
                Err(error) => bail!("port {port} cannot be used: {error}"),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_port_is_named_with_what_to_do() {
        let busy = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = busy.local_addr().unwrap().port().min(65_530);
        let said = Ports::behind(port).check_free(false).unwrap_err().to_string();
        assert!(said.starts_with(&format!("port {port} is in use: ")), "{said}");
        assert!(said.contains("--port"), "{said}");
    }
}
