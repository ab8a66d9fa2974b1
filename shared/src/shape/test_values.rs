//! Arbitrary JSON for property tests.

use proptest::prelude::*;
use serde_json::Value;

/// A text of the characters that matter to sorting and escaping, or any other.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-c]{0,3}", 1 => "[\u{0}-\u{7f}\u{80}\u{e000}\u{ffff}\u{1f600}]{0,4}", 1 => ".{0,6}"]
}

/// Any value, a few levels deep.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Value::from),
        (any::<i32>(), -400..400_i32)
            .prop_map(|(mantissa, exponent)| format!("{mantissa}e{exponent}").parse::<f64>().unwrap())
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}
