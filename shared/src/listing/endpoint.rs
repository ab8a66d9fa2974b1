//! The endpoint URL of a listing: one normal form, and the address rules it must pass before anything is sent.

use std::fmt;

use url::{Host, ParseError, Url};

use super::hosts;
use crate::methodology::ENDPOINT_BYTES;

/// A normalised endpoint URL: lower-case host (international names in their `xn--` form), no default port, no userinfo,
/// no fragment, no empty query; escapes in capitals, and none of what needs no escape (RFC 3986, section 6.2.2). Else
/// path and query are as given.
///
/// Two listings are the same listing when their endpoints are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint(Url);

/// Which rule a URL breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointFault {
    #[error("the URL is longer than {ENDPOINT_BYTES} bytes")]
    Length,
    #[error("the URL contains white space or control characters")]
    Space,
    #[error("the URL is a template: it contains {{, }}, < or >, plain or escaped")]
    Template,
    #[error("the URL does not parse: {0}")]
    Syntax(String),
    #[error("the URL must begin with https://")]
    Scheme,
    #[error("the URL carries a user name or password")]
    UserInfo,
    #[error("the URL has a fragment (#...), which is never sent")]
    Fragment,
    #[error("the URL has a % that begins no escape of two hexadecimal digits")]
    Escape,
    #[error("the port is 0")]
    Port,
    #[error("an international host name is given in its ASCII form, xn--...")]
    International,
    #[error("the host ends with a dot")]
    TrailingDot,
    #[error(
        "the host is no host name: at most 253 bytes, in labels of 1 to 63 that neither begin nor end with a hyphen"
    )]
    HostName,
    #[error("the host is an IP address; only names are listed")]
    IpLiteral,
    #[error("the host has a single label; only public names are listed")]
    SingleLabel,
    #[error("the host is in a domain reserved for special use")]
    SpecialUse,
}

/// Where a person was to fill something in.
const TEMPLATE: &[char] = &['{', '}', '<', '>'];
/// The same in a normalised URL.
const ESCAPED_TEMPLATE: &[&[u8]] = &[b"%7B", b"%7D", b"%3C", b"%3E"];

impl Endpoint {
    /// Normalises and checks. `allow_private` (local runs only) admits http, IP literals and local names.
    ///
    /// # Errors
    /// The first rule that `text` breaks.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, EndpointFault> {
        if text.len() > ENDPOINT_BYTES {
            return Err(EndpointFault::Length);
        }
        // The URL parser would drop tabs and newlines silently and escape the rest: refuse what a person cannot see.
        if text.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(EndpointFault::Space);
        }
        let mut url = Url::parse(text).map_err(|error| match error {
            // The parser says so of a template in place of a host as well.
            _ if text.contains(TEMPLATE) => EndpointFault::Template,
            ParseError::IdnaError if !text.is_ascii() => EndpointFault::International,
            error => EndpointFault::Syntax(error.to_string()),
        })?;
        match url.scheme() {
            "https" => {}
            "http" if allow_private => {}
            _ => return Err(EndpointFault::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointFault::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(EndpointFault::Fragment);
        }
        if url.port() == Some(0) {
            return Err(EndpointFault::Port);
        }
        check_host(url.host().as_ref(), allow_private)?;
        normalise(&mut url)?;
        let escaped = url.as_str().as_bytes().windows(3).any(|part| ESCAPED_TEMPLATE.contains(&part));
        if text.contains(TEMPLATE) || escaped {
            return Err(EndpointFault::Template);
        }
        // Escaping can lengthen it.
        if url.as_str().len() > ENDPOINT_BYTES {
            return Err(EndpointFault::Length);
        }
        Ok(Self(url))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// The host as the URL writes it.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or("")
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the URL parser leaves to the reader: which escapes mean the same.
fn normalise(url: &mut Url) -> Result<(), EndpointFault> {
    let path = normal_escapes(url.path())?;
    url.set_path(&path);
    let query = url.query().filter(|query| !query.is_empty()).map(normal_escapes).transpose()?;
    url.set_query(query.as_deref());
    Ok(())
}

/// Escapes of letters, digits, `-`, `.`, `_` and `~` become those characters; the digits of all others capitals.
fn normal_escapes(text: &str) -> Result<String, EndpointFault> {
    let mut parts = text.split('%');
    let mut normal = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).ok_or(EndpointFault::Escape)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(EndpointFault::Escape);
        }
        let byte = u8::from_str_radix(digits, 16).map_err(|_| EndpointFault::Escape)?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            normal.push(char::from(byte));
        } else {
            normal.push('%');
            normal.push_str(&digits.to_ascii_uppercase());
        }
        normal.push_str(rest);
    }
    Ok(normal)
}

