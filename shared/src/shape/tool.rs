//! Reads one tool: its digests, and whether it keeps to the Tool schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::canonical::{Position, project};
use super::{Digest, ParameterShape, ToolContent, ToolShape};
use crate::methodology::cuts;

/// The members of `inputSchema` that are looked at one by one.
const PROPERTIES: &str = "properties";
const REQUIRED: &str = "required";

/// A tool with its name.
pub(super) struct Tool<'a> {
    name: &'a str,
    members: &'a Map<String, Value>,
}

impl<'a> Tool<'a> {
    /// None where the entry is no tool: no object, or without a name.
    pub(super) fn read(entry: &'a Value) -> Option<Self> {
        let members = entry.as_object()?;
        let name = members.get("name")?.as_str().filter(|name| !name.is_empty())?;
        Some(Self { name, members })
    }

    /// The identity.
    pub(super) fn id(&self) -> Digest {
        Digest::of(self.name.as_bytes())
    }

    /// How it enters a shape. `judged`: whether it takes part in drift.
    pub(super) fn shape(&self, judged: bool) -> ToolShape {
        let name = cuts::cut(self.name, cuts::TOOL_NAME).to_owned();
        ToolShape { name, id: self.id(), content: judged.then(|| self.content()) }
    }

    fn content(&self) -> ToolContent {
        let schema = self.members.get("inputSchema");
        let input = schema.map(|schema| project(schema, Position::Schema, &[PROPERTIES, REQUIRED]).text);
        ToolContent {
            text: digest_of_all(["title", "description"].map(|member| self.members.get(member))),
            output: Digest::of_json(self.members.get("outputSchema").filter(|schema| !schema.is_null())),
            input: Digest::of(input.unwrap_or_default().as_bytes()),
            parameters: parameters(schema),
        }
    }

    /// Whether it breaks the Tool schema of the protocol, in any way.
    pub(super) fn breaks_schema(&self) -> bool {
        let is = |member: &str, test: fn(&Value) -> bool| self.members.get(member).is_none_or(test);
        !(is("title", Value::is_string)
            && is("description", Value::is_string)
            && is("outputSchema", Value::is_object)
            && is("annotations", Value::is_object)
            && is("icons", Value::is_array)
            && is("_meta", Value::is_object)
            && self.members.get("inputSchema").is_some_and(is_input_schema))
    }
}

/// `type` is `object`; `properties` and `required` are what JSON Schema says.
fn is_input_schema(schema: &Value) -> bool {
    let is_list_of_names =
        |required: &Value| required.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    schema.get("type").and_then(Value::as_str) == Some("object")
        && schema.get(PROPERTIES).is_none_or(Value::is_object)
        && schema.get(REQUIRED).is_none_or(is_list_of_names)
}

/// The top-level parameters. One identity stands once, whatever the names.
fn parameters(schema: Option<&Value>) -> Vec<ParameterShape> {
    let Some(properties) = schema.and_then(|schema| schema.get(PROPERTIES)).and_then(Value::as_object) else {
        return Vec::new();
    };
    let required: Vec<&str> = match schema.and_then(|schema| schema.get(REQUIRED)) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let required: std::collections::BTreeSet<&str> = required.into_iter().collect();
    let mut parameters = BTreeMap::new();
    for (name, schema) in properties {
        let id = Digest::of(name.as_bytes());
        let required = required.contains(name.as_str());
        parameters.entry(id).or_insert_with(|| parameter(id, required, schema));
    }
    parameters.into_values().collect()
}

fn parameter(id: Digest, required: bool, schema: &Value) -> ParameterShape {
    let rest = project(schema, Position::Schema, &["type"]);
    let annotations: Vec<Value> = rest
        .annotations
        .iter()
        .map(|(key, value)| Value::from(vec![Value::from(*key), (*value).clone()]))
        .collect();
    ParameterShape {
        id,
        required,
        kind: Digest::of_json(schema.get("type")),
        rest: Digest::of(rest.text.as_bytes()),
        text: Digest::of_json(Some(&Value::from(annotations))),
    }
}

