//! Which addresses of a front door we accept, and how issuers are compared.

use url::{Host, Url};

use crate::methodology::cuts;

/// An address a document names that we would keep: at most 512 bytes as written and as normalised, absolute, and
/// [`acceptable`].
#[must_use]
pub fn parse(text: &str, allow_private: bool) -> Option<Url> {
    if text.len() > cuts::FRONT_DOOR_URL {
        return None;
    }
    let url = Url::parse(text).ok()?;
    (url.as_str().len() <= cuts::FRONT_DOOR_URL && acceptable(&url, allow_private)).then_some(url)
}

/// https, or http on loopback where private targets are allowed; no user name or password in it.
#[must_use]
pub fn acceptable(url: &Url, allow_private: bool) -> bool {
    let scheme = match url.scheme() {
        "https" => true,
        "http" => allow_private && is_loopback(url),
        _ => false,
    };
    scheme && url.username().is_empty() && url.password().is_none()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether two issuers are the same text, one trailing slash aside.
pub(super) fn same_issuer(one: &str, other: &str) -> bool {
    without_slash(one) == without_slash(other)
}

/// Without one trailing slash.
pub(super) fn without_slash(text: &str) -> &str {
    text.strip_suffix('/').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn https_or_allowed_loopback() {
        let table = [
            ("https://a.example/x", true, true),
            ("https://127.0.0.1/x", true, true),
            ("http://a.example/x", false, false),
            ("http://localhost:3000/x", false, true),
            ("http://auth.localhost/x", false, true),
            ("http://127.0.0.1:3000", false, true),
            ("http://127.9.9.9", false, true),
            ("http://[::1]:3000", false, true),
            ("http://10.0.0.1", false, false),
            ("http://notlocalhost", false, false),
            ("http://localhost.example", false, false),
            ("https://user@a.example", false, false),
            ("https://:secret@a.example", false, false),
            ("ftp://127.0.0.1", false, false),
            ("javascript:alert(1)", false, false),
            ("127.0.0.1:3000", false, false),
            ("/relative", false, false),
            ("", false, false),
        ];
        for (text, public, private) in table {
            assert_eq!(parse(text, false).is_some(), public, "{text}");
            assert_eq!(parse(text, true).is_some(), private, "{text}, private targets allowed");
        }
    }

    #[test]
    fn what_is_too_long_to_keep_is_not_taken() {
        let of_length =
            |length: usize| format!("https://a.example/{}", "x".repeat(length - "https://a.example/".len()));
        assert!(parse(&of_length(cuts::FRONT_DOOR_URL), false).is_some());
        assert!(parse(&of_length(cuts::FRONT_DOOR_URL + 1), false).is_none());
        let grows = format!("https://a.example/{}", "é".repeat(200));
        assert!(grows.len() <= cuts::FRONT_DOOR_URL);
        assert!(parse(&grows, false).is_none(), "escaped, it is longer");
    }

    #[test]
    fn issuers_differ_by_more_than_one_trailing_slash() {
        for (one, other, same) in [
            ("https://a.example", "https://a.example", true),
            ("https://a.example/", "https://a.example", true),
            ("https://a.example/t", "https://a.example/t/", true),
            ("https://a.example//", "https://a.example", false),
            ("https://a.example", "https://A.example", false),
            ("https://a.example:443", "https://a.example", false),
            ("https://a.example/t", "https://a.example", false),
        ] {
            assert_eq!(same_issuer(one, other), same, "{one} {other}");
            assert_eq!(same_issuer(other, one), same, "{other} {one}");
        }
    }
}
