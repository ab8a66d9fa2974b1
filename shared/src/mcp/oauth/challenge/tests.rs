//! Challenges as servers send them, conforming and not.

use proptest::prelude::*;

use super::*;

const URL: &str = "https://a.example/.well-known/oauth-protected-resource/mcp";

fn bearer(resource_metadata: Option<&str>, error: Option<&str>) -> Challenges {
    Challenges {
        present: true,
        bearer: true,
        resource_metadata: resource_metadata.map(str::to_owned),
        error: error.map(str::to_owned),
        unparsable: false,
    }
}

#[test]
fn conforming_values() {
    let table: Vec<(Vec<String>, Challenges)> = vec![
        (vec![], Challenges::default()),
        (vec!["Bearer".into()], bearer(None, None)),
        (vec![format!("Bearer resource_metadata=\"{URL}\"")], bearer(Some(URL), None)),
        (vec![format!("bEARER Resource_Metadata = \"{URL}\"")], bearer(Some(URL), None)),
        (
            vec![format!(
                "Bearer error=\"invalid_token\", error_description=\"No, \\\"you\\\"\", resource_metadata=\"{URL}\""
            )],
            bearer(Some(URL), Some("invalid_token")),
        ),
        (vec!["Bearer error=insufficient_scope".into()], bearer(None, Some("insufficient_scope"))),
        (vec![format!("Bearer resource_metadata=\"{}\"", URL.replace('/', "\\/"))], bearer(Some(URL), None)),
        // Several challenges in one value, and several lines.
        (
            vec![format!("Basic realm=\"a, Bearer b\", Bearer resource_metadata=\"{URL}\"")],
            bearer(Some(URL), None),
        ),
        (
            vec![format!("Negotiate, Bearer resource_metadata=\"{URL}\", Basic realm=\"x\"")],
            bearer(Some(URL), None),
        ),
        (vec![format!("Negotiate YIIabc/+==, Bearer resource_metadata=\"{URL}\"")], bearer(Some(URL), None)),
        (vec![format!("Negotiate YIIabc=, Bearer resource_metadata=\"{URL}\"")], bearer(Some(URL), None)),
        (
            vec!["Basic realm=\"x\"".into(), format!("Bearer resource_metadata=\"{URL}\"")],
            bearer(Some(URL), None),
        ),
        (
            vec!["Bearer realm=\"x\"".into(), format!("Bearer resource_metadata=\"{URL}\"")],
            bearer(Some(URL), None),
        ),
        (
            vec![format!("Bearer resource_metadata=\"{URL}\", Bearer resource_metadata=\"b\"")],
            bearer(Some(URL), None),
        ),
        (vec!["Bearer abc123==".into()], bearer(None, None)),
        // Empty list elements are allowed.
        (vec![format!(" , Bearer ,, resource_metadata=\"{URL}\" ,")], bearer(Some(URL), None)),
        // An empty value names nothing.
        (vec!["Bearer resource_metadata=\"\", error=\"\"".into()], bearer(None, None)),
    ];
    for (values, expected) in table {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert_eq!(read(&values), expected, "{values:?}");
    }
}

#[test]
fn parameters_of_other_schemes_are_not_ours() {
    for value in [
        "Basic realm=\"x\", resource_metadata=\"u\", error=\"e\"",
        "DPoP resource_metadata=\"u\"",
        "Bearers resource_metadata=\"u\"",
        "Basic realm=\"Bearer resource_metadata=u\"",
    ] {
        assert_eq!(read(&[value]), Challenges { present: true, ..Challenges::default() }, "{value}");
    }
    let value = "Bearer error=\"e\", DPoP algs=\"ES256\", resource_metadata=\"u\"";
    assert_eq!(read(&[value]), bearer(None, Some("e")));
}

#[test]
fn forgiven_without_a_remark() {
    for value in [
        format!("Bearer resource_metadata={URL}"),
        format!("Bearer realm=\"x\" resource_metadata=\"{URL}\""),
        format!("Bearer\tresource_metadata=\"{URL}\""),
        format!("Bearer, resource_metadata=\"{URL}\""),
        format!("Bearer realm=, resource_metadata=\"{URL}\""),
    ] {
        assert_eq!(read(&[&value]), bearer(Some(URL), None), "{value}");
    }
}

#[test]
fn garbage_is_skipped_and_said_so() {
    let table = [
        ("", Challenges { present: true, ..Challenges::default() }),
        ("\"", Challenges { present: true, unparsable: true, ..Challenges::default() }),
        ("realm=\"x\"", Challenges { present: true, unparsable: true, ..Challenges::default() }),
        ("{\"error\":\"x\"}", Challenges { present: true, unparsable: true, ..Challenges::default() }),
        ("Bearer: resource_metadata=u", Challenges { unparsable: true, ..bearer(Some("u"), None) }),
        ("Bearer resource_metadata=\"https://a.exa", Challenges { unparsable: true, ..bearer(None, None) }),
        ("Bearer resource_metadata=\"u\\", Challenges { unparsable: true, ..bearer(None, None) }),
        (
            "Bearer realm=\"x\"; resource_metadata=\"u\" ;; error=e",
            Challenges { unparsable: true, ..bearer(Some("u"), Some("e")) },
        ),
        ("@@@, Bearer resource_metadata=\"u\"", Challenges { unparsable: true, ..bearer(Some("u"), None) }),
        ("Bearer é, error=\"e\"", Challenges { unparsable: true, ..bearer(None, Some("e")) }),
    ];
    for (value, expected) in table {
        assert_eq!(read(&[value]), expected, "{value:?}");
    }
}

proptest! {
    #[test]
    fn any_values_have_an_answer(values in prop::collection::vec("[ -~é\t]{0,60}", 0..4)) {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        prop_assert_eq!(read(&values).present, !values.is_empty());
    }

    /// Whatever stands in it, a text that was quoted comes back, between any other challenges.
    #[test]
    fn a_quoted_document_is_found(document in "[ -~]{1,40}", before in prop::bool::ANY, after in prop::bool::ANY) {
        let quoted = document.replace('\\', "\\\\").replace('"', "\\\"");
        let value = format!(
            "{}Bearer realm=\"mcp\", resource_metadata=\"{quoted}\"{}",
            if before { "Digest qop=\"auth, auth-int\", nonce=abc, " } else { "" },
            if after { ", Basic realm=\"y\"" } else { "" },
        );
        prop_assert_eq!(read(&[&value]), bearer(Some(&document), None));
    }
}
