//! What configuration says, checked: variables from `wrangler.toml`, secrets from the platform.

use shared::listing::HostList;
use shared::outcome::Precision;
use shared::reading::{document, members};
use shared::schedule::Turn;
use shared::signature::{KEY_CHARACTERS, KEYS_PER_NETWORK};
use shared::table::Table;

use crate::pages::Site;

/// Variables that are no secrets. Every fault says which variable, and what it should hold.
#[derive(Debug, Clone)]
pub struct Config {
    pub networks: Vec<Network>,
    pub denied_hosts: HostList,
    /// Local runs only: http, IP literals and local names may be listed.
    pub allow_private: bool,
    pub site: Site,
}

/// One vantage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Stored with every vote; from 1.
    pub id: u32,
    pub name: String,
    pub precision: Precision,
}

members!(Network { id, name, precision; });

/// Where values come from: the platform, or a test's map.
pub trait Variables {
    fn get(&self, name: &str) -> Option<String>;
}

impl Variables for worker::Env {
    fn get(&self, name: &str) -> Option<String> {
        // Secrets and variables are read alike.
        self.var(name).ok().map(|value| value.to_string())
    }
}

impl Config {
    /// Reads and checks all variables.
    ///
    /// # Errors
    /// One sentence that names the variable and what it should hold.
    pub fn read(variables: &impl Variables) -> Result<Self, String> {
        let networks = read_networks(variables)?;
        Ok(Self {
            denied_hosts: read_denied_hosts(variables)?,
            allow_private: variables.get("ALLOW_PRIVATE_TARGETS").as_deref() == Some("true"),
            site: Site {
                origin: required(variables, "SITE_ORIGIN", "the site's scheme and host")?
                    .trim_end_matches('/')
                    .to_owned(),
                tools_mail: required(variables, "TOOLS_MAIL", "a mail address")?,
                legal_mail: required(variables, "LEGAL_MAIL", "a mail address")?,
                privacy_mail: required(variables, "PRIVACY_MAIL", "a mail address")?,
                networks: networks.iter().map(|network| (network.name.clone(), network.precision)).collect(),
            },
            networks,
        })
    }

    /// The network of that name and its turn among all.
    #[must_use]
    pub fn network(&self, name: &str) -> Option<(&Network, Turn)> {
        let place = self.networks.iter().position(|network| network.name == name)?;
        let turn = Turn { place: place as u32, count: self.networks.len() as u32 };
        Some((self.networks.get(place)?, turn))
    }
}

/// The active keys of each network, by name.
///
/// # Errors
/// One sentence for the person who configures, without any key in it.
pub fn network_keys(variables: &impl Variables) -> Result<Table<String, Vec<String>>, String> {
    const FORM: &str = "the secret NETWORK_KEYS should be JSON like {\"tools-centralindia\":[\"key\"]}";
    let text = variables.get("NETWORK_KEYS").ok_or_else(|| format!("{FORM}; it is not set"))?;
    let keys: Table<String, Vec<String>> =
        document(text.as_bytes()).map_err(|_| format!("{FORM}; it does not parse"))?;
    for (network, keys) in &keys {
        if keys.is_empty() || keys.len() > KEYS_PER_NETWORK {
            return Err(format!("{FORM}; {network:?} has {} keys, not 1 or {KEYS_PER_NETWORK}", keys.len()));
        }
        if keys.iter().any(|key| key.chars().count() < KEY_CHARACTERS) {
            return Err(format!("{FORM}; a key of {network:?} is shorter than {KEY_CHARACTERS} characters"));
        }
    }
    Ok(keys)
}

/// The token of `/api/admin`.
///
/// # Errors
/// One sentence for the person who configures.
pub fn admin_token(variables: &impl Variables) -> Result<String, String> {
    match variables.get("ADMIN_TOKEN") {
        Some(token) if token.chars().count() >= KEY_CHARACTERS => Ok(token),
        Some(_) => Err(format!("the secret ADMIN_TOKEN is shorter than {KEY_CHARACTERS} characters")),
        None => Err("the secret ADMIN_TOKEN is not set".to_owned()),
    }
}

fn required(variables: &impl Variables, name: &str, what: &str) -> Result<String, String> {
    variables
        .get(name)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| format!("the variable {name} is not set; it should be {what}"))
}

