//! How a body is cut into the pieces that a transport hands over.

use serde::{Deserialize, Serialize};

/// A way to cut; the verdict must be the same for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chunking {
    /// In one piece.
    Whole,
    /// Byte by byte.
    Bytes,
    /// In pieces of 7, 1, 64, 3, 1021, 2 bytes, over and over: cuts in every place a reader could mind.
    Odd,
}

const ODD: [usize; 6] = [7, 1, 64, 3, 1021, 2];

impl Chunking {
    /// Every way to cut.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Bytes, Self::Odd];

    /// Cuts `bytes`; the pieces joined are `bytes` again.
    pub fn cut(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = bytes;
        let mut sizes = ODD.into_iter().cycle();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let size = match self {
                Self::Whole => rest.len(),
                Self::Bytes => 1,
                Self::Odd => sizes.next().unwrap_or(1),
            };
            let (piece, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            Some(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_joined_are_the_whole() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
        for chunking in Chunking::ALL {
            assert_eq!(chunking.cut(&bytes).collect::<Vec<_>>().concat(), bytes, "{chunking:?}");
        }
        assert_eq!(Chunking::Whole.cut(&[]).count(), 0);
    }
}
