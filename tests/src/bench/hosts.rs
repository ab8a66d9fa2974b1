//! Many hosts on one machine: every address of 127/8 is this machine, and the prober leaves 600 ms between two probes
//! of one host.

use std::net::Ipv4Addr;

/// How many there are: each is probed again after some seconds only.
pub const HOSTS: u32 = 4_000;

/// The URL of the target at `port` as host number `number` (counted around) offers it.
#[must_use]
pub fn url(number: u32, port: u16) -> String {
    let address = Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 1).to_bits() + number % HOSTS);
    format!("http://{address}:{port}/mcp")
}
