//! Text that somebody else wrote, made harmless before it reaches a template.
//!
//! Templates escape markup; this takes out what escaping leaves in: control characters, line ends, characters that
//! turn the direction of the text around them, and sheer length.

/// Characters of foreign text shown at most. Stored text is cut in bytes already; this holds for whatever is not.
const SHOWN: usize = 200;

/// One line of foreign text, safe to show and to put in a title or an attribute.
pub(crate) fn line(text: &str) -> String {
    shortened(text, SHOWN)
}

/// A URL in full: it has been through a URL parser, so it is ASCII, and has a length of its own.
pub(crate) fn url(text: &str) -> String {
    shortened(text, usize::MAX)
}

fn shortened(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most.saturating_mul(4)));
    let mut gap = false;
    let mut count = 0;
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() {
            gap = count > 0;
            continue;
        }
        if turns_direction(letter) {
            continue;
        }
        if count >= most {
            shown.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            shown.push(' ');
        }
        shown.push(letter);
        count += 1;
    }
    shown
}

/// Bidirectional controls, and the invisible characters that can hide a difference between two names.
const fn turns_direction(letter: char) -> bool {
    matches!(letter,
        '\u{061C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_becomes_one_harmless_line() {
        for (text, shown) in [
            ("plain", "plain"),
            (" two\r\n\tlines ", "two lines"),
            ("nul\0bell\u{7}", "nul bell"),
            ("\u{202E}evil\u{202C} name", "evil name"),
            ("zero\u{200B}width", "zerowidth"),
            ("👩\u{200D}💻 שלום", "👩\u{200D}💻 שלום"),
            ("", ""),
            ("\u{2028}\u{85}", ""),
        ] {
            assert_eq!(line(text), shown, "{text:?}");
        }
    }

    #[test]
    fn length_is_cut_and_the_cut_is_shown() {
        let long = line(&"é".repeat(10_000));
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert!(long.ends_with('…'));
        assert_eq!(line(&"x".repeat(SHOWN)), "x".repeat(SHOWN));
        assert_eq!(url(&"x".repeat(2_000)).len(), 2_000);
    }
}
