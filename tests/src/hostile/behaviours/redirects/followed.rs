//! On its own origin: followed where the method is kept.

use shared::outcome::Reason;

use super::{leads, stopped};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [kept_methods(), changed_methods()].concat()
}

fn kept_methods() -> Vec<Behaviour> {
    let table = [
        ("relative", "a path", "{path}/moved"),
        ("absolute", "a whole URL", "http://{host}{path}/moved"),
        ("with-dots", "a path with dots in it", "{path}/../a/.././{path}/moved"),
        ("with-a-query", "a query", "{path}/moved?a=b&c=%20d"),
        ("with-a-fragment", "a fragment, which is not sent", "{path}/moved#top"),
        (
            "with-user-and-password",
            "a user and a password, which are not sent",
            "http://me:secret@{host}{path}/moved",
        ),
        ("in-another-notation", "the same address as one number", "http://2130706433:{port}{path}/moved"),
        ("in-octal", "the same address in octal", "http://0177.0.0.1:{port}{path}/moved"),
        ("with-a-scheme-in-capitals", "a scheme in capitals", "HTTP://{host}{path}/moved"),
        ("with-a-backslash", "a backslash for a slash", "{path}\\moved"),
        ("with-blanks-around", "blanks around the address", "  {path}/moved  "),
    ];
    let mut all: Vec<Behaviour> = table
        .into_iter()
        .map(|(name, what, location)| {
            let says = format!("307 on its own origin; the address has {what}.");
            leads(format!("redirect-{name}"), says, Expected::up(), 307, location)
        })
        .collect();
    all.push(leads("redirect-with-308", "308 on its own origin.", Expected::up(), 308, "{path}/moved"));
    let long = format!("{{path}}/{}", "moved".repeat(1_000));
    all.push(leads("redirect-of-five-kilobytes", "307 to a path of 5,000 bytes.", Expected::up(), 307, long));
    all
}

fn changed_methods() -> Vec<Behaviour> {
    [300, 301, 302, 303, 304, 305, 306, 399]
        .into_iter()
        .map(|status| {
            leads(
                format!("redirect-with-{status}"),
                format!("{status} on its own origin, which keeps no method or is no redirect to follow."),
                stopped(Reason::MethodChanging),
                status,
                "{path}/{astray}",
            )
        })
        .collect()
}
