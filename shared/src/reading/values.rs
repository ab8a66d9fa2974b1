//! Values that documents are made of: numbers, texts, lists, maps.

use json_event_parser::JsonEvent;

use super::{Fault, Read, Reader};
use crate::shape::Digest;
use crate::table::Table;

macro_rules! whole_number {
    ($($type:ty),*) => {$(
        impl Read for $type {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                let number = reader.integer(Self::MIN.into(), Self::MAX.into())?;
                // Within its limits by now.
                Ok(number as Self)
            }
        }
    )*};
}

whole_number!(u8, u16, u32, i64);

impl Reader<'_> {
    /// The next value, a whole number from `least` to `most`.
    ///
    /// # Errors
    /// It is none.
    pub fn integer(&mut self, least: i64, most: i64) -> Result<i64, Fault> {
        let event = self.take()?;
        if let JsonEvent::Number(digits) = &event
            && let Ok(number) = digits.parse()
            && (least..=most).contains(&number)
        {
            return Ok(number);
        }
        Err(self.unexpected(&format!("a whole number from {least} to {most}"), &event))
    }
}

impl Read for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.take()? {
            JsonEvent::Boolean(value) => Ok(value),
            other => Err(reader.unexpected("true or false", &other)),
        }
    }
}

impl Read for String {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.text().map(std::borrow::Cow::into_owned)
    }
}

impl Read for Digest {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let text = reader.text()?;
        Self::from_name(&text).map_err(|rule| reader.fault(rule))
    }
}

impl<T: Read> Read for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(if reader.null()? { None } else { Some(T::read(reader)?) })
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut list = Self::new();
        reader.elements(&mut |reader| {
            list.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(list)
    }
}

/// What the members of a map are named by.
pub trait MemberName: Ord + Sized {
    /// From the name of a member.
    ///
    /// # Errors
    /// The rule that the name breaks.
    fn from_name(name: &str) -> Result<Self, String>;
}

impl MemberName for String {
    fn from_name(name: &str) -> Result<Self, String> {
        Ok(name.to_owned())
    }
}

impl MemberName for Digest {
    fn from_name(name: &str) -> Result<Self, String> {
        name.parse().map_err(|fault: crate::shape::NotADigest| fault.to_string())
    }
}

impl<K: MemberName, V: Read> Read for Table<K, V> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut table = Self::new();
        reader.members(&mut |reader, name| {
            let key = K::from_name(name).map_err(|rule| reader.fault(rule))?;
            if table.contains(&key) {
                return Err(reader.twice());
            }
            table.set(key, V::read(reader)?);
            Ok(())
        })?;
        Ok(table)
    }
}
