//! The network's signing key, which no message ever shows.

use std::path::Path;

use shared::signature::KEY_CHARACTERS;

use super::ConfigFault;
use crate::small_file::whole_text;

/// The secret a network signs with. `Debug` shows nothing of it.
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// The key from `ISU_KEY` or, where that is not set, from the file.
pub(super) fn load(secret: Option<String>, file: Option<&Path>) -> Result<Key, ConfigFault> {
    match (secret, file) {
        (Some(secret), _) => checked("ISU_KEY", &secret),
        (None, Some(path)) => {
            let text = whole_text(path).map_err(|fault| ConfigFault::new("key-file", fault))?;
            checked("key-file", &text)
        }
        (None, None) => Err(ConfigFault::new(
            "key-file",
            "needed: set ISU_KEY, or name a file that holds the network's key",
        )),
    }
}

fn checked(field: &'static str, text: &str) -> Result<Key, ConfigFault> {
    let key = text.trim();
    let length = key.chars().count();
    if length < KEY_CHARACTERS {
        return Err(ConfigFault::new(
            field,
            format!("the key must have at least {KEY_CHARACTERS} characters, it has {length}"),
        ));
    }
    if key.chars().any(|character| character.is_whitespace() || character.is_control()) {
        return Err(ConfigFault::new(field, "the key must be one line without spaces"));
    }
    Ok(Key(key.to_owned()))
}

/// A key for tests of those who use one.
#[cfg(test)]
pub(crate) fn test_key(text: &str) -> Key {
    checked("key", text).unwrap()
}
