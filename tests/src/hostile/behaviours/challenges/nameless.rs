//! Challenges that name no document.

use shared::outcome::FrontDoorNote as Note;

use super::{bare, challenge, with_lines};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let nameless = || bare(&[Note::ChallengeNamesNoDocument]);
    let table: Vec<(&str, &str, Expected, &str)> = vec![
        ("alone", "Bearer and nothing else.", nameless(), "Bearer"),
        ("with-a-realm-alone", "Bearer with a realm.", nameless(), "Bearer realm=\"x\""),
        ("with-a-token68", "Bearer with a token68.", nameless(), "Bearer abc123=="),
        (
            "with-an-empty-document",
            "Bearer that names an empty document.",
            nameless(),
            "Bearer resource_metadata=\"\"",
        ),
        ("of-basic", "Basic alone.", bare(&[]), "Basic realm=\"x\""),
        (
            "of-basic-with-a-document",
            "Basic that names a document.",
            bare(&[]),
            "Basic realm=\"x\", {elsewhere}",
        ),
        ("of-an-unknown-scheme", "A scheme nobody knows.", bare(&[]), "X-Api-Key header=\"X-Key\""),
        ("of-a-longer-scheme", "A scheme that begins with Bearer.", bare(&[]), "BearerToken {elsewhere}"),
        (
            "within-a-realm",
            "A Bearer challenge within the realm of another.",
            bare(&[]),
            "Basic realm=\"x, Bearer resource_metadata={base}/{astray}\"",
        ),
    ];
    let other =
        |name: &str, says: &str, line: &str| with_lines(401, name, says, bare(&[Note::NoChallenge]), line);
    let mut all = vec![other("missing", "401 without a challenge.", "")];
    all.extend(table.into_iter().map(|(name, says, expected, value)| challenge(name, says, expected, value)));
    all.extend([
        other(
            "of-a-proxy",
            "A proxy's challenge, which is not the endpoint's.",
            "Proxy-Authenticate: Bearer {elsewhere}\r\n",
        ),
        other(
            "by-a-link",
            "The document named by a Link header.",
            "Link: <{base}/{astray}>; rel=\"oauth-protected-resource\"\r\n",
        ),
    ]);
    all
}
