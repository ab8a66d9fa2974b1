//! Where in a JSON text a byte stands: `votes[3].latency_ms`. For errors, which come with a line and a column only.

/// Bytes of a member's name shown at most: names in a wrong body are anybody's.
const NAME_BYTES: usize = 64;

/// An object with the name read last, or an array with the number of the element.
enum Level<'a> {
    Object(Option<&'a str>),
    Array(usize),
}

/// The path of the value that ends at, or holds, the byte in front of `line` and `column` (as serde_json counts them).
/// Empty for the outermost one. The text before that place must be sound, as it is where a parser came that far.
#[must_use]
pub fn path(text: &str, line: usize, column: usize) -> String {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = before.saturating_add(column).min(text.len());
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut string: Option<usize> = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().take(end) {
        if let Some(start) = string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    string = None;
                    if let Some(Level::Object(name @ None)) = levels.last_mut() {
                        *name = text.get(start..at);
                    }
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => string = Some(at + 1),
            b'{' => levels.push(Level::Object(None)),
            b'[' => levels.push(Level::Array(0)),
            b'}' | b']' => drop(levels.pop()),
            b',' => match levels.last_mut() {
                Some(Level::Object(name)) => *name = None,
                Some(Level::Array(index)) => *index += 1,
                None => {}
            },
            _ => {}
        }
    }
    written(&levels)
}

fn written(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::Object(Some(name)) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(shared::methodology::cuts::cut(name, NAME_BYTES));
            }
            Level::Object(None) => {}
            Level::Array(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a typed reader finds wrong is found at the member that is wrong, or at what holds it.
    #[test]
    fn a_fault_is_found_at_its_member() {
        for (text, place) in [
            (r#"{"votes":[{"listing":-1}]}"#, "votes[0].listing"),
            (
                r#"{"votes":[{"listing":1,"slot":2,"started_ms":3,"class":"up","precision":"exact"},{"listing":1.5}]}"#,
                "votes[1].listing",
            ),
            (r#"{"votes":[{"listing":1}]}"#, "votes[0]"),
            ("{\"votes\":\n  [{\"listing\":1,\n\"slot\": \"]}\\\"\"}]}", "votes[0].slot"),
            (r#"{"votes":[{"class":"grün","slot":1}]}"#, "votes[0].class"),
            // A word that is not known, as the last member: the parser has gone on to the end of the object.
            (r#"{"votes":[{"class":"grün"}]}"#, "votes[0]"),
            (r#"{"votes":[{"identity":{"server":{"name":7}}}]}"#, "votes[0].identity.server.name"),
            (r#"{"votes":[],"shapes":{"zz":[]}}"#, "shapes.zz"),
            (r#"{"votes":[],"more":1}"#, "more"),
            (r#"{"votes":[],"votes":[]}"#, "votes"),
            (r#"{"votes":7}"#, "votes"),
            (r#"{"shapes":{}}"#, ""),
            ("[", "[0]"),
            ("", ""),
        ] {
            let error = serde_json::from_str::<shared::vote::VoteBatch>(text).unwrap_err();
            let path = path(text, error.line(), error.column());
            assert_eq!(path, place, "{text}: {error}");
        }
    }

    #[test]
    fn any_place_of_any_text_has_an_answer() {
        let text = "{\"a\":[\"ü\\\"\",{\"b\":[[]]}]}}]]\"";
        for line in 0..3 {
            for column in 0..text.len() + 3 {
                let _ = path(text, line, column);
            }
        }
        let long = format!("{{\"{}\":", "é".repeat(1_000));
        assert_eq!(path(&long, 1, long.len()).len(), NAME_BYTES);
    }
}
