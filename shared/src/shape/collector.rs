//! Gathers the pages of one listing into a shape.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::tool::Tool;
use super::{Digest, Shape, ToolShape, canonical};
use crate::methodology::limits;
use crate::outcome::Violation;

/// Takes pages, then gives the shape.
#[derive(Debug, Default)]
pub struct Collector {
    tools: BTreeMap<Digest, ToolShape>,
    parameters: usize,
    full: bool,
    violations: BTreeSet<Violation>,
}

/// What one listing amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    pub shape: Shape,
    /// Distinct tools read.
    pub count: u32,
    /// False where a cap left something out; entries that are no tools are skipped and not missed.
    pub complete: bool,
    /// Sorted, without repeats.
    pub violations: Vec<Violation>,
}

impl Collector {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the entries of one page. `invalid_unicode`: text in the page was replaced by U+FFFD; tools that hold
    /// that character then take no part in drift.
    pub fn add_page(&mut self, tools: Vec<Value>, invalid_unicode: bool) {
        for entry in tools {
            self.add(&entry, invalid_unicode);
        }
    }

    fn add(&mut self, entry: &Value, invalid_unicode: bool) {
        let Some(tool) = Tool::read(entry) else {
            self.violations.insert(Violation::ToolInvalid);
            return;
        };
        if let Some(known) = self.tools.get_mut(&tool.id()) {
            // Which of the two a client would use depends on their order, and order is never drift.
            known.content = None;
            self.violations.insert(Violation::DuplicateTool);
            return;
        }
        if tool.breaks_schema() {
            self.violations.insert(Violation::ToolSchemaInvalid);
        }
        let repaired = invalid_unicode && canonical::to_text(entry).contains(char::REPLACEMENT_CHARACTER);
        let shape = tool.shape(!repaired);
        let parameters =
            self.parameters + shape.content.as_ref().map_or(0, |content| content.parameters.len());
        if self.tools.len() >= limits::TOOLS || parameters > limits::PARAMETERS {
            self.full = true;
            return;
        }
        self.parameters = parameters;
        self.tools.insert(shape.id, shape);
    }

    /// A cap has left a tool out: the listing is not complete, and asking for another page is pointless.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The shape of everything added.
    #[must_use]
    pub fn finish(self) -> Collected {
        let count = u32::try_from(self.tools.len()).unwrap_or(u32::MAX);
        // Every rule of a shape was kept while collecting; were one not, the listing would read as empty and cut short.
        let shape = Shape::from_tools(self.tools.into_values().collect());
        let complete = !self.full && shape.is_ok();
        Collected {
            shape: shape.unwrap_or_default(),
            count,
            complete,
            violations: self.violations.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::shape::test_values;

    fn collect(pages: Vec<Vec<Value>>) -> Collected {
        let mut collector = Collector::new();
        for page in pages {
            collector.add_page(page, false);
        }
        collector.finish()
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "inputSchema": {"type": "object"}})
    }

