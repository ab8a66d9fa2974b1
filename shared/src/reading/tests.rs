//! The rules of reading our own documents: what is read, and where a fault is found.

use proptest::prelude::*;

use super::*;
use crate::shape::Digest;
use crate::table::Table;
use crate::vote::VoteBatch;

#[test]
fn a_fault_is_found_at_its_member() {
    let vote = r#""listing":1,"slot":2,"started_ms":3,"class":"up","precision":"exact""#;
    for (text, fault) in [
        (
            r#"{"votes":[{"listing":-1}]}"#.to_owned(),
            "votes[0].listing: expected a whole number from 0 to 4294967295, found -1",
        ),
        (
            format!(r#"{{"votes":[{{{vote}}},{{"listing":1.5}}]}}"#),
            "votes[1].listing: expected a whole number from 0 to 4294967295, found 1.5",
        ),
        (r#"{"votes":[{"listing":1}]}"#.to_owned(), "votes[0]: the member slot is missing"),
        (
            format!(r#"{{"votes":[{{{vote},"http_status":65536}}]}}"#),
            "votes[0].http_status: expected a whole number from 0 to 65535, found 65536",
        ),
        (
            "{\"votes\":\n  [{\"listing\":1,\n\"slot\": \"]}\\\"\"}]}".to_owned(),
            "votes[0].slot: expected a whole number from 0 to 4294967295, found a text",
        ),
        (r#"{"votes":[{"class":"grün"}]}"#.to_owned(), "votes[0].class: unknown Class \"grün\""),
        (
            r#"{"votes":[{"identity":{"server":{"name":7}}}]}"#.to_owned(),
            "votes[0].identity.server.name: expected a text, found 7",
        ),
        (
            r#"{"votes":[],"shapes":{"zz":[]}}"#.to_owned(),
            "shapes.zz: a digest is 16 lower-case hexadecimal digits, got \"zz\"",
        ),
        (r#"{"votes":[],"more":1}"#.to_owned(), "more: unknown member \"more\""),
        (r#"{"votes":[],"votes":[]}"#.to_owned(), "votes: the member is there twice"),
        (r#"{"votes":7}"#.to_owned(), "votes: expected a list, found 7"),
        (r#"{"votes":null}"#.to_owned(), "votes: expected a list, found null"),
        (r#"{"shapes":{}}"#.to_owned(), "the member votes is missing"),
        ("[]".to_owned(), "expected an object, found a list"),
        (r#"{"votes":[]} 7"#.to_owned(), "The JSON already contains one root element"),
        (String::new(), "Unexpected end of file"),
    ] {
        let found = document::<VoteBatch>(text.as_bytes()).unwrap_err().to_string();
        assert!(found.contains(fault), "{text}: {found}");
    }
}

#[test]
fn what_breaks_off_or_is_no_json_is_a_fault() {
    let whole = r#"{"votes":[],"shapes":{"0123456789abcdef":[["tool","0123456789abcdef"]]}}"#;
    assert!(document::<VoteBatch>(whole.as_bytes()).is_ok());
    for length in 0..whole.len() {
        assert!(document::<VoteBatch>(&whole.as_bytes()[..length]).is_err(), "{length}");
    }
    for text in ["{'votes':[]}", "{\"votes\":[],}", "{\"votes\":[}", "\u{0}", "NaN"] {
        assert!(document::<VoteBatch>(text.as_bytes()).is_err(), "{text}");
    }
    assert!(document::<String>(b"\"\xff\"").is_err());
    assert!(document::<String>(br#""\ud800""#).is_err());
}

#[test]
fn nesting_has_an_end() {
    let nested = "[".repeat(100_000);
    let found = document::<VoteBatch>(format!("{{\"votes\":{nested}").as_bytes()).unwrap_err();
    assert_eq!(found.place, "votes[0]");
    /// Reads lists in lists for as long as there are any.
    struct Lists;
    impl Read for Lists {
        fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
            reader.elements(&mut |reader| Self::read(reader).map(drop))?;
            Ok(Self)
        }
    }
    assert!(document::<Lists>(b"[[[[]]],[]]").is_ok());
    assert!(document::<Lists>(nested.as_bytes()).is_err());
}

#[test]
fn names_of_strangers_are_cut() {
    let long = "é".repeat(1_000);
    let fault = document::<VoteBatch>(format!("{{\"{long}\":1}}").as_bytes()).unwrap_err();
    assert!(fault.place.len() <= SHOWN_BYTES && fault.to_string().len() < 4 * SHOWN_BYTES, "{fault}");
}

proptest! {
    /// Against the library that the prober writes with.
    #[test]
    fn values_are_what_the_library_says(
        numbers in prop::collection::vec(any::<i64>(), 0..5),
        texts in prop::collection::btree_map("\\PC{0,8}", prop::option::of(any::<String>()), 0..5),
        digests in prop::collection::btree_map(any::<[u8; 8]>(), any::<bool>(), 0..5),
    ) {
        let text = serde_json::to_string_pretty(&numbers).unwrap();
        prop_assert_eq!(document::<Vec<i64>>(text.as_bytes()), Ok(numbers));
        let text = serde_json::to_string(&texts).unwrap();
        prop_assert_eq!(document::<Table<String, Option<String>>>(text.as_bytes()), Ok(texts.into_iter().collect()));
        let digests: Table<Digest, bool> = digests.into_iter().map(|(bytes, value)| (Digest(bytes), value)).collect();
        let text = serde_json::to_string(&digests).unwrap();
        prop_assert_eq!(document::<Table<Digest, bool>>(text.as_bytes()), Ok(digests));
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64), text in "[\\[\\]{}\",:0-9a-z\\\\ -]{0,40}") {
        let _ = document::<VoteBatch>(&bytes);
        let _ = document::<Table<String, Vec<Option<i64>>>>(text.as_bytes());
    }
}
