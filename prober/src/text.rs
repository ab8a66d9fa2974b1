//! Text from a server made safe to show: nothing in it can move a cursor, hide itself or change the reading order.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character must never reach a terminal or a log as it is: controls, line and paragraph separators, and
/// everything invisible or that changes the direction of the text around it.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// `text` with every unsafe character written as `\u{...}`, and a backslash doubled so that nothing can imitate one.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| character == '\\' || is_unsafe(character)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\\' => safe.push_str("\\\\"),
            _ if is_unsafe(character) => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
            }
            _ => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// JSON text with every unsafe character inside its strings escaped as JSON does. Valid JSON has such characters
/// nowhere else, save for white space between tokens, which compact JSON lacks.
pub(crate) fn printable_json(compact: &str) -> String {
    let mut safe = String::with_capacity(compact.len());
    for character in compact.chars() {
        if is_unsafe(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_what_a_terminal_or_a_reader_could_be_fooled_by() {
        let cases = [
            ("plain, ünï·cødé 工具", "plain, ünï·cødé 工具"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c"),
            ("\u{202e}gnp.exe", "\\u{202e}gnp.exe"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
            ("fake \\u{1b}", "fake \\\\u{1b}"),
        ];
        for (raw, shown) in cases {
            assert_eq!(printable(raw), shown);
        }
    }

    proptest! {
        #[test]
        fn nothing_unsafe_is_left(text in any::<String>()) {
            prop_assert!(!printable(&text).chars().any(is_unsafe));
        }

        #[test]
        fn json_keeps_its_value_and_loses_what_is_unsafe(text in any::<String>()) {
            let safe = printable_json(&serde_json::to_string(&[&text]).unwrap());
            prop_assert!(!safe.chars().any(is_unsafe));
            prop_assert_eq!(serde_json::from_str::<[String; 1]>(&safe).unwrap(), [text]);
        }
    }
}
