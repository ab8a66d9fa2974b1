//! Rules about host names: which are nobody's public service, and lists of hosts we leave alone.

/// Domains that never name a public service (RFC 6761, RFC 7686, RFC 8375, RFC 9476, and `internal` by ICANN).
const SPECIAL_USE: &[&str] = &[
    "alt",
    "arpa",
    "example",
    "example.com",
    "example.net",
    "example.org",
    "internal",
    "invalid",
    "local",
    "localhost",
    "onion",
    "test",
];

/// Whether a name could be looked up at all: its length, and that of each label (RFC 1123, section 2.1). Which
/// characters a name may have is the URL parser's business.
#[must_use]
pub fn is_host_name(name: &str) -> bool {
    let is_label =
        |label: &str| (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-');
    name.len() <= 253 && name.split('.').all(is_label)
}

/// Whether `host` is `domain` or a name below it. Both in lower case, without a trailing dot.
#[must_use]
pub fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether `host` lies in a domain reserved for special use.
#[must_use]
pub fn is_special_use(host: &str) -> bool {
    SPECIAL_USE.iter().any(|domain| is_within(host, domain))
}

/// Hosts that are not measured: each entry covers the host itself and every name below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList(Vec<String>);

impl HostList {
    /// Takes entries in any case, with or without a leading or trailing dot.
    ///
    /// # Errors
    /// The first entry that is no host name.
    pub fn new(entries: Vec<String>) -> Result<Self, String> {
        let mut hosts = Vec::with_capacity(entries.len());
        for entry in entries {
            let host = entry.trim_matches('.').to_ascii_lowercase();
            if host.is_empty()
                || !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte))
            {
                return Err(format!("{entry:?} is no host name (international names in their xn-- form)"));
            }
            hosts.push(host);
        }
        Ok(Self(hosts))
    }

    /// Whether `host`, as a URL writes it, is on the list.
    #[must_use]
    pub fn contains(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        self.0.iter().any(|entry| is_within(host, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_covers_its_host_and_the_names_below() {
        let list =
            HostList::new(vec!["Example.COM".into(), ".tidewater.dev.".into(), "127.0.0.1".into()]).unwrap();
        for (host, expected) in [
            ("example.com", true),
            ("a.b.example.com", true),
            ("example.com.", true),
            ("notexample.com", false),
            ("example.com.evil.net", false),
            ("tidewater.dev", true),
            ("127.0.0.1", true),
            ("com", false),
        ] {
            assert_eq!(list.contains(host), expected, "{host}");
        }
    }

    #[test]
    fn an_entry_that_is_no_host_is_named() {
        assert!(
            HostList::new(vec!["https://example.com/".into()]).unwrap_err().contains("https://example.com/")
        );
        assert!(HostList::new(vec![".".into()]).is_err());
    }

    #[test]
    fn special_use_domains() {
        for host in ["localhost", "a.local", "x.example.com", "home.arpa", "a.internal"] {
            assert!(is_special_use(host), "{host}");
        }
        for host in ["examples.com", "mylocal", "contest", "latest.dev"] {
            assert!(!is_special_use(host), "{host}");
        }
    }
}
