//! A shape as JSON, the form in which it travels, is stored and is digested: one row a tool.
//!
//! `["echo", "<id>", "<text><output><input>", "<parameter>", ...]`, digests in hexadecimal side by side. A parameter is
//! `<id><kind><rest><text>`, with `!` behind it where it is required. A tool that takes no part in drift is
//! `["echo", "<id>"]`.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Digest, ParameterShape, Shape, ToolContent, ToolShape};

const DIGEST_DIGITS: usize = 16;
const REQUIRED: char = '!';

/// The rows as text.
pub(super) fn text(shape: &Shape) -> String {
    // Rows hold nothing but texts: an error cannot occur.
    serde_json::to_string(shape).unwrap_or_default()
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.tools.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_tools(Vec::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for ToolShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = 2 + self.content.as_ref().map_or(0, |content| 1 + content.parameters.len());
        let mut row = serializer.serialize_seq(Some(length))?;
        row.serialize_element(&self.name)?;
        row.serialize_element(&self.id)?;
        if let Some(ToolContent { text, output, input, parameters }) = &self.content {
            row.serialize_element(&format_args!("{text}{output}{input}"))?;
            for ParameterShape { id, required, kind, rest, text } in parameters {
                let mark = if *required { "!" } else { "" };
                row.serialize_element(&format_args!("{id}{kind}{rest}{text}{mark}"))?;
            }
        }
        row.end()
    }
}

impl<'de> Deserialize<'de> for ToolShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Row)
    }
}

struct Row;

impl<'de> Visitor<'de> for Row {
    type Value = ToolShape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool as [name, id, digests, parameters...]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<ToolShape, A::Error> {
        let name = row.next_element()?.ok_or_else(|| A::Error::custom("a tool without name"))?;
        let id = row.next_element()?.ok_or_else(|| A::Error::custom("a tool without id"))?;
        let Some(digests) = row.next_element::<String>()? else {
            return Ok(ToolShape { name, id, content: None });
        };
        let [text, output, input] = split(&digests).map_err(A::Error::custom)?;
        let mut parameters = Vec::new();
        while let Some(parameter) = row.next_element::<String>()? {
            let required = parameter.ends_with(REQUIRED);
            let digests = parameter.strip_suffix(REQUIRED).unwrap_or(&parameter);
            let [id, kind, rest, text] = split(digests).map_err(A::Error::custom)?;
            parameters.push(ParameterShape { id, required, kind, rest, text });
        }
        Ok(ToolShape { name, id, content: Some(ToolContent { text, output, input, parameters }) })
    }
}

/// Exactly `N` digests side by side.
fn split<const N: usize>(text: &str) -> Result<[Digest; N], String> {
    let mut digests = [Digest([0; 8]); N];
    let mut rest = text;
    for digest in &mut digests {
        let (digits, behind) = rest
            .split_at_checked(DIGEST_DIGITS)
            .ok_or_else(|| format!("expected {N} digests side by side, got {} bytes", text.len()))?;
        *digest = digits.parse().map_err(|fault: super::NotADigest| fault.to_string())?;
        rest = behind;
    }
    if rest.is_empty() {
        Ok(digests)
    } else {
        Err(format!("expected {N} digests side by side, got {} bytes", text.len()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Collector;
    use super::*;
    use crate::methodology::limits;

    fn shape() -> Shape {
        let mut collector = Collector::new();
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["b"]});
        collector.add_page(
            vec![
                json!({"name": "echo", "description": "d", "inputSchema": schema}),
                json!({"name": "plain", "inputSchema": {"type": "object"}}),
                json!({"name": "twice", "inputSchema": {"type": "object"}}),
                json!({"name": "twice", "inputSchema": {"type": "object"}}),
            ],
            false,
        );
        collector.finish().shape
    }

    #[test]
    fn the_rows_are_these_and_come_back() {
        let text = text(&shape());
        // Digests computed by hand: SHA-256 of `echo`, `[null,"d"]`, nothing, `{"type":"object"}`; then of `b`, nothing,
        // `{}`, `[]` and of `a`, `"string"`, `{}`, `[]`.
        let expected = [
            r#"["echo","092c79e8f80e559e","e83fdc37c21140eee3b0c44298fc1c14a2c799262a3ce3c1","#,
            r#""3e23e8160039594ae3b0c44298fc1c1444136fa355b3678a4f53cda18c2baa0c!","#,
            r#""ca978112ca1bbdcae9e5c1c9e4f6277344136fa355b3678a4f53cda18c2baa0c"],"#,
            r#"["plain","a116c9ed46d62077","95cb9b4f84ceff13e3b0c44298fc1c14a2c799262a3ce3c1"],"#,
            r#"["twice","dc8ffdbf2736dbdf"]"#,
        ];
        assert_eq!(text, format!("[{}]", expected.concat()));
        assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape());
    }

    #[test]
    fn rows_in_any_order_are_the_same_shape() {
        let mut rows: Vec<serde_json::Value> = serde_json::from_str(&text(&shape())).unwrap();
        rows.reverse();
        let back: Shape = serde_json::from_value(json!(rows)).unwrap();
        assert_eq!(back, shape());
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let id = "0123456789abcdef";
        let three = id.repeat(3);
        let four = id.repeat(4);
        let table = [
            (json!({}), "invalid type"),
            (json!([[]]), "without name"),
            (json!([["a"]]), "without id"),
            (json!([["a", "0123"]]), "16 lower-case"),
            (json!([["", id]]), "1 to 128 bytes, got 0"),
            (json!([["a", id, ""]]), "3 digests side by side"),
            (json!([["a", id, four]]), "3 digests side by side"),
            (json!([["a", id, "é".repeat(24)]]), "16 lower-case"),
            (json!([["a", id, three, three]]), "4 digests side by side"),
            (json!([["a", id, three, format!("{four}?")]]), "4 digests side by side"),
            (json!([["a", id, three, format!("{four}!!")]]), "4 digests side by side"),
            (json!([["a", id, three, four, format!("{four}!")]]), "parameter twice"),
            (json!([["a", id], ["b", id]]), "there twice"),
            (json!([["a", 5]]), "invalid type"),
        ];
        for (rows, rule) in table {
            let fault = serde_json::from_value::<Shape>(rows.clone()).unwrap_err().to_string();
            assert!(fault.contains(rule), "{rows}: {fault}");
        }
    }

    /// A D1 row holds at most 2,000,000 bytes.
    #[test]
    fn the_largest_shape_fits_a_stored_row() {
        let digest = Digest([0xff; 8]);
        let number = |number: usize| Digest::of(&number.to_be_bytes());
        let per_tool = limits::PARAMETERS / limits::TOOLS;
        let tool = |at: usize| ToolShape {
            // A control character takes six bytes in JSON.
            name: "\u{1}".repeat(crate::methodology::cuts::TOOL_NAME),
            id: number(at),
            content: Some(ToolContent {
                text: digest,
                output: digest,
                input: digest,
                parameters: (0..per_tool)
                    .map(|at| ParameterShape {
                        id: number(at),
                        required: true,
                        kind: digest,
                        rest: digest,
                        text: digest,
                    })
                    .collect(),
            }),
        };
        let shape = Shape::from_tools((0..limits::TOOLS).map(tool).collect()).unwrap();
        let length = text(&shape).len();
        assert!(length < 1_900_000, "{length}");
        assert!(length > 1_000_000, "the test builds what it says");
    }
}
