//! The `WWW-Authenticate` reader: total, no longer than what was sent, and stable in what it understood.

use shared::mcp::oauth::challenge::{Challenges, read};
use shared::methodology::limits::HEADER_BYTES;
use shared::probe::Headers;

const NAME: &str = "www-authenticate";

/// Each line is the value of one header field.
pub fn challenge(data: &[u8]) {
    let headers = Headers::new(data.split(|byte| *byte == b'\n').map(|value| (NAME, value)));
    let values: Vec<&str> = headers.all(NAME).collect();
    let found = read(&values);

    assert!(found.present);
    for text in [&found.resource_metadata, &found.error].into_iter().flatten() {
        assert!(found.bearer, "a parameter of a challenge that is not there");
        // Three bytes of U+FFFD for each that is no UTF-8.
        assert!(!text.is_empty() && text.len() <= 3 * HEADER_BYTES, "{} bytes of text", text.len());
    }

    // What was understood can be written down and read again.
    assert_eq!(read(&[&written(&found)]), Challenges { unparsable: false, ..found.clone() });

    // The first one wins: nothing that follows changes what was understood, nor is it missed.
    let more = r#"Bearer resource_metadata="https://later.example/", error="later""#;
    let with_more = read(&values.iter().copied().chain([more]).collect::<Vec<_>>());
    let first_or = |first: &Option<String>, later: &str| first.clone().or(Some(later.to_owned()));
    assert!(with_more.bearer && with_more.unparsable == found.unparsable);
    assert_eq!(with_more.resource_metadata, first_or(&found.resource_metadata, "https://later.example/"));
    assert_eq!(with_more.error, first_or(&found.error, "later"));

    // RFC 9110 section 5.3: fields of one name are one list.
    if !found.unparsable {
        assert_eq!(read(&[&values.join(", ")]), found, "as one list");
    }
}

/// A conforming value that says the same.
fn written(challenges: &Challenges) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let parameters = [("resource_metadata", &challenges.resource_metadata), ("error", &challenges.error)]
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}=\"{}\"", quoted(value.as_deref()?))))
        .collect::<Vec<_>>();
    format!("{} {}", if challenges.bearer { "Bearer" } else { "Basic" }, parameters.join(", "))
}
