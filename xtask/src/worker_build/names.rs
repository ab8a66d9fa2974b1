//! Takes the names of functions out of a wasm module: a quarter of it once compressed, and worker-build keeps them.
//! A panic says its file and line without them.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Magic number and version.
const HEADER_BYTES: usize = 8;
/// The section kind for what is not code; its first field is a name.
const CUSTOM: u8 = 0;

/// Rewrites the module without its section `name`.
///
/// # Errors
/// When the file cannot be read or written, or is no wasm module.
pub(super) fn strip(path: &Path) -> Result<()> {
    let module = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let stripped = without_names(&module).with_context(|| format!("{} is no module", path.display()))?;
    fs::write(path, stripped).with_context(|| format!("cannot write {}", path.display()))
}

fn without_names(module: &[u8]) -> Result<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(HEADER_BYTES).context("it is cut short")?;
    if !header.starts_with(b"\0asm") {
        bail!("it does not start as one");
    }
    let mut kept = header.to_vec();
    while let Some((&kind, after_kind)) = rest.split_first() {
        let (size, body) = read_length(after_kind).context("a section has no length")?;
        let (content, next) = body.split_at_checked(size).context("a section is cut short")?;
        if !(kind == CUSTOM && custom_name(content) == Some(b"name")) {
            kept.extend_from_slice(&rest[..rest.len() - next.len()]);
        }
        rest = next;
    }
    Ok(kept)
}

fn custom_name(content: &[u8]) -> Option<&[u8]> {
    let (length, rest) = read_length(content)?;
    rest.get(..length)
}

/// An unsigned LEB128 number, and what follows it.
fn read_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn only_the_section_of_names_goes() {
        let long = [[0, 0x86, 0x01].as_slice(), &[4], b"name", &[7; 129]].concat();
        let types = [1, 2, 9, 9];
        let producers = [[0, 12].as_slice(), &[9], b"producers", &[1, 2]].concat();
        let module = [HEADER, &types, &long, &producers].concat();
        assert_eq!(without_names(&module).unwrap(), [HEADER, &types, &producers].concat());
    }

    #[test]
    fn what_is_no_module_is_refused() {
        for bytes in
            [b"".as_slice(), b"<!doctype html>", b"\0asm\x01\0\0\0\x01\x05\x00", b"\0asm\x01\0\0\0\x01"]
        {
            assert!(without_names(bytes).is_err());
        }
    }
}
