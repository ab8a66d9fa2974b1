//! What SQLite will make of a write-ahead file: it says nothing about what it does not take, and overwrites it.
//!
//! The format is SQLite's (`fileformat2.html`, section 4): a header, then frames of one page each. A checksum runs from
//! the header through all frames; the first that does not fit ends what is taken.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// The number of the format; its last bit says which way the checksum reads words.
const MAGIC: u32 = 0x377f_0682;
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Page lengths that a database may have.
const PAGE_LENGTHS: std::ops::RangeInclusive<u32> = 512..=65_536;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteAhead {
    /// It is not there, or nothing is in it.
    Empty,
    /// All that was committed is taken.
    Whole,
    /// What was committed last is not taken.
    CutShort,
    /// Nothing of it is taken.
    Unusable,
}

/// What the file is. One that cannot be read is left to SQLite, which says why.
pub(super) fn judge(path: &Path) -> WriteAhead {
    File::open(path)
        .map_or(WriteAhead::Empty, |file| judge_content(BufReader::new(file)).unwrap_or(WriteAhead::Whole))
}

fn judge_content(mut content: impl Read) -> io::Result<WriteAhead> {
    let mut header = [0; HEADER];
    if fill(&mut content, &mut header)? < HEADER {
        return Ok(WriteAhead::Empty);
    }
    let [magic, _, page_length, _, salts @ .., sum_0, sum_1] = words::<8>(&header);
    let mut sum = Sum { big_endian: magic & 1 == 1, at: (0, 0) };
    sum.add(&header[..FRAME_HEADER]);
    let known = magic & !1 == MAGIC && PAGE_LENGTHS.contains(&page_length) && page_length.is_power_of_two();
    if !known || sum.at != (sum_0, sum_1) {
        return Ok(WriteAhead::Unusable);
    }
    let mut page = vec![0; page_length as usize];
    let (mut taken, mut frames) = (true, 0_u64);
    loop {
        let mut header = [0; FRAME_HEADER];
        if fill(&mut content, &mut header)? < FRAME_HEADER {
            return Ok(if frames == 0 { WriteAhead::Empty } else { WriteAhead::Whole });
        }
        let is_whole = fill(&mut content, &mut page)? == page.len();
        let [_, commits, salt_0, salt_1, sum_0, sum_1] = words::<6>(&header);
        // Frames with other salts are left from before the file was begun anew.
        let current = [salt_0, salt_1] == salts;
        sum.add(&header[..8]);
        sum.add(&page);
        taken &= is_whole && current && sum.at == (sum_0, sum_1);
        if !taken && current && commits != 0 {
            return Ok(WriteAhead::CutShort);
        }
        frames += u64::from(taken);
    }
}

/// Reads until the buffer is full or the content ends.
fn fill(content: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match content.read(rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

fn words<const COUNT: usize>(bytes: &[u8]) -> [u32; COUNT] {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|index| words.get(index).map_or(0, |word| u32::from_be_bytes(*word)))
}

/// The running checksum.
struct Sum {
    big_endian: bool,
    at: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: [u8; 4]| {
            if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let (pairs, _) = bytes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs {
            self.at.0 = self.at.0.wrapping_add(word([*a, *b, *c, *d])).wrapping_add(self.at.1);
            self.at.1 = self.at.1.wrapping_add(word([*e, *f, *g, *h])).wrapping_add(self.at.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::outbox::tests::Folder;

    /// A write-ahead file of SQLite's own with so many commits, and where each of them ends.
    fn written(commits: usize) -> (Vec<u8>, Vec<usize>) {
        let folder = Folder::new("write-ahead");
        let connection = Connection::open(folder.outbox()).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        let file = || std::fs::read(folder.outbox().with_extension("sqlite-wal")).unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        let mut ends = vec![file().len()];
        for _ in 1..commits {
            connection.execute("INSERT INTO t VALUES (zeroblob(5000))", []).unwrap();
            ends.push(file().len());
        }
        (file(), ends)
    }

    fn judged(bytes: &[u8]) -> WriteAhead {
        judge_content(bytes).unwrap()
    }

    #[test]
    fn what_sqlite_wrote_is_whole_after_every_commit() {
        let (bytes, ends) = written(4);
        assert_eq!(judged(&bytes), WriteAhead::Whole);
        for end in ends {
            assert_eq!(judged(&bytes[..end]), WriteAhead::Whole);
        }
        assert_eq!(judged(&[]), WriteAhead::Empty);
        assert_eq!(judged(&bytes[..HEADER]), WriteAhead::Empty);
    }

    /// Whichever byte it is, but for the salts of the last frame, which make it one from before.
    #[test]
    fn a_byte_that_is_another_is_noticed() {
        let (bytes, _) = written(3);
        let last = bytes.len() - 4_096 - FRAME_HEADER;
        let salts = last + 8..last + 16;
        for at in (0..bytes.len()).step_by(7).chain(0..HEADER).filter(|at| !salts.contains(at)) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x10;
            let expected = if at < HEADER { WriteAhead::Unusable } else { WriteAhead::CutShort };
            assert_eq!(judged(&bytes), expected, "byte {at}");
        }
    }

    /// As a kill leaves it, or as it is after it was begun anew over a longer one.
    #[test]
    fn what_was_never_committed_or_is_from_before_is_not_missed() {
        let (bytes, ends) = written(3);
        let (longer, longer_ends) = written(9);
        let unfinished = &bytes[..ends[1] + FRAME_HEADER + 4_096];
        assert!(unfinished.len() < ends[2], "the last commit has several frames");
        assert_eq!(judged(unfinished), WriteAhead::Whole);
        assert_eq!(judged(&[&bytes, &longer[longer_ends[2]..]].concat()), WriteAhead::Whole);
    }
}
