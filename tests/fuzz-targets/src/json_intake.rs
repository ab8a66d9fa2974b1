//! JSON from strangers and our own documents: what is read is what other implementations read, within the limits,
//! and a tool listing has one shape whatever its order and its pages.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::mcp::{json, rpc, tools};
use shared::methodology::limits;
use shared::outcome::Era;
use shared::reading::{Fault, document};
use shared::shape::{Collected, Collector, Shape, canonical};
use shared::table::Table;

/// The bytes are the text.
pub fn json_intake(data: &[u8]) {
    let ours = json::read(data);
    let theirs = serde_json::from_slice::<Value>(data);
    if let Ok(theirs) = &theirs {
        against_another_reader(&ours, theirs);
    }
    if let Ok(json) = &ours {
        let forgiven = !json.violations().is_empty();
        let beyond_double = theirs.as_ref().is_err_and(|error| error.to_string().contains("number out of range"));
        assert!(theirs.is_ok() || forgiven || beyond_double, "no JSON, and nothing is said of it");
        assert!(depth(&json.value) <= limits::JSON_DEPTH);
        canonical_text(&json.value);
        let _ = rpc::read(json.value.clone(), 1);
        for era in [Era::Legacy, Era::Modern] {
            if let Some(page) = tools::read_page(json.value.clone(), era) {
                assert!(page.next_cursor.is_none_or(|cursor| cursor.len() <= limits::CURSOR_BYTES));
                one_shape(&page.tools, json.invalid_unicode);
            }
        }
    }
    our_documents(data, ours.is_ok_and(|json| json.duplicate_keys));
}

/// What another reader takes, ours takes as the same value, unless it is over a limit.
fn against_another_reader(ours: &Result<json::Json, json::JsonFault>, theirs: &Value) {
    match ours {
        Ok(json) => assert_eq!(&json.value, theirs),
        Err(json::JsonFault::TooDeep) => assert!(depth(theirs) > limits::JSON_DEPTH),
        Err(json::JsonFault::TooManyValues) => {}
        Err(fault) => panic!("{fault}, and yet it is JSON"),
    }
}

/// Levels of lists and objects.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The canonical text is another implementation's, and reads as the same text again.
fn canonical_text(value: &Value) {
    let text = canonical::to_text(value);
    assert_eq!(Some(&text), serde_json_canonicalizer::to_string(value).ok().as_ref());
    let again = json::read(text.as_bytes()).expect("the canonical text is JSON");
    assert!(again.violations().is_empty(), "the canonical text has remarks");
    assert_eq!(canonical::to_text(&again.value), text);
}

/// One shape for one set of tools, which survives its own JSON.
fn one_shape(tools: &[Value], invalid_unicode: bool) {
    let collect = |pages: &mut dyn Iterator<Item = Vec<Value>>| -> Collected {
        let mut collector = Collector::new();
        pages.for_each(|page| collector.add_page(page, invalid_unicode));
        collector.finish()
    };
    let whole = collect(&mut [tools.to_vec()].into_iter());
    let paged = collect(&mut tools.chunks(1).map(<[Value]>::to_vec));
    assert_eq!(whole, paged, "in pages of one tool");
    if whole.complete {
        let reversed = collect(&mut [tools.iter().rev().cloned().collect()].into_iter());
        assert_eq!((&whole.shape, whole.count), (&reversed.shape, reversed.count), "in reverse order");
    }
    let text = serde_json::to_vec(&whole.shape).expect("a shape is JSON");
    assert_eq!(document::<Shape>(&text), Ok(whole.shape));
}

/// What we read as our own documents is what another reader reads, and the other way round.
fn our_documents(data: &[u8], duplicate_keys: bool) {
    // A mark before the text is passed over by us, and none to the other reader.
    if data.starts_with("\u{feff}".as_bytes()) {
        return;
    }
    let text: Result<String, Fault> = document(data);
    assert_eq!(text.ok(), serde_json::from_slice(data).ok(), "a text");
    // -0 is a whole number to us, and none to the other reader.
    if !data.windows(2).any(|pair| pair == b"-0") {
        let numbers: Result<Vec<Option<i64>>, Fault> = document(data);
        assert_eq!(numbers.ok(), serde_json::from_slice(data).ok(), "a list of numbers");
    }
    let table: Result<Table<String, bool>, Fault> = document(data);
    let table: Option<BTreeMap<String, bool>> =
        table.ok().map(|table| table.iter().map(|(name, value)| (name.clone(), *value)).collect());
    if !duplicate_keys {
        assert_eq!(table, serde_json::from_slice(data).ok(), "a table");
    }
}
