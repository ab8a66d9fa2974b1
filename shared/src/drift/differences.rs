//! What differs between two shapes of one tool.

use crate::shape::{Digest, ParameterShape, ToolContent, ToolShape};

use super::Kind;

/// A tool as one listing has it; none where it does not.
pub type Side<'a> = Option<&'a ToolShape>;

/// The digest of all that drift compares of a tool; none where the tool is absent or takes no part.
#[must_use]
pub fn content_digest(side: Side<'_>) -> Option<Digest> {
    let content = side?.content.as_ref()?;
    let mut bytes = Vec::with_capacity(24 + content.parameters.len() * 33);
    for digest in [content.text, content.output, content.input] {
        bytes.extend_from_slice(&digest.0);
    }
    for parameter in &content.parameters {
        let ParameterShape { id, required, kind, rest, text } = parameter;
        for digest in [id, kind, rest, text] {
            bytes.extend_from_slice(&digest.0);
        }
        bytes.push(u8::from(*required));
    }
    Some(Digest::of(&bytes))
}

/// The kinds of change from one to the other, each once, in the order of their codes. A tool that takes no part in
/// drift, before or after, has not changed.
#[must_use]
pub fn between(before: Side<'_>, after: Side<'_>) -> Vec<Kind> {
    match (before, after) {
        (None, None) => Vec::new(),
        (None, Some(_)) => vec![Kind::ToolAdded],
        (Some(_), None) => vec![Kind::ToolRemoved],
        (Some(before), Some(after)) => match (&before.content, &after.content) {
            (Some(before), Some(after)) => of_content(before, after),
            _ => Vec::new(),
        },
    }
}

fn of_content(before: &ToolContent, after: &ToolContent) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut text_changed = before.text != after.text;
    if before.output != after.output {
        kinds.push(Kind::OutputChanged);
    }
    if before.input != after.input {
        kinds.push(Kind::InputChanged);
    }
    for parameter in &after.parameters {
        match same(before, parameter.id) {
            None if parameter.required => kinds.push(Kind::RequiredParameterAdded),
            None => kinds.push(Kind::OptionalParameterAdded),
            Some(old) => {
                kinds.extend(of_parameter(old, parameter));
                text_changed |= old.text != parameter.text;
            }
        }
    }
    if before.parameters.iter().any(|parameter| same(after, parameter.id).is_none()) {
        kinds.push(Kind::ParameterRemoved);
    }
    if text_changed && kinds.is_empty() {
        kinds.push(Kind::DescriptionChanged);
    }
    kinds.sort_unstable_by_key(|kind| kind.code());
    kinds.dedup();
    kinds
}

fn same(content: &ToolContent, id: Digest) -> Option<&ParameterShape> {
    let place = content.parameters.binary_search_by_key(&id, |parameter| parameter.id).ok()?;
    content.parameters.get(place)
}

/// A parameter that became required is one of the other changes: it was there before.
fn of_parameter(before: &ParameterShape, after: &ParameterShape) -> Option<Kind> {
    if before.kind != after.kind {
        Some(Kind::ParameterTypeChanged)
    } else if before.rest != after.rest || before.required != after.required {
        Some(Kind::InputChanged)
    } else {
        None
    }
}
