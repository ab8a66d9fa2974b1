//! An ordered map over a sorted vector.
//!
//! For the few hundred rows that one request touches it is as quick as a `BTreeMap`, and each pair of types costs a
//! tenth of its code: maps were a fifth of the module.

use serde::{Serialize, Serializer};

/// Entries sorted by key, one a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table<K, V>(Vec<(K, V)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Table<K, V> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }

    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        let index = self.find(key).ok()?;
        self.0.get(index).map(|(_, value)| value)
    }

    #[must_use]
    pub fn contains(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Sets a value; the later one counts.
    pub fn set(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(index) => {
                if let Some((_, held)) = self.0.get_mut(index) {
                    *held = value;
                }
            }
            // At the end, where keys come in order.
            Err(index) => self.0.insert(index, (key, value)),
        }
    }

    /// The value of `key`, the default one if it was not there.
    pub fn entry(&mut self, key: K) -> Option<&mut V>
    where
        V: Default,
    {
        let index = match self.find(&key) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, (key, V::default()));
                index
            }
        };
        self.0.get_mut(index).map(|(_, value)| value)
    }

    /// In the order of keys.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As an object whose members are named by the keys.
impl<K: Serialize, V: Serialize> Serialize for Table<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Table<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut table = Self::new();
        entries.into_iter().for_each(|(key, value)| table.set(key, value));
        table
    }
}

impl<K, V> IntoIterator for Table<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Table<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_one_value_a_key_in_order() {
        let mut table = Table::new();
        for (key, value) in [(3, 'c'), (1, 'a'), (2, 'b'), (3, 'd')] {
            table.set(key, value);
        }
        assert_eq!(table.iter().copied().collect::<Vec<_>>(), [(1, 'a'), (2, 'b'), (3, 'd')]);
        assert_eq!((table.get(&2), table.get(&9)), (Some(&'b'), None));
        *table.entry(0).unwrap() = 'z';
        assert_eq!((table.len(), table.get(&0)), (4, Some(&'z')));
    }
}
