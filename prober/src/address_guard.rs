//! Which addresses are public. Everything else is never connected to, unless private targets are allowed.
//!
//! The tables follow the IANA special-purpose address registries, and add the one address outside of them at which a
//! cloud serves its machines what nobody else may read; its fellows are link-local, shared or unique local. An address
//! that carries an IPv4 address inside (mapped, NAT64, 6to4) is judged by what it carries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Network, prefix length, and what it is for.
type Range<A> = (A, u32, &'static str);

const SPECIAL_V4: &[Range<Ipv4Addr>] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private use"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "Azure's platform, from within its machines"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private use"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relays"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private use"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// Outside 2000::/3 nothing is public; these are the special ranges inside and the ones worth naming outside.
const SPECIAL_V6: &[Range<Ipv6Addr>] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "local-use NAT64"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique local"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link local"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

const MAPPED: Range<Ipv6Addr> = (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "IPv4-mapped");
const NAT64: Range<Ipv6Addr> = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, "NAT64");
const SIX_TO_FOUR: Range<Ipv6Addr> = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4");
const GLOBAL_UNICAST: Range<Ipv6Addr> = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3, "global unicast");

/// Which addresses may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Public ones alone, over https alone.
    Public,
    /// All, and http too: for local runs.
    Private,
    /// As `Public`, with this one address of this machine in the place of a public one.
    #[cfg(test)]
    PublicAnd(IpAddr),
}

impl Guard {
    pub(crate) const fn new(allow_private: bool) -> Self {
        if allow_private { Self::Private } else { Self::Public }
    }

    pub(crate) fn allows_private(self) -> bool {
        self == Self::Private
    }

    /// Whether this address may be connected to.
    pub(crate) fn admits(self, address: IpAddr) -> bool {
        match self {
            Self::Private => true,
            Self::Public => is_public(address),
            #[cfg(test)]
            Self::PublicAnd(stand_in) => address == stand_in || is_public(address),
        }
    }
}

/// Whether a packet to `address` can only leave for the public internet.
fn is_public(address: IpAddr) -> bool {
    special_use(address).is_none()
}

/// What the address is reserved for, in words; None where it is public.
fn special_use(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => special_use_v4(v4),
        IpAddr::V6(v6) => special_use_v6(v6),
    }
}

fn special_use_v4(address: Ipv4Addr) -> Option<&'static str> {
    SPECIAL_V4.iter().find(|range| within_v4(address, range)).map(|range| range.2)
}

fn special_use_v6(address: Ipv6Addr) -> Option<&'static str> {
    if within_v6(address, &MAPPED) || within_v6(address, &NAT64) {
        return special_use_v4(Ipv4Addr::from_bits(low_32(address.to_bits())));
    }
    if within_v6(address, &SIX_TO_FOUR) {
        return special_use_v4(Ipv4Addr::from_bits(low_32(address.to_bits() >> 80)));
    }
    if let Some(range) = SPECIAL_V6.iter().find(|range| within_v6(address, range)) {
        return Some(range.2);
    }
    (!within_v6(address, &GLOBAL_UNICAST)).then_some("not global unicast")
}

fn within_v4(address: Ipv4Addr, (network, prefix, _): &Range<Ipv4Addr>) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (32 - prefix) == 0
}

fn within_v6(address: Ipv6Addr, (network, prefix, _): &Range<Ipv6Addr>) -> bool {
    (address.to_bits() ^ network.to_bits()) >> (128 - prefix) == 0
}

/// The lowest 32 bits.
fn low_32(bits: u128) -> u32 {
    (bits & u128::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// First and last address of every special range, and the neighbours that are public again.
    #[test]
    fn every_special_range_is_refused_and_its_neighbours_are_not() {
        let refused = [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "::ffff:168.63.129.16",
            "64:ff9b::168.63.129.16",
            "fd00:ec2::254",
            "100.100.100.200",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.255",
            "192.0.2.0",
            "192.0.2.255",
            "192.88.99.0",
            "192.88.99.255",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.0",
            "198.51.100.255",
            "203.0.113.0",
            "203.0.113.255",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "::2",
            "::127.0.0.1",
            "::8.8.8.8",
            "100::1",
            "fc00::",
            "fdff:ffff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff00::",
            "ff02::1",
            "2001::1",
            "2001:1ff:ffff::",
            "2001:db8::",
            "2001:db8:ffff::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b:1:ffff::1",
            "64:ff9b:2::1",
            "::ffff:0:8.8.8.8",
        ];
        for text in refused {
            let address: IpAddr = text.parse().unwrap();
            assert!(special_use(address).is_some(), "{text} must be refused");
        }
        let public = [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2001:200::1",
            "2001:db7:ffff::1",
            "2001:db9::1",
            "2606:4700::1111",
            "2a00:1450::1",
            "3ffe:ffff::1",
            "3fff:1000::1",
        ];
        for text in public {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(special_use(address), None, "{text} is public");
        }
    }

    proptest! {
        /// Wrapping a v4 address in v6 never changes the judgement: no wrapper is a way around the guard.
        #[test]
        fn an_embedded_v4_address_is_judged_as_itself(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = v4.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            let wrapped = [
                v4.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ];
            for v6 in wrapped {
                prop_assert_eq!(is_public(v6.into()), is_public(v4.into()), "{}", v6);
            }
        }

        /// The standard library's own idea of private never passes.
        #[test]
        fn nothing_the_standard_library_calls_private_passes(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast()
                || v4.is_documentation() || v4.is_unspecified() {
                prop_assert!(!is_public(v4.into()));
            }
        }
    }
}
