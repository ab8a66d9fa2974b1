//! What the resource metadata says of the resource and of its authorization servers.

use shared::outcome::FrontDoorNote as Note;

use super::{Document, ok, partial};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    [resources(), lists()].concat()
}

/// Says this of the resource; `value` is JSON.
fn of(name: &str, says: &str, expected: Expected, value: &str) -> Behaviour {
    let text = format!("{{\"resource\":{value},\"authorization_servers\":[\"{{base}}\"]}}");
    Document::Resource.text(name, says, expected, text)
}

fn resources() -> Vec<Behaviour> {
    let near = || ok(&[Note::ResourceIsPrefix]);
    let other = || partial(&[Note::ResourceMismatch]);
    let invalid = || partial(&[Note::MetadataInvalid]);
    let long = format!("\"{{base}}/{}\"", "a".repeat(100 * 1024));
    vec![
        of("right", "as it should be.", ok(&[]), r#""{base}""#),
        of(
            "with-the-scheme-in-capitals",
            "with the scheme in capitals.",
            ok(&[]),
            r#""HTTP://{host}{path}""#,
        ),
        of(
            "with-the-address-in-decimal",
            "with the same address as one number.",
            ok(&[]),
            r#""http://2130706433:{port}{path}""#,
        ),
        of("with-a-slash", "with a trailing slash.", near(), r#""{base}/""#),
        of("of-the-origin", "of the endpoint's whole origin.", near(), r#""http://{host}""#),
        of("of-the-root", "of the endpoint's root.", near(), r#""http://{host}/""#),
        of("of-a-path-below", "of a path below the endpoint.", other(), r#""{base}/more""#),
        of("of-a-longer-path", "of a path that begins as the endpoint's.", other(), r#""{base}more""#),
        of(
            "of-a-shorter-path",
            "of a path that the endpoint's begins with.",
            other(),
            r#""http://{host}/reso""#,
        ),
        of("of-another-path", "of another path.", other(), r#""http://{host}/elsewhere""#),
        of(
            "of-another-case",
            "of the path in capitals.",
            other(),
            r#""http://{host}/RESOURCE-METADATA-OF-ANOTHER-CASE""#,
        ),
        of("of-another-host", "of another host.", other(), r#""http://mcp.example{path}""#),
        of("of-another-port", "of another port.", other(), r#""http://127.0.0.1:1{path}""#),
        of("of-another-scheme", "of another scheme.", other(), r#""https://{host}{path}""#),
        of("with-a-query", "with a query that the endpoint has not.", other(), r#""{base}?a=b""#),
        of("with-a-fragment", "with a fragment.", other(), r##""{base}#a""##),
        of("with-a-password", "with a user and a password.", other(), r#""http://me:secret@{host}{path}""#),
        of("that-is-a-script", "whose resource is a script.", other(), r#""javascript:alert(1)""#),
        of("of-100-kibibytes", "whose resource has 100 KiB.", other(), &long),
        of(
            "that-turns-the-text",
            "whose resource holds bidi controls and an escape.",
            other(),
            r#""{base}/\u202e\u001b[2J""#,
        ),
        of("that-is-relative", "whose resource is a path.", invalid(), r#""{path}""#),
        of("that-is-no-url", "whose resource is no URL.", invalid(), r#""http://[""#),
        of("that-is-empty", "whose resource is empty.", invalid(), r#""""#),
        of("that-is-null", "whose resource is null.", invalid(), "null"),
        of("that-is-a-number", "whose resource is a number.", invalid(), "1e400"),
        of("that-is-a-list", "whose resource is a list.", invalid(), r#"["{base}"]"#),
        of("that-is-an-object", "whose resource is an object.", invalid(), r#"{"url":"{base}"}"#),
        Document::Resource.text(
            "without-a-resource",
            "without a resource.",
            invalid(),
            r#"{"authorization_servers":["{base}"]}"#,
        ),
        Document::Resource.text(
            "with-two-resources",
            "with two resources, of which the last is right.",
            ok(&[]),
            r#"{"resource":"http://mcp.example/","authorization_servers":["{base}"],"resource":"{base}"}"#,
        ),
        Document::Resource.text(
            "with-other-members",
            "with every member there is, and some there are not.",
            ok(&[]),
            r#"{"resource":"{base}","authorization_servers":["{base}"],"jwks_uri":"{base}/{astray}",
            "resource_documentation":"http://{trap}/{astray}","resource_policy_uri":5,"scopes_supported":null,
            "bearer_methods_supported":[[]],"signed_metadata":"e30.e30.","issuer":"{base}/{astray}",
            "x":{"y":[1]}}"#,
        ),
    ]
}

/// What the list of authorization servers holds.
fn lists() -> Vec<Behaviour> {
    let none = || partial(&[Note::NoAuthorizationServer]);
    let invalid = || partial(&[Note::IssuerInvalid]);
    let several = || ok(&[Note::SeveralAuthorizationServers]);
    let listing = |name: &str, says: &str, expected, list: &str| {
        let text = format!("{{\"resource\":\"{{base}}\",\"authorization_servers\":{list}}}");
        Document::Resource.text(name, says, expected, text)
    };
    let thousand = format!("[\"{{base}}\"{}]", ",\"http://{trap}/{astray}\"".repeat(999));
    vec![
        Document::Resource.text(
            "without-authorization-servers",
            "without authorization servers.",
            none(),
            r#"{"resource":"{base}"}"#,
        ),
        listing("with-no-authorization-server", "with an empty list of authorization servers.", none(), "[]"),
        listing("with-null-for-authorization-servers", "with null for the list.", none(), "null"),
        listing("with-a-text-for-authorization-servers", "with a text for the list.", none(), r#""{base}""#),
        listing(
            "with-an-object-for-authorization-servers",
            "with an object for the list.",
            none(),
            r#"{"0":"{base}"}"#,
        ),
        listing("with-a-number-in-the-list", "with a number in the list.", invalid(), "[5]"),
        listing("with-null-in-the-list", "with null in the list.", invalid(), "[null]"),
        listing("with-a-list-in-the-list", "with a list in the list.", invalid(), r#"[["{base}"]]"#),
        listing(
            "with-an-object-in-the-list",
            "with an object in the list.",
            invalid(),
            r#"[{"issuer":"{base}"}]"#,
        ),
        listing("with-an-empty-text-in-the-list", "with an empty text in the list.", invalid(), r#"[""]"#),
        listing(
            "with-the-same-authorization-server-twice",
            "with the same authorization server twice.",
            several(),
            r#"["{base}","{base}"]"#,
        ),
        listing(
            "with-a-thousand-authorization-servers",
            "with a thousand authorization servers, of which the first counts.",
            several(),
            &thousand,
        ),
        listing(
            "with-the-right-authorization-server-second",
            "with an authorization server that is none before the right one.",
            partial(&[Note::IssuerInvalid, Note::SeveralAuthorizationServers]),
            r#"["javascript:alert(1)","{base}"]"#,
        ),
    ]
}
