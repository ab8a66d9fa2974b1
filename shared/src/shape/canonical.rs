//! Canonical JSON (RFC 8785): one text for one value, whatever the order of its keys and the spelling of its numbers.
//!
//! The walk keeps its own stack, so depth costs memory in proportion and never the call stack.

use serde_json::Value;

use super::number;

/// The canonical text of a value.
#[must_use]
pub fn to_text(value: &Value) -> String {
    project(value, Position::Data, &[]).text
}

/// Where in a JSON Schema a value stands: decides whether `title` and `description` are annotations or just names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Plain data: everything is kept.
    Data,
    /// A schema, or a list of schemas: annotations are left out.
    Schema,
    /// An object of schemas by name, such as `properties`: a property may well be called `title`.
    NamedSchemas,
}

impl Position {
    fn of_member(self, key: &str) -> Self {
        match (self, key) {
            (Self::Data, _) => Self::Data,
            (Self::NamedSchemas, _) => Self::Schema,
            (
                Self::Schema,
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
            ) => Self::NamedSchemas,
            (Self::Schema, "const" | "enum" | "default" | "examples" | "example") => Self::Data,
            (Self::Schema, _) => Self::Schema,
        }
    }

    fn of_item(self) -> Self {
        if self == Self::Data { Self::Data } else { Self::Schema }
    }

    fn leaves_out(self, key: &str) -> bool {
        self == Self::Schema && matches!(key, "title" | "description")
    }
}

/// A value split in what a client acts on and what only describes.
#[derive(Debug, Default)]
pub(super) struct Projection<'a> {
    /// Canonical text without the annotations.
    pub(super) text: String,
    /// The annotations left out, in the order of the canonical text.
    pub(super) annotations: Vec<(&'a str, &'a Value)>,
}

/// Writes `value`, without the annotations its position knows and without the members `not_at_root` of the outermost
/// object (which are not reported either).
pub(super) fn project<'a>(value: &'a Value, position: Position, not_at_root: &[&str]) -> Projection<'a> {
    let mut projection = Projection::default();
    let mut open = Vec::new();
    projection.begin(value, position, not_at_root, &mut open);
    while let Some(innermost) = open.last_mut() {
        match innermost.next(&mut projection.text) {
            Some((child, position)) => projection.begin(child, position, &[], &mut open),
            None => {
                open.pop();
            }
        }
    }
    projection
}

/// An array or object being written.
enum Open<'a> {
    Array { items: std::slice::Iter<'a, Value>, position: Position, first: bool },
    Object { entries: std::vec::IntoIter<(&'a str, &'a Value)>, position: Position, first: bool },
}

impl<'a> Open<'a> {
    /// Writes what stands before the next child and gives it, or closes.
    fn next(&mut self, out: &mut String) -> Option<(&'a Value, Position)> {
        match self {
            Self::Array { items, position, first } => match items.next() {
                Some(item) => {
                    separate(first, out);
                    Some((item, position.of_item()))
                }
                None => {
                    out.push(']');
                    None
                }
            },
            Self::Object { entries, position, first } => match entries.next() {
                Some((key, value)) => {
                    separate(first, out);
                    write_string(key, out);
                    out.push(':');
                    Some((value, position.of_member(key)))
                }
                None => {
                    out.push('}');
                    None
                }
            },
        }
    }
}

fn separate(first: &mut bool, out: &mut String) {
    if !std::mem::take(first) {
        out.push(',');
    }
}

impl<'a> Projection<'a> {
    /// Writes a scalar, or opens an array or object.
    fn begin(&mut self, value: &'a Value, position: Position, leave_out: &[&str], open: &mut Vec<Open<'a>>) {
        match value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(true) => self.text.push_str("true"),
            Value::Bool(false) => self.text.push_str("false"),
            Value::Number(number) => number::write(number, &mut self.text),
            Value::String(text) => write_string(text, &mut self.text),
            Value::Array(items) => {
                self.text.push('[');
                open.push(Open::Array { items: items.iter(), position, first: true });
            }
            Value::Object(members) => {
                self.text.push('{');
                let mut entries: Vec<(&str, &Value)> =
                    members.iter().map(|(key, value)| (key.as_str(), value)).collect();
                entries.retain(|(key, _)| !leave_out.contains(key));
                // The RFC sorts by UTF-16 code units, which differs from UTF-8 order above U+FFFF.
                entries.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
                let annotations = entries.extract_if(.., |(key, _)| position.leaves_out(key));
                self.annotations.extend(annotations);
                open.push(Open::Object { entries: entries.into_iter(), position, first: true });
            }
        }
    }
}

/// A JSON text with the fewest escapes.
fn write_string(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            // Writing to a String does not fail.
            '\0'..'\u{20}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_sample_of_the_rfc() {
        let value: Value = serde_json::from_str(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        )
        .unwrap();
        assert_eq!(
            to_text(&value),
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
    }

    #[test]
    fn keys_sort_by_utf_16() {
        let value =
            json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            to_text(&value),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
    }

    #[test]
    fn annotations_are_told_from_properties_and_data_of_the_same_name() {
        let schema = json!({
            "title": "T", "description": "D", "type": "object",
            "properties": {
                "title": {"type": "string", "description": "a property called title"},
                "b": {"anyOf": [{"title": "B1"}, {"description": "B2", "items": {"title": "B3"}}]},
            },
            "$defs": {"description": {"description": "E"}},
            "default": {"title": "kept", "description": "kept"},
            "enum": [{"title": "kept"}],
            "items": {"const": {"title": "kept"}, "title": "I"},
        });
        let projection = project(&schema, Position::Schema, &["type"]);
        assert_eq!(
            projection.text,
            r#"{"$defs":{"description":{}},"default":{"description":"kept","title":"kept"},"enum":[{"title":"kept"}],"items":{"const":{"title":"kept"}},"properties":{"b":{"anyOf":[{},{"items":{}}]},"title":{"type":"string"}}}"#
        );
        let annotations: Vec<_> = projection
            .annotations
            .iter()
            .map(|(key, value)| format!("{key}={}", value.as_str().unwrap()))
            .collect();
        assert_eq!(
            annotations,
            [
                "description=D",
                "title=T",
                "description=E",
                "title=I",
                "title=B1",
                "description=B2",
                "title=B3",
                "description=a property called title",
            ]
        );
    }

    /// A value this deep never comes from `mcp::json`; dropping it would overflow the stack in serde_json, so we do not.
    #[test]
    fn depth_does_not_use_the_call_stack() {
        let depth = 100_000;
        let mut value = json!(1);
        for _ in 0..depth {
            value = Value::Object([("a".to_owned(), Value::Array(vec![value]))].into_iter().collect());
        }
        assert_eq!(to_text(&value).len(), depth * r#"{"a":[]}"#.len() + 1);
        std::mem::forget(value);
    }

    proptest! {
        #[test]
        fn the_text_is_what_another_implementation_writes(value in crate::shape::test_values::json()) {
            prop_assert_eq!(to_text(&value), serde_json_canonicalizer::to_string(&value).unwrap());
        }

        #[test]
        fn any_double_is_written_as_another_implementation_does(bits in any::<u64>()) {
            let value = json!(f64::from_bits(bits));
            prop_assert_eq!(to_text(&value), serde_json_canonicalizer::to_string(&value).unwrap());
        }

        #[test]
        fn the_text_is_the_value(value in crate::shape::test_values::json()) {
            let back: Value = serde_json::from_str(&to_text(&value)).unwrap();
            prop_assert_eq!(to_text(&back), to_text(&value));
        }
    }
}