/// The host rules alone; metadata URLs pass them too.
///
/// # Errors
/// The rule that `host` breaks; a missing host is a syntax fault.
pub fn check_host(host: Option<&Host<&str>>, allow_private: bool) -> Result<(), EndpointFault> {
    let name = match host {
        None => return Err(EndpointFault::Syntax("no host".to_owned())),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) if allow_private => return Ok(()),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(EndpointFault::IpLiteral),
        Some(Host::Domain(name)) => name,
    };
    if name.ends_with('.') {
        return Err(EndpointFault::TrailingDot);
    }
    if !hosts::is_host_name(name) {
        return Err(EndpointFault::HostName);
    }
    if allow_private {
        return Ok(());
    }
    if hosts::is_special_use(name) {
        return Err(EndpointFault::SpecialUse);
    }
    if !name.contains('.') {
        return Err(EndpointFault::SingleLabel);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_normal_form() {
        for (text, normal) in [
            ("https://MCP.Tidewater.dev", "https://mcp.tidewater.dev/"),
            ("HTTPS://mcp.tidewater.dev:443/mcp", "https://mcp.tidewater.dev/mcp"),
            ("https://mcp.tidewater.dev:8443/Mcp/?A=b", "https://mcp.tidewater.dev:8443/Mcp/?A=b"),
            ("https://XN--bcher-kva.dev/mcp", "https://xn--bcher-kva.dev/mcp"),
            ("https://mcp.tidewater.dev/a/../mcp", "https://mcp.tidewater.dev/mcp"),
            ("https://%6dcp.tidewater.dev/%6D%63p", "https://mcp.tidewater.dev/mcp"),
            ("https://mcp.tidewater.dev/a%2fb%c3%A9é", "https://mcp.tidewater.dev/a%2Fb%C3%A9%C3%A9"),
            ("https://mcp.tidewater.dev/mcp?", "https://mcp.tidewater.dev/mcp"),
            ("https://mcp.tidewater.dev/mcp?k=%7e%3d%2541", "https://mcp.tidewater.dev/mcp?k=~%3D%2541"),
        ] {
            assert_eq!(Endpoint::parse(text, false).unwrap().as_str(), normal);
        }
    }

    #[test]
    fn each_rule_has_its_fault() {
        let long_label = format!("https://{}.dev/", "a".repeat(64));
        let long_name = format!("https://{}dev/", "abcdefg.".repeat(32));
        let long = format!("https://mcp.tidewater.dev/{}", "a".repeat(ENDPOINT_BYTES));
        for (text, fault) in [
            (long.as_str(), EndpointFault::Length),
            ("https://mcp.tidewater.dev/\tx", EndpointFault::Space),
            (" https://mcp.tidewater.dev/", EndpointFault::Space),
            ("https://{tenant}.tidewater.dev/mcp", EndpointFault::Template),
            ("https://mcp.tidewater.dev/{tenant}/mcp", EndpointFault::Template),
            ("https://mcp.tidewater.dev/<tenant>", EndpointFault::Template),
            ("https://mcp.tidewater.dev/%7btenant%7D", EndpointFault::Template),
            ("https://mcp.tidewater.dev/?key=%3Ckey%3e", EndpointFault::Template),
            ("https://mcp.tidewater.dev/%%341", EndpointFault::Escape),
            ("https://mcp.tidewater.dev/%4", EndpointFault::Escape),
            ("https://mcp.tidewater.dev/?k=%zz", EndpointFault::Escape),
            ("https://mcp.tidewater.dev/%+1", EndpointFault::Escape),
            ("https://mcp.tidewater.dev:0/", EndpointFault::Port),
            ("https://bücher.dev/", EndpointFault::International),
            ("https://a..dev/", EndpointFault::HostName),
            ("https://-a.dev/", EndpointFault::HostName),
            ("https://a-.dev/", EndpointFault::HostName),
            (&long_label, EndpointFault::HostName),
            (&long_name, EndpointFault::HostName),
            ("http://mcp.tidewater.dev/", EndpointFault::Scheme),
            ("ftp://mcp.tidewater.dev/", EndpointFault::Scheme),
            ("file:///etc/passwd", EndpointFault::Scheme),
            ("https://user@mcp.tidewater.dev/", EndpointFault::UserInfo),
            ("https://:secret@mcp.tidewater.dev/", EndpointFault::UserInfo),
            ("https://mcp.tidewater.dev/#top", EndpointFault::Fragment),
            ("https://mcp.tidewater.dev./", EndpointFault::TrailingDot),
            ("https://127.0.0.1/mcp", EndpointFault::IpLiteral),
            ("https://2130706433/mcp", EndpointFault::IpLiteral),
            ("https://0x7f.1/mcp", EndpointFault::IpLiteral),
            ("https://[::1]/mcp", EndpointFault::IpLiteral),
            ("https://intranet/mcp", EndpointFault::SingleLabel),
            ("https://localhost/mcp", EndpointFault::SpecialUse),
            ("https://printer.local/mcp", EndpointFault::SpecialUse),
        ] {
            assert_eq!(Endpoint::parse(text, false).unwrap_err(), fault, "{text}");
        }
        for text in ["mcp.tidewater.dev", "https://", "https://a b/", "https://bücher.dev/"] {
            assert!(Endpoint::parse(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn local_runs_admit_local_targets_only_when_allowed() {
        for text in
            ["http://127.0.0.1:8080/mcp", "http://localhost:1/mcp", "https://[::1]/mcp", "http://demo/mcp"]
        {
            assert!(Endpoint::parse(text, true).is_ok(), "{text}");
            assert!(Endpoint::parse(text, false).is_err(), "{text}");
        }
        assert!(Endpoint::parse("ftp://127.0.0.1/", true).is_err());
        assert!(Endpoint::parse("http://u@127.0.0.1/", true).is_err());
    }

    proptest! {
        /// The normal form of a normal form is itself: duplicates are found by comparing text.
        #[test]
        fn normalising_twice_changes_nothing(text in "[hH]ttps://[a-zA-Z0-9.-]{1,20}(:[0-9]{1,5})?(/[ -~]{0,20})?") {
            if let Ok(endpoint) = Endpoint::parse(&text, false) {
                let again = Endpoint::parse(endpoint.as_str(), false);
                prop_assert_eq!(again.as_ref(), Ok(&endpoint));
            }
        }

        #[test]
        fn any_text_has_an_answer(text in "\\PC{0,80}") {
            let _ = Endpoint::parse(&text, true);
        }
    }
}