/// Of several members in order, absent ones as null.
fn digest_of_all<const N: usize>(members: [Option<&Value>; N]) -> Digest {
    Digest::of_json(Some(&Value::from(members.map(|member| member.cloned().unwrap_or_default()).to_vec())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn base() -> Value {
        json!({
            "name": "search", "title": "Search", "description": "Finds things.",
            "inputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "title": "searchArguments",
                "properties": {
                    "query": {"type": "string", "title": "Query", "description": "What to find"},
                    "limit": {
                        "anyOf": [{"type": "integer", "description": "How many"}, {"type": "null"}], "default": null,
                    },
                },
                "required": ["query"],
                "$defs": {"Kind": {"enum": ["a", "b"], "title": "Kind"}},
            },
            "outputSchema": {"type": "object", "properties": {"hits": {"type": "array"}}},
            "annotations": {"readOnlyHint": true}, "icons": [], "_meta": {"x": 1},
        })
    }

    fn content(tool: &Value) -> ToolContent {
        Tool::read(tool).unwrap().shape(true).content.unwrap()
    }

    /// Which digests differ: `text`, `output`, `input`, and of each parameter by its name.
    fn differences(one: &Value, other: &Value) -> Vec<String> {
        let (one, other) = (content(one), content(other));
        let mut found = Vec::new();
        let mut note = |differs: bool, what: &str| {
            if differs {
                found.push(what.to_owned());
            }
        };
        note(one.text != other.text, "text");
        note(one.output != other.output, "output");
        note(one.input != other.input, "input");
        for name in ["query", "limit", "page"] {
            let id = Digest::of(name.as_bytes());
            let of = |content: &ToolContent| {
                content.parameters.iter().copied().find(|parameter| parameter.id == id)
            };
            match (of(&one), of(&other)) {
                (Some(one), Some(other)) => {
                    note(one.required != other.required, &format!("{name} required"));
                    note(one.kind != other.kind, &format!("{name} kind"));
                    note(one.rest != other.rest, &format!("{name} rest"));
                    note(one.text != other.text, &format!("{name} text"));
                }
                (None, None) => {}
                (before, _) => {
                    note(true, &format!("{name} {}", if before.is_some() { "removed" } else { "added" }));
                }
            }
        }
        found
    }

    /// The members that methodology section 3 lists, each in exactly one digest; the rest in none.
    #[test]
    fn each_change_shows_in_its_digest_alone() {
        let table: &[(&str, Value, &[&str])] = &[
            ("/title", json!("Find"), &["text"]),
            ("/description", json!("Finds it."), &["text"]),
            ("/outputSchema", json!({"type": "object"}), &["output"]),
            ("/outputSchema/properties/hits/description", json!("new"), &["output"]),
            ("/inputSchema/$schema", json!("https://json-schema.org/draft/2020-12/schema"), &["input"]),
            ("/inputSchema/additionalProperties", json!(false), &["input"]),
            ("/inputSchema/$defs/Kind/enum", json!(["a"]), &["input"]),
            ("/inputSchema/title", json!("other"), &[]),
            ("/inputSchema/description", json!("new"), &[]),
            ("/inputSchema/$defs/Kind/title", json!("other"), &[]),
            ("/inputSchema/required", json!(["query", "limit"]), &["limit required"]),
            ("/inputSchema/required", json!([]), &["query required"]),
            ("/inputSchema/properties/query/type", json!(["string", "null"]), &["query kind"]),
            ("/inputSchema/properties/query/maxLength", json!(9), &["query rest"]),
            ("/inputSchema/properties/query/title", json!("Q"), &["query text"]),
            ("/inputSchema/properties/query/description", json!("other"), &["query text"]),
            ("/inputSchema/properties/limit/type", json!("integer"), &["limit kind"]),
            ("/inputSchema/properties/limit/default", json!(10), &["limit rest"]),
            ("/inputSchema/properties/limit/anyOf/0/type", json!("number"), &["limit rest"]),
            ("/inputSchema/properties/limit/anyOf/0/description", json!("other"), &["limit text"]),
            ("/inputSchema/properties/page", json!({"type": "integer"}), &["page added"]),
            ("/annotations", json!({"readOnlyHint": false}), &[]),
            ("/icons", json!([{"src": "x"}]), &[]),
            ("/_meta", json!({"x": 2}), &[]),
            ("/execution", json!({"taskSupport": "optional"}), &[]),
        ];
        for (pointer, value, expected) in table {
            let mut changed = base();
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            let parent = changed.pointer_mut(parent).unwrap();
            match parent {
                Value::Array(items) => items[member.parse::<usize>().unwrap()] = value.clone(),
                parent => parent[member] = value.clone(),
            }
            assert_eq!(differences(&base(), &changed), *expected, "{pointer}");
        }
        let mut removed = base();
        removed["inputSchema"]["properties"].as_object_mut().unwrap().remove("query");
        assert_eq!(differences(&base(), &removed), ["query removed"]);
    }

    #[test]
    fn the_order_of_keys_and_the_spelling_of_numbers_do_not_matter() {
        let one: Value = serde_json::from_str(
            r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"number","maximum":10.0,"minimum":1},"y":{}},"required":["x","y"]}}"#,
        )
        .unwrap();
        let other: Value = serde_json::from_str(
            r#"{"inputSchema":{"required":["y","x"],"properties":{"y":{},"x":{"minimum":1.0,"maximum":1e1,"type":"number"}},"type":"object"},"name":"a"}"#,
        )
        .unwrap();
        assert_eq!(content(&one), content(&other));
    }

    #[test]
    fn a_tool_is_an_object_with_a_name() {
        for entry in [json!(null), json!("a"), json!([]), json!({}), json!({"name": ""}), json!({"name": 5})]
        {
            assert!(Tool::read(&entry).is_none(), "{entry}");
        }
        let long = format!("x{}", "é".repeat(100));
        let shape = Tool::read(&json!({"name": long})).unwrap().shape(true);
        assert_eq!(shape.name, format!("x{}", "é".repeat(63)));
        assert_eq!(shape.id, Digest::of(long.as_bytes()), "the identity is of the whole name");
    }

    #[test]
    fn breaches_of_the_tool_schema() {
        let tool = base();
        assert!(!Tool::read(&tool).unwrap().breaks_schema());
        let least = json!({"name": "a", "inputSchema": {"type": "object"}});
        assert!(!Tool::read(&least).unwrap().breaks_schema());
        let table = [
            ("title", json!(5)),
            ("title", json!(null)),
            ("description", json!(["a"])),
            ("inputSchema", json!(null)),
            ("inputSchema", json!("object")),
            ("inputSchema", json!({})),
            ("inputSchema", json!({"type": "string"})),
            ("inputSchema", json!({"type": ["object"]})),
            ("inputSchema", json!({"type": "object", "properties": []})),
            ("inputSchema", json!({"type": "object", "required": "a"})),
            ("inputSchema", json!({"type": "object", "required": [1]})),
            ("outputSchema", json!(true)),
            ("annotations", json!([])),
            ("icons", json!({})),
            ("_meta", json!(1)),
        ];
        for (member, value) in table {
            let mut tool = base();
            tool[member] = value.clone();
            let tool = Tool::read(&tool).unwrap();
            assert!(tool.breaks_schema(), "{member} {value}");
            // And still it has a shape.
            assert!(tool.shape(true).content.is_some());
        }
        let mut without = base();
        without.as_object_mut().unwrap().remove("inputSchema");
        assert!(Tool::read(&without).unwrap().breaks_schema());
    }
}
