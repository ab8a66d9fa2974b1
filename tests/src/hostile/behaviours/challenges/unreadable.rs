//! Challenges that break the grammar.

use shared::outcome::{Class, FrontDoor, FrontDoorNote as Note, Reason};

use super::{bare, challenge, found};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let unread = || bare(&[Note::ChallengeUnparsable]);
    let nameless = || bare(&[Note::ChallengeUnparsable, Note::ChallengeNamesNoDocument]);
    let quoted_letters = |kibibytes: usize| format!("\"{}\"", "a".repeat(kibibytes * 1024));
    let half = || found(&[Note::ChallengeUnparsable]);
    let table: Vec<(&str, &str, Expected, Vec<u8>)> = vec![
        ("without-a-value", "An empty header.", bare(&[]), "".into()),
        ("of-commas", "Commas and nothing else.", bare(&[]), ",,,,".into()),
        ("of-a-quote", "A quote and nothing else.", unread(), "\"".into()),
        ("without-a-scheme", "Parameters without a scheme.", unread(), "{elsewhere}".into()),
        ("of-json", "JSON for a challenge.", unread(), r#"{"error":"invalid_token"}"#.into()),
        (
            "with-an-open-quote",
            "A quote that never ends.",
            nameless(),
            "Bearer resource_metadata=\"{base}/{astray}".into(),
        ),
        (
            "with-an-escape-at-its-end",
            "A backslash at the end.",
            nameless(),
            "Bearer resource_metadata=\"{base}/{astray}\\".into(),
        ),
        (
            "with-an-open-quote-before",
            "A quote that never ends, before the document.",
            nameless(),
            "Bearer realm=\"x, resource_metadata={base}/{astray}".into(),
        ),
        (
            "without-quotes",
            "A document without its quotes.",
            found(&[]),
            "Bearer resource_metadata={base}/named".into(),
        ),
        (
            "in-single-quotes",
            "A document in single quotes.",
            Expected::door(FrontDoor::Partial, &[Note::MetadataMissing]),
            "Bearer resource_metadata='{base}/named'".into(),
        ),
        ("without-commas", "Blanks for commas.", found(&[]), "Bearer realm=\"x\" {document}".into()),
        ("with-semicolons", "Semicolons for commas.", half(), "Bearer realm=\"x\"; {document}".into()),
        ("with-a-colon", "A colon behind the scheme.", half(), "Bearer: {document}".into()),
        (
            "with-a-comma-behind-the-scheme",
            "A comma behind the scheme.",
            found(&[]),
            "Bearer, {document}".into(),
        ),
        (
            "with-the-document-twice",
            "Two documents, of which the first counts.",
            found(&[]),
            "Bearer {document}, {elsewhere}".into(),
        ),
        (
            "with-two-documents",
            "Two Bearer challenges, of which the first counts.",
            found(&[]),
            "Bearer {document}\r\nWWW-Authenticate: Bearer {elsewhere}".into(),
        ),
        (
            "with-the-realm-twice",
            "A realm given twice.",
            found(&[]),
            "Bearer realm=\"x\", realm=\"y\", {document}".into(),
        ),
        ("with-rubbish-before", "Rubbish before the challenge.", half(), "@@@, Bearer {document}".into()),
        (
            "with-bytes-beyond-ascii",
            "Bytes beyond ASCII in the realm.",
            found(&[]),
            "Bearer realm=\"gr\u{fc}n \u{202e}\", {document}".into(),
        ),
        (
            "with-bytes-of-no-encoding",
            "Bytes that are no text in the realm.",
            bare(&[Note::ChallengeNamesNoDocument]),
            b"Bearer realm=\"\xff\xfe\xc3\"".into(),
        ),
        ("with-a-scheme-beyond-ascii", "A scheme beyond ASCII.", unread(), "B\u{e9}arer x=\"y\"".into()),
        ("with-a-nul", "A NUL byte.", Expected::not_http(), "Bearer realm=\"a\0b\"".into()),
        (
            "with-a-terminal-escape",
            "A terminal escape.",
            Expected::not_http(),
            "Bearer realm=\"\x1b[2J\"".into(),
        ),
        (
            "of-seven-kibibytes",
            "A description of 7 KiB before the document.",
            found(&[]),
            format!("Bearer error_description={}, {{document}}", quoted_letters(7)).into(),
        ),
        (
            "of-sixteen-kibibytes",
            "A description of 16 KiB before the document.",
            bare(&[]),
            format!("Bearer error_description={}, {{document}}", quoted_letters(16)).into(),
        ),
        (
            "of-64-kibibytes",
            "A realm of 64 KiB.",
            Expected::headers(Class::TooLarge, Reason::HeaderTooLarge),
            format!("Bearer realm={}", quoted_letters(64)).into(),
        ),
        (
            "of-a-thousand-schemes",
            "A thousand schemes, then Bearer.",
            found(&[]),
            format!("{}Bearer {{document}}", "X a=b, ".repeat(1_000)).into(),
        ),
        ("of-a-thousand-quotes", "A thousand quotes.", unread(), "\"".repeat(1_001).into()),
        (
            "of-backslashes",
            "Quoted backslashes without end.",
            nameless(),
            format!("Bearer realm=\"{}", "\\".repeat(5_000)).into(),
        ),
    ];
    table.into_iter().map(|(name, says, expected, value)| challenge(name, says, expected, value)).collect()
}
