//! What may be kept and shown of a server's text: the published cuts, and nothing that fools a terminal.

use serde_json::Value;
use shared::methodology::{cuts, limits};
use shared::outcome::{Class, Era, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};

use super::probing::Told;

/// Where a vote holds a server's own text, and the bytes it may have.
const TEXTS: [(&str, usize); 11] = [
    ("/identity/server/name", cuts::SERVER_NAME),
    ("/identity/server/version", cuts::SERVER_VERSION),
    ("/identity/protocol_version", cuts::PROTOCOL_VERSION),
    ("/identity/resource_metadata", cuts::FRONT_DOOR_URL),
    ("/identity/authorization_server", cuts::FRONT_DOOR_URL),
    ("/identity/issuer", cuts::FRONT_DOOR_URL),
    ("/identity/redirect_host", cuts::REDIRECT_HOST),
    ("/learned/resource_metadata", cuts::FRONT_DOOR_URL),
    ("/learned/authorization_server", cuts::FRONT_DOOR_URL),
    ("/learned/issuer", cuts::FRONT_DOOR_URL),
    ("/learned/redirect_host", cuts::REDIRECT_HOST),
];
/// Where it holds the digest of something.
const DIGEST: &str = "/shape/digest";

/// What a vote keeps beyond the published list, one sentence each.
#[must_use]
pub fn beyond_the_list(told: &Told) -> Vec<String> {
    let mut found = Vec::new();
    walk(&told.vote, "", &mut |path, text| {
        if let Some((_, most)) = TEXTS.iter().find(|(known, _)| *known == path) {
            if text.len() > *most {
                found.push(format!("{path} has {} bytes, at most {most}", text.len()));
            }
        } else if !(is_word(text) || path == DIGEST && text.len() == 16) {
            found.push(format!("{path} holds {text:?}, which is no word of ours"));
        }
    });
    let names = &told.tools;
    if names.len() > limits::TOOLS {
        found.push(format!("{} tools, at most {}", names.len(), limits::TOOLS));
    }
    found.extend(
        names
            .iter()
            .filter(|name| name.len() > cuts::TOOL_NAME)
            .map(|name| format!("a tool's name has {} bytes, at most {}", name.len(), cuts::TOOL_NAME)),
    );
    // Beside its name a tool is digests alone, so that its description cannot be in it.
    found
}

/// Every text in a value, with where it is.
fn walk(value: &Value, path: &str, see: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => see(path, text),
        Value::Array(items) => items.iter().for_each(|item| walk(item, path, see)),
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| walk(member, &format!("{path}/{name}"), see));
        }
        _ => {}
    }
}

/// One of the fixed words of our own.
fn is_word(text: &str) -> bool {
    Class::from_word(text).is_some()
        || Reason::from_word(text).is_some()
        || Phase::from_word(text).is_some()
        || Precision::from_word(text).is_some()
        || Era::from_word(text).is_some()
        || FrontDoor::from_word(text).is_some()
        || FrontDoorNote::from_word(text).is_some()
        || Violation::from_word(text).is_some()
}

/// What of a text printed for a person could fool a terminal or a reader: controls besides the line feed, and what is
/// invisible or turns the direction of reading.
#[must_use]
pub fn raw_characters(printed: &str) -> Vec<char> {
    let fools = |character: char| {
        character.is_control() && character != '\n'
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    printed.chars().filter(|character| fools(*character)).collect()
}
