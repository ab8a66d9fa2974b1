//! Rows as SQLite's JSON functions write them: arrays of numbers, texts, nulls and rows.
//!
//! One reader for all of them, taking cells in the order of the SELECT: a derived reader for each kind of row would be
//! a tenth of the module.

use shared::reading::{Fault, Kind, Read, Reader, document};
use shared::shape::Digest;

use super::StoreFault;

/// The cells of one row that have not been taken yet.
#[derive(Debug, Clone)]
pub(super) struct Row(std::vec::IntoIter<Cell>);

#[derive(Debug, Clone)]
enum Cell {
    Null,
    Number(i64),
    Text(String),
    Cells(Vec<Cell>),
}

impl Row {
    /// Reads the rows of a JSON array of arrays.
    pub(super) fn read_all(json: &str) -> Result<Vec<Self>, StoreFault> {
        Ok(rows(document(json.as_bytes())?))
    }

    /// The next cell, a number that fits its type.
    pub(super) fn number<T: TryFrom<i64>>(&mut self) -> Result<T, StoreFault> {
        match self.0.next() {
            Some(Cell::Number(number)) => {
                T::try_from(number).map_err(|_| unexpected("a number out of its range"))
            }
            _ => Err(unexpected("no number where one should be")),
        }
    }

    /// The next cell, a text or null.
    pub(super) fn optional_text(&mut self) -> Result<Option<String>, StoreFault> {
        match self.0.next() {
            Some(Cell::Text(text)) => Ok(Some(text)),
            Some(Cell::Null) => Ok(None),
            _ => Err(unexpected("no text where one should be")),
        }
    }

    /// The next cell, a text.
    pub(super) fn text(&mut self) -> Result<String, StoreFault> {
        self.optional_text()?.ok_or_else(|| unexpected("null where a text should be"))
    }

    /// The next cell, a digest or null.
    pub(super) fn optional_digest(&mut self) -> Result<Option<Digest>, StoreFault> {
        self.optional_text()?.as_deref().map(digest).transpose()
    }

    /// The next cell, a digest.
    pub(super) fn digest(&mut self) -> Result<Digest, StoreFault> {
        digest(&self.text()?)
    }

    /// The next cell, a blob as `hex` writes it.
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, StoreFault> {
        let text = self.text()?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        };
        let bytes = text.as_bytes().chunks(2).map(byte).collect::<Option<_>>();
        bytes.ok_or_else(|| unexpected("a text that is not hexadecimal"))
    }

    /// The next cell, a list of rows.
    pub(super) fn rows(&mut self) -> Result<Vec<Self>, StoreFault> {
        match self.0.next() {
            Some(Cell::Cells(cells)) => Ok(rows(cells)),
            _ => Err(unexpected("no rows where some should be")),
        }
    }
}

/// A cell that is no row reads as an empty one, whose first cell is then missing.
fn rows(cells: Vec<Cell>) -> Vec<Row> {
    let row = |cell| match cell {
        Cell::Cells(cells) => Row(cells.into_iter()),
        _ => Row(Vec::new().into_iter()),
    };
    cells.into_iter().map(row).collect()
}

fn digest(text: &str) -> Result<Digest, StoreFault> {
    text.parse().map_err(|_| unexpected("a text that is no digest"))
}

fn unexpected(what: &str) -> StoreFault {
    StoreFault::Answer(what.to_owned())
}

impl Read for Cell {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(match reader.kind()? {
            Kind::Null => reader.null().map(|_| Self::Null)?,
            Kind::Number => Self::Number(i64::read(reader)?),
            Kind::List => Self::Cells(Vec::read(reader)?),
            _ => Self::Text(String::read(reader)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_in_their_order() {
        let json = r#"[[1,"a",null,"0a0B",[[2],[3]],"0102030405060708"],[-1]]"#;
        let mut rows = Row::read_all(json).unwrap().into_iter();
        let mut row = rows.next().unwrap();
        assert_eq!(row.number::<u8>().unwrap(), 1);
        assert_eq!(row.text().unwrap(), "a");
        assert_eq!(row.optional_digest().unwrap(), None);
        assert_eq!(row.bytes().unwrap(), [10, 11]);
        let inner: Vec<u8> = row.rows().unwrap().iter_mut().map(|row| row.number().unwrap()).collect();
        assert_eq!(inner, [2, 3]);
        assert_eq!(row.digest().unwrap(), Digest([1, 2, 3, 4, 5, 6, 7, 8]));
        assert!(row.text().is_err(), "there is no cell left");
        assert!(rows.next().unwrap().number::<u32>().is_err(), "negative");
    }

    #[test]
    fn what_is_no_row_is_an_error_and_no_panic() {
        for json in ["", "{}", "[1.5]", "[[true]]"] {
            assert!(Row::read_all(json).is_err(), "{json}");
        }
        assert!(Row::read_all("[7]").unwrap()[0].number::<u32>().is_err());
        let mut row = Row::read_all(r#"[["0g", "012"]]"#).unwrap().remove(0);
        assert!(row.bytes().is_err() && row.bytes().is_err());
    }
}
