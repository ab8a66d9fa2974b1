//! Files an operator names: read whole, up to a limit that none of them needs, so that a device or a log given by
//! mistake is told and not swallowed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Settings and keys take a page; the authorities of a whole system a quarter of this.
pub(crate) const MOST_BYTES: u64 = 1024 * 1024;

/// The file's bytes.
///
/// # Errors
/// A sentence that names the file, where it cannot be read or is larger than [`MOST_BYTES`].
pub(crate) fn whole(path: &Path) -> Result<Vec<u8>, String> {
    whole_up_to(path, MOST_BYTES)
}

/// The same with another limit.
///
/// # Errors
/// As [`whole`].
pub(crate) fn whole_up_to(path: &Path, most_bytes: u64) -> Result<Vec<u8>, String> {
    let unreadable = |error| format!("cannot read {}: {error}", path.display());
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more.
    File::open(path)
        .and_then(|file| file.take(most_bytes + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > most_bytes {
        return Err(format!("{} is larger than {most_bytes} bytes: is it the right file?", path.display()));
    }
    Ok(bytes)
}

/// The file as text.
///
/// # Errors
/// As [`whole`], and where it is not UTF-8.
pub(crate) fn whole_text(path: &Path) -> Result<String, String> {
    String::from_utf8(whole(path)?).map_err(|_| format!("{} is no text in UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// /dev/zero never ends: this returns only because of the limit.
    #[test]
    fn a_file_without_end_is_told_and_a_small_one_is_read() {
        let endless = whole(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(endless, "/dev/zero is larger than 1048576 bytes: is it the right file?");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(whole_text(&here.join("Cargo.toml")).unwrap().contains("[package]"));
        assert!(whole(here).unwrap_err().starts_with("cannot read "));
    }
}
