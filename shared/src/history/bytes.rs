//! Variable-length integers: seven bits a byte, lowest first, the high bit says that more follow.

use super::decode::ChunkFault;

pub(super) fn put_unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Small numbers of either sign take one byte from -64 to 63.
pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_unsigned(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// Takes bytes from the front of a chunk; every method fails instead of reading past its end.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, ChunkFault> {
        let (first, rest) = self.0.split_first().ok_or(ChunkFault::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], ChunkFault> {
        let (first, rest) = self.0.split_first_chunk().ok_or(ChunkFault::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, ChunkFault> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(ChunkFault::Range);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ChunkFault::Range)
    }

    /// A number that must fit its type.
    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Result<T, ChunkFault> {
        T::try_from(self.unsigned()?).map_err(|_| ChunkFault::Range)
    }

    pub(super) fn signed(&mut self) -> Result<i64, ChunkFault> {
        let value = self.unsigned()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}
