//! The secrets of the local run: made once, kept in a file outside git that only its owner can read.

use anyhow::{Context, Result, anyhow};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Bytes of randomness in a secret; written as twice as many hex digits.
const SECRET_BYTES: usize = 32;

pub(super) struct Secrets {
    /// In the form that wrangler reads: `NAME='value'` lines.
    pub(super) file: PathBuf,
    pub(super) network: String,
    pub(super) network_key: String,
    pub(super) admin_token: String,
}

impl Secrets {
    /// # Errors
    /// When the file cannot be read or written, or is not as this program writes it.
    pub(super) fn load_or_create(folder: &Path, network: &str) -> Result<Self> {
        let file = folder.join("secrets.env");
        if !file.exists() {
            let keys = serde_json::json!({ network: [random_hex()?] });
            let text = format!("ADMIN_TOKEN='{}'\nNETWORK_KEYS='{keys}'\n", random_hex()?);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(0o600);
            let mut created =
                options.open(&file).with_context(|| format!("cannot create {}", file.display()))?;
            created.write_all(text.as_bytes())?;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        read(&text, network)
            .map(|(admin_token, network_key)| Self {
                network: network.to_owned(),
                network_key,
                admin_token,
                file: file.clone(),
            })
            .with_context(|| format!("{} is damaged: remove it and try again", file.display()))
    }
}

/// The admin token and the network's first key.
fn read(text: &str, network: &str) -> Result<(String, String)> {
    let value = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix("='")?.strip_suffix('\''))
            .ok_or_else(|| anyhow!("no {name}"))
    };
    let keys: serde_json::Value = serde_json::from_str(value("NETWORK_KEYS")?)?;
    let key = keys.get(network).and_then(|keys| keys.get(0)).and_then(serde_json::Value::as_str);
    let key = key.ok_or_else(|| anyhow!("no key for the network {network}"))?;
    Ok((value("ADMIN_TOKEN")?.to_owned(), key.to_owned()))
}

/// A secret of 64 hex digits.
///
/// # Errors
/// When the operating system gives no random bytes.
pub(super) fn random_hex() -> Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).context("the operating system gave no random bytes")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn secrets_are_made_once_and_only_the_owner_reads_them() {
        let folder = std::env::temp_dir().join(format!("isu-secrets-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let first = Secrets::load_or_create(&folder, "net").unwrap();
        let second = Secrets::load_or_create(&folder, "net").unwrap();
        assert_eq!((&first.admin_token, &first.network_key), (&second.admin_token, &second.network_key));
        assert_eq!(first.network_key.len(), 2 * SECRET_BYTES);
        assert_ne!(first.network_key, first.admin_token);
        assert_eq!(fs::metadata(&first.file).unwrap().permissions().mode() & 0o777, 0o600);
        let other = Secrets::load_or_create(&folder, "another").err().unwrap();
        assert!(format!("{other:#}").contains("no key for the network another"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
