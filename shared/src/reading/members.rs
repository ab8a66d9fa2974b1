//! `members!`: reads an object into a struct whose fields are named as the members are.

/// Implements [`Read`](super::Read) for a struct. Members before the semicolon must be there; those behind it take
/// their type's default where they are not. A member that is there twice, or that is not named, is a fault.
#[macro_export]
macro_rules! members {
    ($type:ty { $($needed:ident),* ; $($optional:ident),* }) => {
        impl $crate::reading::Read for $type {
            fn read(reader: &mut $crate::reading::Reader<'_>) -> Result<Self, $crate::reading::Fault> {
                $(let mut $needed = None;)*
                $(let mut $optional = None;)*
                reader.members(&mut |reader, name| match name {
                    $(stringify!($needed) => reader.once(&mut $needed),)*
                    $(stringify!($optional) => reader.once(&mut $optional),)*
                    _ => Err(reader.unknown("member", name)),
                })?;
                Ok(Self {
                    $($needed: reader.needed($needed, stringify!($needed))?,)*
                    $($optional: $optional.unwrap_or_default(),)*
                })
            }
        }
    };
}

pub use members;

use super::{Fault, Read, Reader};

impl Reader<'_> {
    /// Takes the value of a member that may be there once.
    ///
    /// # Errors
    /// It was there before, or what reading its type finds.
    pub fn once<T: Read>(&mut self, value: &mut Option<T>) -> Result<(), Fault> {
        if value.is_some() {
            return Err(self.twice());
        }
        *value = Some(T::read(self)?);
        Ok(())
    }

    /// The value of a member that must have been there.
    ///
    /// # Errors
    /// It was not.
    pub fn needed<T>(&self, value: Option<T>, name: &str) -> Result<T, Fault> {
        value.ok_or_else(|| self.fault(format!("the member {name} is missing")))
    }
}
