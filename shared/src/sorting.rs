//! Sorting with one copy of the algorithm for all types: each of std's, made for one type, is ten kilobytes of wasm.

use std::cmp::Ordering;

/// Sorts; items that compare equal keep their order. For lists of up to some thousand items.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    // Item by item: where the one that belongs here was, or has been moved to since.
    for place in 0..order.len() {
        let mut from = order.get(place).copied().unwrap_or(place);
        while from < place {
            from = order.get(from).copied().unwrap_or(place);
        }
        if let Some(moved) = order.get_mut(place) {
            *moved = from;
        }
        items.swap(place, from);
    }
}

/// Sorts by a key.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// The places of the sorted items: each is put behind those that are not greater. Moving places in a vector is quick,
/// and std's sort is two kilobytes for one use.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(count);
    for item in 0..count {
        let place = order.partition_point(|other| compare(*other, item).is_le());
        order.insert(place, item);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in proptest::collection::vec((0u8..20, any::<u8>()), 0..80)) {
            let mut ours = items.clone();
            let mut theirs = items;
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}
