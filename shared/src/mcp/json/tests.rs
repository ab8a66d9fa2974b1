//! What the JSON intake accepts, repairs, names and refuses.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn clean(value: Value) -> Result<Json, JsonFault> {
    Ok(Json { value, duplicate_keys: false, invalid_unicode: false, byte_order_mark: false })
}

#[test]
fn a_plain_document_has_no_remarks() {
    let text = r#" {"a": [1, -2, 3.5, true, null, "x\n\u00e9\ud83d\ude00"]} "#;
    assert_eq!(read(text.as_bytes()), clean(json!({"a": [1, -2, 3.5, true, null, "x\né😀"]})));
    assert_eq!(read(text.as_bytes()).unwrap().violations(), []);
}

#[test]
fn what_cannot_be_read_is_named() {
    let table: &[(&[u8], JsonFault)] = &[
        (b"", JsonFault::Empty),
        (b" \r\n\t", JsonFault::Empty),
        (b"\xEF\xBB\xBF", JsonFault::Empty),
        (b"<!DOCTYPE html>", JsonFault::NotJson),
        (b"Not Found", JsonFault::NotJson),
        (b"{\"a\":1}{\"b\":2}", JsonFault::NotJson),
        (b"{\"a\":1", JsonFault::NotJson),
        (b"\"open", JsonFault::NotJson),
        (b"\"open\\", JsonFault::NotJson),
        (b"\"\\u12", JsonFault::NotJson),
        (b"\"\\u+123\"", JsonFault::NotJson),
        (b"NaN", JsonFault::NotJson),
        (b"[1e]", JsonFault::NotJson),
        (b"[01]", JsonFault::NotJson),
        (b"[1-1e999]", JsonFault::NotJson),
        (b"\"\x01\"", JsonFault::NotJson),
        (b"\0", JsonFault::NotJson),
        (b"]", JsonFault::NotJson),
        // UTF-16 without a mark is not UTF-8.
        (b"\xFF\xFE{\0}\0", JsonFault::NotJson),
    ];
    for (bytes, fault) in table {
        assert_eq!(read(bytes), Err(*fault), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_byte_order_mark_is_dropped_and_named() {
    let json = read(b"\xEF\xBB\xBF{\"a\":1}").unwrap();
    assert_eq!(json.value, json!({"a": 1}));
    assert_eq!(json.violations(), [Violation::ByteOrderMark]);
}

#[test]
fn text_that_is_not_unicode_is_replaced_and_named() {
    let table: &[(&[u8], Value)] = &[
        (br#"["\ud800"]"#, json!(["\u{fffd}"])),
        (br#"["\udc00"]"#, json!(["\u{fffd}"])),
        (br#"["\uD83D\uD83D\uDE00"]"#, json!(["\u{fffd}😀"])),
        (br#"["\ude00\ud83d"]"#, json!(["\u{fffd}\u{fffd}"])),
        (br#"["\ud800x", "\ud800\n", "\ud800\u0041"]"#, json!(["\u{fffd}x", "\u{fffd}\n", "\u{fffd}A"])),
        (br#"{"\ud800": "\ud800"}"#, json!({"\u{fffd}": "\u{fffd}"})),
        (b"[\"a\xFFb\"]", json!(["a\u{fffd}b"])),
        // A surrogate in the bytes themselves (CESU-8).
        (b"[\"\xED\xA0\x80\"]", json!(["\u{fffd}\u{fffd}\u{fffd}"])),
    ];
    for (bytes, value) in table {
        let json = read(bytes).unwrap();
        assert_eq!(&json.value, value);
        assert_eq!(json.violations(), [Violation::InvalidUnicode], "{value}");
    }
}

#[test]
fn an_escaped_backslash_before_u_is_no_escape() {
    assert_eq!(read(br#"["\\ud800"]"#), clean(json!(["\\ud800"])));
    let json = read(br#"["\\\ud800"]"#).unwrap();
    assert_eq!((json.value, json.invalid_unicode), (json!(["\\\u{fffd}"]), true));
}

#[test]
fn a_replacement_character_the_server_wrote_itself_is_no_breach() {
    assert_eq!(read("[\"\u{fffd}\\ufffd\"]".as_bytes()), clean(json!(["\u{fffd}\u{fffd}"])));
}

#[test]
fn the_last_of_equal_keys_wins_and_the_breach_is_named() {
    let json = read(br#"{"a":1,"b":{"c":1,"c":2},"a":3}"#).unwrap();
    assert_eq!(json.value, json!({"a": 3, "b": {"c": 2}}));
    assert_eq!(json.violations(), [Violation::DuplicateKeys]);
    assert!(
        read(br#"[{"a":1},{"\u0061":1,"a":2}]"#).unwrap().duplicate_keys,
        "escapes do not hide a repetition"
    );
    assert!(!read(br#"[{"a":1},{"a":1}]"#).unwrap().duplicate_keys);
}

#[test]
fn numbers_no_double_can_hold_read_as_the_largest_one() {
    let digits = "9".repeat(400);
    let table = [
        ("1e999".to_owned(), f64::MAX),
        ("-1E+999".to_owned(), f64::MIN),
        ("1e99999999999999999999".to_owned(), f64::MAX),
        (digits.clone(), f64::MAX),
        (format!("-{digits}.5"), f64::MIN),
        ("1e-999".to_owned(), 0.0),
        ("0e999".to_owned(), 0.0),
        ("1.7976931348623157e308".to_owned(), f64::MAX),
    ];
    for (text, expected) in table {
        let json = read(format!("[1,{text},2]").as_bytes());
        assert_eq!(json, clean(json!([1, expected, 2])), "{text}");
    }
    assert_eq!(read(br#"["1e999"]"#), clean(json!(["1e999"])), "text is not a number");
}

/// What is no JSON stays so: a number is repaired for its size alone.
#[test]
fn a_number_that_is_none_is_not_repaired_into_one() {
    let digits = "9".repeat(400);
    for form in ["1.e999", ".5e999", "01e999", "00e1", "1e", "1e+", "1.e", "+1e999", "1e9.9", "0x1e999"] {
        for text in [form.to_owned(), format!("-{form}"), format!("[{form}]")] {
            assert_eq!(read(text.as_bytes()), Err(JsonFault::NotJson), "{text}");
        }
    }
    for text in [format!("0{digits}"), format!("{digits}."), format!("-0{digits}.5"), format!("{digits}.e5")]
    {
        assert_eq!(read(text.as_bytes()), Err(JsonFault::NotJson), "{text}");
    }
}

#[test]
fn depth_is_capped_before_the_parser_can_overflow_the_stack() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(nested(limits::JSON_DEPTH).as_bytes()).is_ok());
    assert_eq!(read(nested(limits::JSON_DEPTH + 1).as_bytes()), Err(JsonFault::TooDeep));
    assert_eq!(read("[".repeat(4 << 20).as_bytes()), Err(JsonFault::TooDeep));
    assert_eq!(read("{\"a\":".repeat(1 << 20).as_bytes()), Err(JsonFault::TooDeep));
    let brackets = serde_json::to_string(&"[{".repeat(1000)).unwrap();
    assert!(read(brackets.as_bytes()).is_ok(), "brackets within a text do not nest");
}

#[test]
fn values_are_counted_before_a_tree_of_them_is_built() {
    let most = limits::JSON_VALUES;
    // Of each text: the values that its repeated part costs.
    for (part, cost) in [("1,", 1), ("[],", 2), ("{},", 3), ("{\"a\":1},", 3), ("\"a\",", 1)] {
        let list = |count: usize| format!("[{}0]", part.repeat(count));
        let fitting = (most - 1) / cost;
        assert!(read(list(fitting).as_bytes()).is_ok(), "{part}");
        assert_eq!(read(list(fitting + 1).as_bytes()), Err(JsonFault::TooManyValues), "{part}");
    }
    let commas = format!("\"{}\"", "[{,".repeat(most));
    assert!(read(commas.as_bytes()).is_ok(), "within a text they are text");
}

/// A quadratic step anywhere would take hours on these.
#[test]
fn hostile_megabytes_are_read_in_linear_time() {
    let size = limits::TOOLS_BYTES;
    let texts = [
        format!("\"{}\"", "\\ud800".repeat(size / 6)),
        format!("[{}1]", "1e999,".repeat(size / 6)),
        "9".repeat(size),
        format!("0.{}", "9".repeat(size)),
        format!("1e{}", "9".repeat(size)),
        format!("\"{}", "\\".repeat(size)),
        format!("[{}1]", "[],".repeat(size / 3)),
        format!("{{{}\"a\":1}}", "\"a\":1,".repeat(size / 6)),
    ];
    for text in texts {
        let _ = read(text.as_bytes());
    }
    let _ = read(&vec![0xFF; size]);
}

proptest! {
    #[test]
    fn any_value_survives_the_intake(text in json_text()) {
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read(text.as_bytes()), clean(expected));
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    /// Texts made of what the scanner looks for: it never turns JSON into something else.
    #[test]
    fn json_like_text_reads_as_the_parser_reads_it(text in "[\\[\\]{}\":,0-9eE+.u\\\\dDa -]{0,40}") {
        if let Ok(expected) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(read(text.as_bytes()).unwrap().value, expected);
        }
    }

    /// And nothing into JSON: a number is read where the parser reads it, or finds it too large and nothing else.
    #[test]
    fn a_number_is_one_where_the_parser_says_so(text in "-?(0|[1-9][0-9]?|0[0-9]|)(\\.[0-9]?)?[eE]?[+-]?(999|9|)") {
        let readable = match serde_json::from_str::<Value>(&text) {
            Ok(_) => true,
            Err(error) => error.to_string().contains("number out of range"),
        };
        prop_assert_eq!(read(text.as_bytes()).is_ok(), readable, "{}", text);
    }
}

/// Compact and pretty JSON of arbitrary values with unique keys.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..6).prop_map(|entries| entries.into_iter().collect()),
        ]
    });
    (value, any::<bool>()).prop_map(|(value, pretty)| {
        if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
    })
}
