//! Files served as they are, under paths that hold a digest of their content, so that caches may keep them for ever.

/// One file.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// The file's stem, before the digest.
    stem: &'static str,
    /// The file's extension, after the digest.
    extension: &'static str,
    /// For the `Content-Type` header.
    pub content_type: &'static str,
    pub body: &'static str,
    digest: u64,
}

/// The style sheet of every page.
pub const STYLE: Asset = Asset::new("style", "css", "text/css; charset=utf-8", include_str!("style.css"));
/// The icon of every page.
pub const ICON: Asset = Asset::new("icon", "svg", "image/svg+xml", include_str!("icon.svg"));

const ALL: [Asset; 2] = [STYLE, ICON];

impl Asset {
    const fn new(
        stem: &'static str,
        extension: &'static str,
        content_type: &'static str,
        body: &'static str,
    ) -> Self {
        Self { stem, extension, content_type, body, digest: fnv1a(body.as_bytes()) }
    }

    /// Where it is served: `/assets/style-0123456789abcdef.css`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/assets/{}-{:016x}.{}", self.stem, self.digest, self.extension)
    }
}

/// The file served at a path, if there is one. A path with an older digest is not there.
#[must_use]
pub fn find(path: &str) -> Option<Asset> {
    ALL.into_iter().find(|asset| asset.path() == path)
}

/// FNV-1a, worked out at compile time. It tells versions of our own files apart and guards nothing.
const fn fnv1a(mut bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    while let Some((first, rest)) = bytes.split_first() {
        hash = (hash ^ *first as u64).wrapping_mul(0x0000_0100_0000_01b3);
        bytes = rest;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_the_content() {
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c, "the published test value of FNV-1a");
        assert_eq!(find(&STYLE.path()).map(|asset| asset.body), Some(STYLE.body));
        assert!(find("/assets/style-0000000000000000.css").is_none());
        assert!(find("/assets/style.css").is_none());
    }

    #[test]
    fn the_style_sheet_is_small_and_fetches_nothing() {
        assert!(STYLE.body.len() < 15_000, "{} bytes", STYLE.body.len());
        for foreign in ["url(", "@import", "http:", "https:", "//"] {
            assert!(!STYLE.body.contains(foreign), "{foreign}");
        }
    }
}
