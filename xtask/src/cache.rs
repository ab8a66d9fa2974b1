//! What is installed once per machine and version: a folder outside the checkout, shared by all checkouts.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Written last into a finished entry. An entry without it was cut short, and is made anew.
const FINISHED: &str = ".complete";

pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$ISU_CACHE_DIR`, else `$XDG_CACHE_HOME/isitstillup`, else `~/.cache/isitstillup`.
    ///
    /// # Errors
    /// When none of the three variables is set.
    pub(crate) fn open() -> Result<Self> {
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = folder("ISU_CACHE_DIR")
            .or_else(|| folder("XDG_CACHE_HOME").map(|dir| dir.join("isitstillup")))
            .or_else(|| folder("HOME").map(|dir| dir.join(".cache/isitstillup")))
            .context("no folder for installed tools: set ISU_CACHE_DIR to one")?;
        Ok(Self { root: std::path::absolute(root)? })
    }

    /// The folder of the entry `key`, made by `install` (given the empty folder) when it is not there yet.
    /// `what` names it for a person.
    ///
    /// A second run waits for the first one's install, and an install that was cut short is repeated.
    ///
    /// # Errors
    /// What `install` says, or that the cache cannot be written.
    pub(crate) fn entry(
        &self,
        key: &str,
        what: &str,
        install: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let folder = self.root.join(key);
        if folder.join(FINISHED).exists() {
            return Ok(folder);
        }
        let _lock = self.lock(key, what)?;
        if folder.join(FINISHED).exists() {
            return Ok(folder);
        }
        eprintln!("Installing {what} into {} (once per machine and version)", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        install(&folder).with_context(|| format!("cannot install {what}"))?;
        fs::write(folder.join(FINISHED), "")
            .with_context(|| format!("cannot write to {}", folder.display()))?;
        Ok(folder)
    }

    /// Held until dropped; the operating system releases it when the holder dies.
    fn lock(&self, key: &str, what: &str) -> Result<File> {
        let path = self.root.join("locks").join(key.replace('/', "_"));
        fs::create_dir_all(self.root.join("locks"))
            .with_context(|| format!("cannot write to the tool cache {}", self.root.display()))?;
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("Waiting for another run that installs {what}");
                file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        Ok(file)
    }
}

/// Sixteen hex digits that stand for `parts`: enough to tell versions apart in a folder's name.
pub(crate) fn short_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn empty_cache(name: &str) -> Cache {
        let root = env::temp_dir().join(format!("isu-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        Cache { root }
    }

    #[test]
    fn an_entry_is_installed_once() {
        let cache = empty_cache("once");
        let runs = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    cache.entry("tools/a-1", "a 1", |folder| {
                        runs.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(50));
                        Ok(fs::write(folder.join("tool"), "x")?)
                    })
                });
            }
        });
        assert_eq!(runs.load(Ordering::SeqCst), 1);
        assert!(cache.root.join("tools/a-1/tool").exists());
        fs::remove_dir_all(&cache.root).unwrap();
    }

    #[test]
    fn an_install_that_failed_half_way_is_made_anew() {
        let cache = empty_cache("half");
        let first = cache.entry("tools/a-1", "a 1", |folder| {
            fs::write(folder.join("half"), "x")?;
            anyhow::bail!("the network went away")
        });
        assert_eq!(format!("{:#}", first.unwrap_err()), "cannot install a 1: the network went away");
        let folder =
            cache.entry("tools/a-1", "a 1", |folder| Ok(fs::write(folder.join("whole"), "x")?)).unwrap();
        assert!(folder.join("whole").exists());
        assert!(!folder.join("half").exists());
        fs::remove_dir_all(&cache.root).unwrap();
    }

    #[test]
    fn the_hash_separates_its_parts() {
        assert_ne!(short_hash([b"ab".as_slice(), b"c"]), short_hash([b"a".as_slice(), b"bc"]));
    }
}
