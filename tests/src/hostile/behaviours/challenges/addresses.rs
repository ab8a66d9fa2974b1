//! What a challenge names, where it is no document of the endpoint's.

use shared::outcome::{FrontDoor, FrontDoorNote as Note};

use super::{challenge, found};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let partial = |notes: &[Note]| Expected::door(FrontDoor::Partial, notes);
    let refused = || partial(&[Note::MetadataMissing, Note::MetadataUrlRefused]);
    let table: Vec<(&str, Expected, &str)> = vec![
        ("a-relative-document", found(&[]), "{path}/named"),
        ("a-document-without-a-scheme", found(&[]), "//{host}{path}/named"),
        ("a-missing-document", partial(&[Note::MetadataMissing]), "{base}/nowhere"),
        ("the-endpoint", partial(&[Note::MetadataInvalid, Note::MetadataMissing]), "{base}"),
        ("the-endpoint-with-a-query", partial(&[Note::MetadataInvalid, Note::MetadataMissing]), "{base}?x=y"),
        (
            "the-endpoint-escaped",
            partial(&[Note::MetadataInvalid, Note::MetadataMissing]),
            "http://{host}/%63hallenge-for-the-endpoint-escaped",
        ),
        (
            "the-endpoint-in-decimal",
            partial(&[Note::MetadataInvalid, Note::MetadataMissing]),
            "http://2130706433:{port}{path}#x",
        ),
        ("a-script", refused(), "javascript:alert(1)"),
        ("data", refused(), "data:application/json,{}"),
        ("a-file", refused(), "file:///etc/passwd"),
        ("ftp", refused(), "ftp://{trap}/{astray}"),
        ("what-is-no-url", partial(&[Note::MetadataMissing]), "http://["),
        ("a-document-with-a-password", refused(), "http://me:secret@{host}{path}/{astray}"),
        ("another-host-over-http", refused(), "http://mcp.example/{astray}"),
        ("the-metadata-service", refused(), "http://169.254.169.254/latest/meta-data/"),
        ("the-metadata-service-in-decimal", refused(), "http://2852039166/latest/meta-data/"),
        ("the-metadata-service-in-octal", refused(), "http://0251.0376.0251.0376/"),
        ("the-metadata-service-in-hexadecimal", refused(), "http://0xa9fea9fe/"),
        ("the-metadata-service-in-ipv6", refused(), "http://[::ffff:169.254.169.254]/"),
        ("a-private-address", refused(), "http://10.0.0.1/{astray}"),
        ("a-link-local-address", refused(), "http://[fe80::1]/{astray}"),
        ("no-address", refused(), "http://0.0.0.0:{port}/{astray}"),
        ("this-machine-mapped-into-ipv6", refused(), "http://[::ffff:127.0.0.9]:{port}/{astray}"),
        (
            "a-port-nobody-listens-on",
            partial(&[Note::MetadataOffOrigin, Note::MetadataMissing]),
            "http://127.0.0.1:1/x",
        ),
    ];
    let mut all: Vec<Behaviour> =
        table.into_iter().map(|(name, expected, named)| naming(name, expected, named)).collect();
    let unseen = Expected::door_not_observed(&[Note::MetadataOffOrigin, Note::MetadataNotObserved]);
    all.push(naming("an-https-port-that-is-http", unseen, "https://{host}/{astray}").waits());
    all
}

/// A challenge that names this.
fn naming(name: &str, expected: Expected, named: &str) -> Behaviour {
    let shown = [
        ("{astray}", "x"),
        ("{trap}", "127.0.0.9"),
        ("{base}", "(endpoint)"),
        ("{host}", "(host)"),
        ("{path}", "(path)"),
        ("{port}", "1"),
    ]
    .into_iter()
    .fold(named.to_owned(), |text, (from, to)| text.replace(from, to));
    let says = format!("A challenge that names {shown}.");
    challenge(format!("for-{name}"), says, expected, format!("Bearer resource_metadata=\"{named}\""))
}
