//! Compares an outcome with what a vector expects.

use serde_json::{Map, Value};

use crate::run::Outcome;
use crate::vector::Vector;

/// Members of the outcome beside those of the report.
const LEARNED: &str = "learned";
const NOTES_INCLUDE: &str = "front_door_notes_include";
const NOTES_EXCLUDE: &str = "front_door_notes_exclude";

/// What differs, one sentence each; empty where all is as expected.
///
/// A member named in `expect` must be in the report and equal: objects by the members named, everything else exactly.
/// `learned` is compared in the same way, an absent member of it counting as null or false. `front_door_notes_include`
/// and `front_door_notes_exclude` list notes that must and must not be there.
#[must_use]
pub fn differences(vector: &Vector, outcome: &Outcome) -> Vec<String> {
    let report = as_object(serde_json::to_value(&outcome.report));
    let learned = Value::Object(as_object(serde_json::to_value(&outcome.learned)));
    let notes = report.get("front_door_notes").cloned().unwrap_or_default();
    let has_note = |note: &Value| notes.as_array().is_some_and(|notes| notes.contains(note));
    let mut found = Vec::new();
    if !vector.expect.contains_key("class") {
        found.push("expect names no class".to_owned());
    }
    for (member, wanted) in &vector.expect {
        match member.as_str() {
            LEARNED => compare(member, wanted, &learned, true, &mut found),
            NOTES_INCLUDE | NOTES_EXCLUDE => {
                let include = member == NOTES_INCLUDE;
                for note in wanted.as_array().into_iter().flatten().filter(|note| has_note(note) != include) {
                    let must = if include { "must" } else { "must not" };
                    found.push(format!("front_door_notes {must} hold {note}, they are {notes}"));
                }
            }
            _ => match report.get(member) {
                Some(got) => compare(member, wanted, got, false, &mut found),
                None => found.push(format!("the report has no member {member}")),
            },
        }
    }
    found
}

fn as_object(value: serde_json::Result<Value>) -> Map<String, Value> {
    match value {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn compare(path: &str, wanted: &Value, got: &Value, absent_is_null: bool, found: &mut Vec<String>) {
    if let (Value::Object(wanted), Value::Object(got)) = (wanted, got) {
        for (member, wanted) in wanted {
            let path = format!("{path}.{member}");
            match got.get(member) {
                Some(got) => compare(&path, wanted, got, absent_is_null, found),
                None if absent_is_null && matches!(wanted, Value::Null | Value::Bool(false)) => {}
                None => found.push(format!("{path} is absent, expected {wanted}")),
            }
        }
    } else if wanted != got {
        found.push(format!("{path} is {got}, expected {wanted}"));
    }
}
