//! Character encodings, byte order marks, and JSON that is nearly JSON.

use shared::outcome::{Class, Reason, Violation};

use crate::hostile::exchange::JSON;
use crate::hostile::{Behaviour, Expected};

/// The good answer as these bytes.
fn bytes(name: &str, says: &str, expected: Expected, make: fn(String) -> Vec<u8>) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        exchange.answer(200, &[JSON], make(answer))
    })
}

/// The good answer whose server is called this, as raw bytes of JSON.
fn server_name(name: &str, says: &str, expected: Expected, server: &'static [u8]) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        let (before, after) = answer.split_once("hostile").unwrap_or_default();
        exchange.answer(200, &[JSON], [before.as_bytes(), server, after.as_bytes()].concat())
    })
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = characters();
    all.extend(marks());
    all.extend(nearly_json());
    all
}

fn characters() -> Vec<Behaviour> {
    let invalid = || Expected::breach(Violation::InvalidUnicode);
    let not_json = || Expected::body(Class::Malformed, Reason::NotJson);
    vec![
        server_name("utf-8", "Characters of every length.", Expected::up(), "aä€𝄞".as_bytes()),
        server_name("invalid-utf-8", "A byte that UTF-8 does not have.", invalid(), b"a\xffb"),
        server_name("utf-8-cut-short", "A character without its last byte.", invalid(), b"a\xe2\x82"),
        server_name("utf-8-longer-than-needed", "A slash in two bytes.", invalid(), b"a\xc0\xaf"),
        server_name("utf-8-of-a-surrogate", "A surrogate in UTF-8.", invalid(), b"a\xed\xa0\x80"),
        server_name("latin-1", "An answer in ISO 8859-1.", invalid(), b"Stra\xdfe"),
        server_name(
            "lone-surrogate",
            "An escaped surrogate without its other half.",
            invalid(),
            b"a\\ud800b",
        ),
        server_name(
            "surrogates-the-wrong-way-round",
            "Two escaped surrogates in the wrong order.",
            invalid(),
            b"\\udc00\\ud800",
        ),
        server_name("surrogates-in-a-pair", "A character as two escapes.", Expected::up(), b"\\ud834\\udd1e"),
        server_name("escaped-nul", "An escaped NUL.", Expected::up(), b"a\\u0000b"),
        server_name("raw-nul", "A NUL as it is, which JSON forbids.", not_json(), b"a\0b"),
        server_name("raw-control-character", "An ESC as it is, which JSON forbids.", not_json(), b"a\x1b[2J"),
        server_name("raw-line-feed", "A line feed within a text.", not_json(), b"a\nb"),
        server_name("escape-nobody-knows", "A backslash before an x.", not_json(), b"a\\x41"),
        bytes("utf-16-little-endian", "UTF-16 with its mark, low byte first.", not_json(), |answer| {
            answer.encode_utf16().fold(b"\xff\xfe".to_vec(), |mut bytes, unit| {
                bytes.extend(unit.to_le_bytes());
                bytes
            })
        }),
        bytes("utf-16-big-endian", "UTF-16 with its mark, high byte first.", not_json(), |answer| {
            answer.encode_utf16().fold(b"\xfe\xff".to_vec(), |mut bytes, unit| {
                bytes.extend(unit.to_be_bytes());
                bytes
            })
        }),
        bytes("utf-16-without-a-mark", "UTF-16 without a mark.", not_json(), |answer| {
            answer.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }),
        bytes("utf-32", "UTF-32.", not_json(), |answer| {
            answer.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect()
        }),
    ]
}

fn marks() -> Vec<Behaviour> {
    vec![
        bytes(
            "byte-order-mark",
            "A byte order mark before the JSON.",
            Expected::breach(Violation::ByteOrderMark),
            |answer| format!("\u{feff}{answer}").into_bytes(),
        ),
        bytes(
            "two-byte-order-marks",
            "Two byte order marks.",
            Expected::body(Class::Malformed, Reason::NotJson),
            |answer| format!("\u{feff}\u{feff}{answer}").into_bytes(),
        ),
        bytes(
            "byte-order-mark-behind-blanks",
            "Blanks, then a byte order mark.",
            Expected::body(Class::Malformed, Reason::NotJson),
            |answer| format!("  \u{feff}{answer}").into_bytes(),
        ),
        bytes(
            "byte-order-mark-alone",
            "A byte order mark and nothing else.",
            Expected::body(Class::NotMcp, Reason::Empty),
            |_| "\u{feff}".into(),
        ),
    ]
}

fn nearly_json() -> Vec<Behaviour> {
    let not_json = || Expected::body(Class::Malformed, Reason::NotJson);
    vec![
        bytes("blanks-around", "Blanks before and behind.", Expected::up(), |answer| {
            format!("\r\n\t {answer} \r\n").into_bytes()
        }),
        bytes("blanks-alone", "Blanks alone.", Expected::body(Class::NotMcp, Reason::Empty), |_| {
            vec![b' '; 1_000]
        }),
        bytes("rubbish-behind", "Letters behind the JSON.", not_json(), |answer| {
            format!("{answer}x").into_bytes()
        }),
        bytes("two-texts", "Two JSON texts, a line each.", not_json(), |answer| {
            format!("{answer}\n{answer}\n").into_bytes()
        }),
        bytes("a-comma-too-many", "A comma before the closing brace.", not_json(), |answer| {
            format!("{},}}", answer.trim_end_matches('}')).into_bytes()
        }),
        bytes("single-quotes", "Single quotes.", not_json(), |answer| answer.replace('"', "'").into_bytes()),
        bytes("comments-in-json", "A comment.", not_json(), |answer| {
            format!("/* hi */{answer}").into_bytes()
        }),
        bytes("guarded-json", "A guard against being read as a script.", not_json(), |answer| {
            format!(")]}}',\n{answer}").into_bytes()
        }),
        bytes("json-with-a-callback", "JSON in a call.", not_json(), |answer| {
            format!("callback({answer})").into_bytes()
        }),
        bytes(
            "json-in-a-text",
            "The answer as a text within JSON.",
            Expected::body(Class::NotMcp, Reason::OtherJson),
            |answer| serde_json::Value::from(answer).to_string().into_bytes(),
        ),
        bytes("not-a-number", "NaN where a number stands.", not_json(), |answer| {
            answer.replacen('{', "{\"x\":NaN,", 1).into_bytes()
        }),
        bytes("leading-zero", "A number with a leading zero.", not_json(), |answer| {
            answer.replacen('{', "{\"x\":01,", 1).into_bytes()
        }),
    ]
}
