//! The shape of a tool listing: digests of what a client relies on, without the schemas themselves.
//! (methodology section 3: "We store no schema")

pub mod canonical;
mod collector;
mod digest;
mod number;
mod rows;
#[cfg(test)]
pub(crate) mod test_values;
mod tool;

use crate::methodology::{cuts, limits};
use crate::sorting::{sort_by, sort_by_key};

pub use collector::{Collected, Collector};
pub use digest::{Digest, NotADigest};

/// The tools of one listing, sorted by shown name, then identity; order as sent never matters.
///
/// As JSON it is a list of rows, one a tool, checked when it is read: see [`Shape::from_tools`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    tools: Vec<ToolShape>,
}

/// The digests of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolShape {
    /// The first 128 bytes of the name, for people.
    pub name: String,
    /// Digest of the whole name: the identity.
    pub id: Digest,
    /// None where the tool takes no part in drift: the listing held its name twice, or its text had to be repaired.
    pub content: Option<ToolContent>,
}

/// What drift compares of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolContent {
    /// Title and description.
    pub text: Digest,
    /// Output schema.
    pub output: Digest,
    /// Input schema without `properties`, `required` and every `title` and `description`.
    pub input: Digest,
    /// Sorted by identity, no identity twice.
    pub parameters: Vec<ParameterShape>,
}

/// The digests of one top-level parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterShape {
    /// Digest of the name.
    pub id: Digest,
    pub required: bool,
    /// Digest of `type`.
    pub kind: Digest,
    /// The rest, without every `title` and `description`.
    pub rest: Digest,
    /// Every `title` and `description`.
    pub text: Digest,
}

/// Why a list of tools is no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeFault {
    #[error("a shape holds at most {max} tools, got {0}", max = limits::TOOLS)]
    TooManyTools(usize),
    #[error("a shape holds at most {max} parameters, got {0}", max = limits::PARAMETERS)]
    TooManyParameters(usize),
    #[error("a tool name is 1 to {max} bytes, got {0}", max = cuts::TOOL_NAME)]
    NameLength(usize),
    #[error("the tool {0} is there twice")]
    RepeatedTool(Digest),
    #[error("the tool {0} has a parameter twice")]
    RepeatedParameter(Digest),
}

impl Shape {
    /// Sorts and checks.
    ///
    /// # Errors
    /// Over a cap, a name empty or too long, or an identity twice.
    pub fn from_tools(mut tools: Vec<ToolShape>) -> Result<Self, ShapeFault> {
        if tools.len() > limits::TOOLS {
            return Err(ShapeFault::TooManyTools(tools.len()));
        }
        let parameters =
            tools.iter().flat_map(|tool| &tool.content).map(|content| content.parameters.len()).sum();
        if parameters > limits::PARAMETERS {
            return Err(ShapeFault::TooManyParameters(parameters));
        }
        let mut ids: Vec<Digest> = tools.iter().map(|tool| tool.id).collect();
        sort_by_key(&mut ids, |id| *id);
        let twice = ids.iter().zip(ids.iter().skip(1)).find(|(one, other)| one == other);
        if let Some((id, _)) = twice {
            return Err(ShapeFault::RepeatedTool(*id));
        }
        for tool in &mut tools {
            if tool.name.is_empty() || tool.name.len() > cuts::TOOL_NAME {
                return Err(ShapeFault::NameLength(tool.name.len()));
            }
            if let Some(content) = &mut tool.content {
                sort_by_key(&mut content.parameters, |parameter| parameter.id);
                if !content.parameters.is_sorted_by(|one, other| one.id < other.id) {
                    return Err(ShapeFault::RepeatedParameter(tool.id));
                }
            }
        }
        sort_by(&mut tools, |one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        Ok(Self { tools })
    }

    /// Tool names as shown to people, in the order of the shape.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// The tools.
    #[must_use]
    pub fn tools(&self) -> &[ToolShape] {
        &self.tools
    }

    /// The digest of the whole shape: of its rows, as they are stored.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(rows::text(self).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: &[&str]) -> ToolShape {
        let digest = Digest::of(b"");
        let parameters = parameters
            .iter()
            .map(|name| ParameterShape {
                id: Digest::of(name.as_bytes()),
                required: false,
                kind: digest,
                rest: digest,
                text: digest,
            })
            .collect();
        let content = ToolContent { text: digest, output: digest, input: digest, parameters };
        ToolShape { name: name.into(), id: Digest::of(name.as_bytes()), content: Some(content) }
    }

    #[test]
    fn the_order_given_does_not_matter() {
        let one =
            Shape::from_tools(vec![tool("a", &["x", "y", "z"]), tool("b", &[]), tool("c", &[])]).unwrap();
        let other =
            Shape::from_tools(vec![tool("c", &[]), tool("a", &["z", "x", "y"]), tool("b", &[])]).unwrap();
        assert_eq!(one, other);
        assert_eq!(one.digest(), other.digest());
        assert_eq!(one.names().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn everything_in_it_is_in_its_digest() {
        let base = Shape::from_tools(vec![tool("a", &["x"])]).unwrap();
        let changes: [fn(&mut ToolShape); 10] = [
            |tool| tool.name = "b".into(),
            |tool| tool.id = Digest::of(b"b"),
            |tool| tool.content = None,
            |tool| tool.content.as_mut().unwrap().text = Digest::of(b"1"),
            |tool| tool.content.as_mut().unwrap().output = Digest::of(b"1"),
            |tool| tool.content.as_mut().unwrap().input = Digest::of(b"1"),
            |tool| tool.content.as_mut().unwrap().parameters[0].required = true,
            |tool| tool.content.as_mut().unwrap().parameters[0].kind = Digest::of(b"1"),
            |tool| tool.content.as_mut().unwrap().parameters[0].rest = Digest::of(b"1"),
            |tool| tool.content.as_mut().unwrap().parameters[0].text = Digest::of(b"1"),
        ];
        let mut digests = std::collections::BTreeSet::from([base.digest(), Shape::default().digest()]);
        for change in changes {
            let mut changed = tool("a", &["x"]);
            change(&mut changed);
            digests.insert(Shape::from_tools(vec![changed]).unwrap().digest());
        }
        assert_eq!(digests.len(), 12, "no two are equal");
    }

    #[test]
    fn what_is_no_shape_is_refused_with_the_rule() {
        let many = |count: usize| (0..count).map(|number| tool(&number.to_string(), &[])).collect();
        let names: Vec<String> = (0..=limits::PARAMETERS).map(|number| number.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let a = Digest::of(b"a");
        let table = [
            (many(limits::TOOLS), None),
            (many(limits::TOOLS + 1), Some(ShapeFault::TooManyTools(limits::TOOLS + 1))),
            (vec![tool("a", &names[1..])], None),
            (vec![tool("a", &names)], Some(ShapeFault::TooManyParameters(limits::PARAMETERS + 1))),
            (vec![tool("", &[])], Some(ShapeFault::NameLength(0))),
            (vec![tool(&"x".repeat(cuts::TOOL_NAME), &[])], None),
            (
                vec![tool(&"x".repeat(cuts::TOOL_NAME + 1), &[])],
                Some(ShapeFault::NameLength(cuts::TOOL_NAME + 1)),
            ),
            (vec![tool("a", &[]), ToolShape { id: a, ..tool("b", &[]) }], Some(ShapeFault::RepeatedTool(a))),
            (vec![tool("a", &["x", "x"])], Some(ShapeFault::RepeatedParameter(a))),
        ];
        for (tools, fault) in table {
            assert_eq!(Shape::from_tools(tools).err(), fault);
        }
    }
}
