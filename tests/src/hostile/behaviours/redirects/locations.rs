//! A `Location` that is missing, double, long or no URL.

use shared::outcome::{Class, Reason};

use super::{leads, leads_by, stopped};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let none = || stopped(Reason::NoLocation);
    let too_large = || Expected::headers(Class::TooLarge, Reason::HeaderTooLarge);
    let big = format!("{{path}}/{}", "a".repeat(64 * 1024));
    let bigger = format!("{{path}}/{}", "a".repeat(30 * 1024));
    let odd = |name: &str, says: &str, expected, location: &[u8]| leads(name, says, expected, 307, location);
    let lines = |name: &str, says: &str, lines: &[u8]| leads_by(name, says, none(), 307, lines);
    vec![
        lines("redirect-without-a-location", "307 and no Location.", b""),
        odd("redirect-with-an-empty-location", "307 and an empty Location.", none(), b""),
        odd("redirect-that-is-no-url", "307 to what is no URL.", none(), b"http://["),
        odd("redirect-to-a-port-too-high", "307 to port 99999.", none(), b"http://{trap}9/x"),
        odd("redirect-to-a-host-that-is-none", "307 to a host with a blank in it.", none(), b"http://a b/"),
        odd(
            "redirect-to-an-address-that-is-none",
            "307 to the number 4294967296.",
            none(),
            b"http://4294967296/",
        ),
        odd("redirect-of-30-kibibytes", "307 to a path of 30 KiB.", none(), bigger.as_bytes()),
        odd("redirect-of-64-kibibytes", "307 to a path of 64 KiB.", too_large(), big.as_bytes()),
        odd(
            "redirect-with-bytes-beyond-ascii",
            "307 to a path with bytes beyond ASCII.",
            Expected::up(),
            b"/redirect-with-bytes-beyond-ascii/\xff\xfe",
        ),
        odd("redirect-with-a-nul", "307 to a path with a NUL in it.", Expected::not_http(), b"{path}/a\0b"),
        odd(
            "redirect-with-two-locations",
            "307 and two of them, of which the first counts.",
            Expected::up(),
            b"{path}/moved\r\nLocation: http://{trap}/{astray}",
        ),
        odd(
            "redirect-with-two-locations-the-first-off-the-origin",
            "307 and two of them, of which the first counts.",
            stopped(Reason::OffOrigin),
            b"http://{trap}/{astray}\r\nLocation: {path}/{astray}",
        ),
        lines(
            "redirect-by-other-headers",
            "307 with Content-Location, Refresh and Link, and no Location.",
            b"Content-Location: {path}/{astray}\r\n\
 Refresh: 0; url={path}/{astray}\r\n\
 Link: <{path}/{astray}>; rel=canonical\r\n",
        ),
    ]
}
