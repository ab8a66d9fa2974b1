//! Reads one page of `tools/list`.

use serde_json::Value;

use super::handshake::read_result_members;
use crate::methodology::limits;
use crate::outcome::{Era, Violation};

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Entries as sent.
    pub tools: Vec<Value>,
    /// Where the next page is; None ends the list.
    pub next_cursor: Option<String>,
    /// There may be a next page and we cannot ask for it: the list is not complete.
    pub cut_short: bool,
    /// In the order found, without repeats.
    pub violations: Vec<Violation>,
}

/// Reads the result of `tools/list`. None: no page (`tools` is no array, or a modern result is of an unknown type).
#[must_use]
pub fn read_page(result: Value, era: Era) -> Option<Page> {
    let mut violations = Vec::new();
    if era == Era::Modern {
        read_result_members(&result, &mut violations).ok()?;
    }
    let Value::Object(mut members) = result else { return None };
    let Some(Value::Array(tools)) = members.remove("tools") else { return None };
    let (next_cursor, cut_short) = match members.remove("nextCursor") {
        None | Some(Value::Null) => (None, false),
        // The modern revision says that only an absent cursor ends the list; legacy servers mean the end by it.
        Some(Value::String(cursor)) if cursor.is_empty() && era == Era::Legacy => (None, false),
        // Our own limit, so no breach of theirs: we would have to send it back.
        Some(Value::String(cursor)) if cursor.len() > limits::CURSOR_BYTES => (None, true),
        Some(Value::String(cursor)) => (Some(cursor), false),
        Some(_) => {
            violations.push(Violation::CursorInvalid);
            (None, true)
        }
    };
    Some(Page { tools, next_cursor, cut_short, violations })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BOTH: [Era; 2] = [Era::Legacy, Era::Modern];

    fn page(members: &Value) -> Value {
        let mut result = json!({"tools": [{"name": "a"}, 5], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"});
        result.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        result
    }

    #[test]
    fn a_page_is_a_page_when_tools_is_an_array() {
        for era in BOTH {
            let read = read_page(page(&json!({})), era).unwrap();
            assert_eq!(read.tools, [json!({"name": "a"}), json!(5)]);
            assert_eq!((read.next_cursor, read.cut_short, read.violations), (None, false, vec![]));
            assert!(read_page(page(&json!({"tools": []})), era).is_some());
            for tools in [json!(null), json!({}), json!("a")] {
                assert_eq!(read_page(page(&json!({"tools": tools})), era), None, "{tools}");
            }
            assert_eq!(read_page(json!([{"name": "a"}]), era), None);
            assert_eq!(read_page(json!(null), era), None);
        }
    }

    #[test]
    fn what_ends_the_list() {
        let longest = "c".repeat(limits::CURSOR_BYTES);
        let too_long = "c".repeat(limits::CURSOR_BYTES + 1);
        let table: &[(Value, Era, Option<&str>, bool, bool)] = &[
            (json!(null), Era::Legacy, None, false, false),
            (json!(null), Era::Modern, None, false, false),
            (json!(""), Era::Legacy, None, false, false),
            (json!(""), Era::Modern, Some(""), false, false),
            (json!("x"), Era::Legacy, Some("x"), false, false),
            (json!("x"), Era::Modern, Some("x"), false, false),
            (json!(longest), Era::Legacy, Some(&longest), false, false),
            (json!(too_long), Era::Legacy, None, true, false),
            (json!(2), Era::Legacy, None, true, true),
            (json!(false), Era::Modern, None, true, true),
            (json!({"page": 2}), Era::Modern, None, true, true),
        ];
        for (cursor, era, next, cut_short, invalid) in table {
            let read = read_page(page(&json!({"nextCursor": cursor})), *era).unwrap();
            assert_eq!((read.next_cursor.as_deref(), read.cut_short), (*next, *cut_short), "{cursor} {era}");
            assert_eq!(read.violations.contains(&Violation::CursorInvalid), *invalid, "{cursor} {era}");
        }
    }

    #[test]
    fn modern_pages_carry_the_members_of_every_modern_result() {
        let bare = json!({"tools": []});
        let missing = vec![Violation::ResultTypeMissing, Violation::TtlMissing, Violation::CacheScopeMissing];
        assert_eq!(read_page(bare.clone(), Era::Modern).unwrap().violations, missing);
        assert_eq!(read_page(bare, Era::Legacy).unwrap().violations, []);
        let unknown = page(&json!({"resultType": "input_required"}));
        assert_eq!(read_page(unknown.clone(), Era::Modern), None);
        assert!(read_page(unknown, Era::Legacy).is_some(), "legacy knows no such member");
    }
}