fn read_networks(variables: &impl Variables) -> Result<Vec<Network>, String> {
    const FORM: &str = "the variable NETWORKS should be JSON like [{\"id\":1,\"name\":\"tools-centralindia\",\"precision\":\"exact\"}]";
    let text = variables.get("NETWORKS").ok_or_else(|| format!("{FORM}; it is not set"))?;
    let networks: Vec<Network> = document(text.as_bytes()).map_err(|fault| format!("{FORM}; {fault}"))?;
    if networks.is_empty() || networks.len() > 8 {
        return Err(format!("{FORM}; it has {} networks, not 1 to 8", networks.len()));
    }
    for (index, network) in networks.iter().enumerate() {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=255).contains(&network.id) {
            return Err(format!("{FORM}; the id {} is not in 1 to 255", network.id));
        }
        if network.name.is_empty() || network.name.len() > 64 || !network.name.bytes().all(plain) {
            return Err(format!("{FORM}; the name {:?} is not 1 to 64 of a-z, 0-9 and -", network.name));
        }
        if networks.iter().take(index).any(|other| other.id == network.id || other.name == network.name) {
            return Err(format!("{FORM}; id {} or name {:?} is there twice", network.id, network.name));
        }
    }
    Ok(networks)
}

fn read_denied_hosts(variables: &impl Variables) -> Result<HostList, String> {
    const FORM: &str = "the variable DENIED_HOSTS should be a JSON list of host names";
    // Not set is not the same as empty: a typing error in the name must not unleash the prober.
    let text = variables.get("DENIED_HOSTS").ok_or_else(|| format!("{FORM}; it is not set"))?;
    let entries = document(text.as_bytes()).map_err(|fault| format!("{FORM}; {fault}"))?;
    HostList::new(entries).map_err(|fault| format!("{FORM}; {fault}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    impl Variables for BTreeMap<&str, &str> {
        fn get(&self, name: &str) -> Option<String> {
            Self::get(self, name).map(|value| (*value).to_owned())
        }
    }

    const NETWORKS: &str =
        r#"[{"id":1,"name":"native","precision":"exact"},{"id":2,"name":"cf-edge","precision":"edge"}]"#;

    fn variables() -> BTreeMap<&'static str, &'static str> {
        BTreeMap::from([
            ("NETWORKS", NETWORKS),
            ("DENIED_HOSTS", r#"["tidewater.dev"]"#),
            ("SITE_ORIGIN", "https://isu.dev/"),
            ("TOOLS_MAIL", "tools@isu.dev"),
            ("LEGAL_MAIL", "legal@isu.dev"),
            ("PRIVACY_MAIL", "privacy@isu.dev"),
        ])
    }

    #[test]
    fn a_network_has_its_turn_by_its_place() {
        let config = Config::read(&variables()).unwrap();
        let (network, turn) = config.network("cf-edge").unwrap();
        assert_eq!((network.id, turn), (2, Turn { place: 1, count: 2 }));
        assert!(config.network("other").is_none());
        assert!(!config.allow_private);
        assert_eq!(config.site.origin, "https://isu.dev");
    }

    #[test]
    fn each_fault_names_its_variable() {
        for (name, value, part) in [
            ("NETWORKS", "", "NETWORKS"),
            ("NETWORKS", "[]", "0 networks"),
            ("NETWORKS", r#"[{"id":0,"name":"a","precision":"exact"}]"#, "id 0"),
            ("NETWORKS", r#"[{"id":1,"name":"A b","precision":"exact"}]"#, "A b"),
            ("NETWORKS", r#"[{"id":1,"name":"a","precision":"exactly"}]"#, "exactly"),
            (
                "NETWORKS",
                r#"[{"id":1,"name":"a","precision":"exact"},{"id":1,"name":"b","precision":"exact"}]"#,
                "twice",
            ),
            ("DENIED_HOSTS", r#"["https://x"]"#, "https://x"),
            ("SITE_ORIGIN", "", "SITE_ORIGIN"),
        ] {
            let mut variables = variables();
            variables.insert(name, value);
            let fault = Config::read(&variables).unwrap_err();
            assert!(fault.contains(name) && fault.contains(part), "{fault}");
        }
        let mut variables = variables();
        variables.remove("DENIED_HOSTS");
        assert!(Config::read(&variables).unwrap_err().contains("not set"));
    }

    #[test]
    fn secrets_are_checked_and_never_printed() {
        let key = "0123456789abcdef0123456789abcdef";
        for (text, part) in [
            (format!(r#"{{"a":["{key}","{key}x","{key}y"]}}"#), "3 keys"),
            (r#"{"a":["short-secret"]}"#.to_owned(), "shorter"),
            (r#"{"a":"#.to_owned(), "parse"),
        ] {
            let variables = BTreeMap::from([("NETWORK_KEYS", text.as_str())]);
            let fault = network_keys(&variables).unwrap_err();
            assert!(
                fault.contains(part) && !fault.contains("short-secret") && !fault.contains(key),
                "{fault}"
            );
        }
        assert!(network_keys(&BTreeMap::new()).unwrap_err().contains("not set"));
        assert!(admin_token(&BTreeMap::from([("ADMIN_TOKEN", "short")])).is_err());
        assert_eq!(admin_token(&BTreeMap::from([("ADMIN_TOKEN", key)])), Ok(key.to_owned()));
    }
}
