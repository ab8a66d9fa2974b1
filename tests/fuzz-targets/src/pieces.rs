//! Cuts bytes into pieces as a seed says.

/// The bytes in pieces of 1 to 32 bytes, most of them short, their lengths from the seed.
pub(crate) fn pieces(bytes: &[u8], seed: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let mut state = u32::from(seed);
    std::iter::from_fn(move || {
        // The generator of Numerical Recipes; its upper bits are the better ones.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let longest = 1 << ((state >> 16) % 6);
        let length = 1 + (state >> 24) as usize % longest;
        let (piece, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