    #[test]
    fn pages_add_up() {
        let found = collect(vec![vec![tool("b"), tool("a")], vec![], vec![tool("c")]]);
        assert_eq!((found.count, found.complete, found.violations), (3, true, vec![]));
        assert_eq!(found.shape.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(found.shape, collect(vec![vec![tool("c"), tool("b"), tool("a")]]).shape);
        let nothing = collect(vec![]);
        assert_eq!((nothing.count, nothing.complete, nothing.shape), (0, true, Shape::default()));
    }

    #[test]
    fn an_entry_that_is_no_tool_is_skipped_and_not_missed() {
        let found = collect(vec![vec![tool("a"), json!("b"), json!({"title": "c"})]]);
        assert_eq!((found.count, found.complete, found.violations), (1, true, vec![Violation::ToolInvalid]));
    }

    #[test]
    fn a_name_met_again_counts_once_and_takes_no_part_in_drift() {
        let other = json!({"name": "a", "description": "other", "inputSchema": {"type": "object"}});
        let found = collect(vec![vec![tool("a"), tool("b")], vec![other.clone()]]);
        assert_eq!((found.count, found.complete), (2, true));
        assert_eq!(found.violations, [Violation::DuplicateTool]);
        let parts: Vec<bool> = found.shape.tools().iter().map(|tool| tool.content.is_some()).collect();
        assert_eq!(parts, [false, true]);
        let reversed = collect(vec![vec![other], vec![tool("b"), tool("a")]]);
        assert_eq!(found.shape.digest(), reversed.shape.digest(), "whichever came first");
    }

    #[test]
    fn breaches_of_the_schema_are_one_violation() {
        let found =
            collect(vec![vec![json!({"name": "a"}), json!({"name": "b", "inputSchema": []}), tool("c")]]);
        assert_eq!((found.count, found.complete), (3, true));
        assert_eq!(found.violations, [Violation::ToolSchemaInvalid]);
    }

    #[test]
    fn a_repaired_tool_takes_no_part_in_drift() {
        let repaired =
            json!({"name": "a", "inputSchema": {"type": "object", "properties": {"\u{fffd}": {}}}});
        for (flag, judged) in [(true, [false, true]), (false, [true, true])] {
            let mut collector = Collector::new();
            collector.add_page(vec![repaired.clone(), tool("b")], flag);
            let found = collector.finish();
            let parts: Vec<bool> = found.shape.tools().iter().map(|tool| tool.content.is_some()).collect();
            assert_eq!(parts, judged, "repaired text on the page: {flag}");
        }
    }

    #[test]
    fn tools_and_parameters_are_capped() {
        let many = |count: usize| (0..count).map(|at| tool(&at.to_string())).collect::<Vec<_>>();
        let mut collector = Collector::new();
        collector.add_page(many(limits::TOOLS), false);
        assert!(!collector.is_full());
        collector.add_page(vec![tool("0")], false);
        assert!(!collector.is_full(), "a name met again takes no room");
        collector.add_page(vec![tool("one more")], false);
        assert!(collector.is_full());
        let found = collector.finish();
        assert_eq!((found.count as usize, found.complete), (limits::TOOLS, false));

        let wide = |name: &str, count: usize| {
            let properties: serde_json::Map<String, Value> =
                (0..count).map(|at| (at.to_string(), json!({}))).collect();
            json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
        };
        let mut collector = Collector::new();
        collector.add_page(vec![wide("a", limits::PARAMETERS - 1), wide("b", 1)], false);
        assert!(!collector.is_full());
        collector.add_page(vec![wide("c", 1), tool("d")], false);
        assert!(collector.is_full());
        let found = collector.finish();
        assert_eq!((found.shape.names().collect::<Vec<_>>(), found.complete), (vec!["a", "b", "d"], false));
    }

    proptest! {
        /// Any entries at all give a shape that survives its own JSON, and no order of them gives another.
        #[test]
        fn the_order_of_tools_never_changes_the_digest(
            (entries, shuffled) in prop::collection::vec(entry(), 0..8)
                .prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle())),
        ) {
            let found = collect(vec![entries]);
            let other = collect(vec![shuffled]);
            prop_assert_eq!(found.shape.digest(), other.shape.digest());
            prop_assert_eq!(&found.shape, &other.shape);
            prop_assert_eq!((found.count, found.complete), (other.count, other.complete));
            let text = serde_json::to_string(&found.shape).unwrap();
            prop_assert_eq!(crate::reading::document::<Shape>(text.as_bytes()), Ok(found.shape));
        }
    }

    /// Tools and things that nearly are, few names so that they collide.
    fn entry() -> impl Strategy<Value = Value> {
        let schema = prop_oneof![
            test_values::json(),
            prop::collection::vec((test_values::text(), test_values::json()), 0..4).prop_map(|properties| {
                let properties: serde_json::Map<String, Value> = properties.into_iter().collect();
                json!({"type": "object", "required": properties.keys().next(), "properties": properties})
            }),
        ];
        prop_oneof![
            1 => test_values::json(),
            4 => (test_values::text(), test_values::json(), schema).prop_map(|(name, description, schema)| {
                json!({"name": name, "description": description, "inputSchema": schema})
            }),
        ]
    }
}
