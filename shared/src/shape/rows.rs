//! A shape as JSON, the form in which it travels, is stored and is digested: one row a tool.
//!
//! `["echo", "<id>", "<text><output><input>", "<parameter>", ...]`, digests in hexadecimal side by side. A parameter is
//! `<id><kind><rest><text>`, with `!` behind it where it is required. A tool that takes no part in drift is
//! `["echo", "<id>"]`.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::reading::{Fault, Read, Reader};

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

impl Read for Shape {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Self::from_tools(Vec::read(reader)?).map_err(|fault| reader.fault(fault.to_string()))
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

impl Read for ToolShape {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let (mut name, mut id, mut content) = (None, None, None::<ToolContent>);
        reader.elements(&mut |reader| {
            match (&name, &id, &mut content) {
                (None, _, _) => name = Some(String::read(reader)?),
                (_, None, _) => id = Some(Digest::read(reader)?),
                (_, _, None) => {
                    let [text, output, input] = split(&reader.text()?).map_err(|rule| reader.fault(rule))?;
                    content = Some(ToolContent { text, output, input, parameters: Vec::new() });
                }
                (_, _, Some(content)) => content.parameters.push(ParameterShape::read(reader)?),
            }
            Ok(())
        })?;
        Ok(Self { name: reader.needed(name, "name")?, id: reader.needed(id, "id")?, content })
    }
}

impl Read for ParameterShape {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let text = reader.text()?;
        let (digests, required) = match text.strip_suffix(REQUIRED) {
            Some(digests) => (digests, true),
            None => (&*text, false),
        };
        let [id, kind, rest, text] = split(digests).map_err(|rule| reader.fault(rule))?;
        Ok(Self { id, required, kind, rest, text })
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
    use crate::reading::document;

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
        assert_eq!(document::<Shape>(text.as_bytes()), Ok(shape()));
    }

    #[test]
    fn rows_in_any_order_are_the_same_shape() {
        let mut rows: Vec<serde_json::Value> = serde_json::from_str(&text(&shape())).unwrap();
        rows.reverse();
        assert_eq!(document::<Shape>(json!(rows).to_string().as_bytes()), Ok(shape()));
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let id = "0123456789abcdef";
        let three = id.repeat(3);
        let four = id.repeat(4);
        let table = [
            (json!({}), "expected a list"),
            (json!([[]]), "name is missing"),
            (json!([["a"]]), "id is missing"),
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
            (json!([["a", 5]]), "[0][1]: expected a text, found 5"),
        ];
        for (rows, rule) in table {
            let fault = document::<Shape>(rows.to_string().as_bytes()).unwrap_err().to_string();
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
