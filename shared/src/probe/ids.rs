//! Request ids: integers from 1 to 2^31 - 1, never equal within a probe, so that a canned answer shows up as one.

use crate::mix::mix;

/// A stream of distinct ids from random bits given from outside.
#[derive(Debug, Clone)]
pub(super) struct Ids {
    next: u32,
    step: u32,
}

/// 2^31 - 1, a prime: stepping by anything smaller visits every residue before one comes back.
const MODULUS: u32 = 0x7fff_ffff;

impl Ids {
    pub(super) fn new(seed: u64) -> Self {
        let mixed = mix(seed);
        let low = u32::try_from(mixed & 0xffff_ffff).unwrap_or(0);
        let high = u32::try_from(mixed >> 32).unwrap_or(0);
        Self { next: low % MODULUS, step: high % (MODULUS - 1) + 1 }
    }

    pub(super) fn next(&mut self) -> u32 {
        // Zero is skipped: the smallest id is 1.
        loop {
            let id = self.next;
            self.next = (self.next + self.step) % MODULUS;
            if id != 0 {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_are_positive_31_bit_and_distinct(seed: u64) {
            let mut ids = Ids::new(seed);
            let drawn: Vec<u32> = (0..64).map(|_| ids.next()).collect();
            prop_assert!(drawn.iter().all(|id| (1..=MODULUS).contains(id)));
            let distinct: std::collections::HashSet<_> = drawn.iter().collect();
            prop_assert_eq!(distinct.len(), drawn.len());
        }
    }
}
