//! Challenges as the standards allow them: the document is found in each.

use super::{challenge, found, header, with_lines};
use crate::hostile::Behaviour;

pub(super) fn behaviours() -> Vec<Behaviour> {
    let read = |name: &str, says: &str, value: &str| challenge(name, says, found(&[]), value);
    let read_lines = |name: &str, says: &str, lines: Vec<u8>| with_lines(401, name, says, found(&[]), lines);
    vec![
        read("plain", "One Bearer challenge that names its document.", "Bearer {document}"),
        read_lines(
            "of-any-case",
            "The scheme and the parameter in odd case.",
            "www-AUTHENTICATE: bEARer Resource_MetaData=\"{base}/named\"\r\n".into(),
        ),
        read(
            "with-everything",
            "Realm, scope, error, description and URI before the document.",
            "Bearer realm=\"mcp\", scope=\"a b\", error=\"invalid_token\", error_description=\"No token\", \
             error_uri=\"https://a.example\", {document}",
        ),
        read(
            "with-the-document-first",
            "The document before the other parameters.",
            "Bearer {document}, realm=\"mcp\", scope=\"a b\"",
        ),
        read(
            "with-commas-in-quotes",
            "Commas and challenges within quotes.",
            "Bearer realm=\"a, Basic realm=x, resource_metadata=y\", {document}",
        ),
        read(
            "with-escaped-quotes",
            "Escaped quotes and backslashes within quotes.",
            "Bearer realm=\"a \\\"b\\\" \\\\\", {document}",
        ),
        read(
            "with-an-escaped-document",
            "A document whose characters are escaped.",
            "Bearer resource_metadata=\"http:\\/\\/{host}{path}\\/named\"",
        ),
        read(
            "behind-basic",
            "Basic and Bearer in one header.",
            "Basic realm=\"x\", charset=\"UTF-8\", Bearer {document}",
        ),
        read("before-basic", "Bearer and Basic in one header.", "Bearer {document}, Basic realm=\"x\""),
        read(
            "behind-negotiate",
            "Negotiate alone, then Bearer, in one header.",
            "Negotiate, Bearer {document}",
        ),
        read(
            "behind-a-token68",
            "Negotiate with a token68, then Bearer.",
            "Negotiate YIIab/+-._~cd==, Bearer {document}",
        ),
        read(
            "behind-a-token68-padded-once",
            "A token68 that looks like a parameter, then Bearer.",
            "NTLM TlRMTVNTUAAB=, Bearer {document}",
        ),
        read(
            "behind-digest",
            "Digest with its many parameters, then Bearer.",
            "Digest realm=\"a\", qop=\"auth, auth-int\", nonce=\"n,n\", algorithm=SHA-256, \
             stale=false, Bearer {document}",
        ),
        read(
            "behind-dpop",
            "DPoP that names another document, then Bearer.",
            "DPoP algs=\"ES256\", {elsewhere}, Bearer {document}",
        ),
        read(
            "on-the-second-line",
            "Two headers, Bearer in the second.",
            "Basic realm=\"x\"\r\nWWW-Authenticate: Bearer {document}",
        ),
        read(
            "on-two-lines",
            "Two Bearer headers, the document in the second.",
            "Bearer realm=\"x\"\r\nWWW-Authenticate: Bearer {document}",
        ),
        read_lines(
            "on-the-fiftieth-line",
            "Fifty headers, Bearer in the last.",
            [header("Basic realm=\"x\"").repeat(49), header("Bearer {document}")].concat(),
        ),
        read(
            "with-empty-elements",
            "Empty elements between commas.",
            ", ,Bearer ,, realm=\"x\" , ,{document},, ",
        ),
        read(
            "with-blanks-around-equals",
            "White space around the equals sign.",
            "Bearer resource_metadata = \"{base}/named\"",
        ),
        read(
            "with-many-blanks",
            "Many blanks behind the scheme.",
            "    Bearer     realm=x ,     {document}    ",
        ),
        read(
            "with-unknown-parameters",
            "Parameters nobody knows.",
            "Bearer x-1=a, !#$%&'*+-.^_`|~=b, {document}",
        ),
        read(
            "folded",
            "One header over two lines, as HTTP once allowed.",
            "Bearer realm=\"x\",\r\n {document}",
        ),
        read("with-an-empty-realm", "A realm without a letter.", "Bearer realm=\"\", {document}"),
        read(
            "with-a-fragment",
            "A document with a fragment, which is not sent.",
            "Bearer resource_metadata=\"{base}/named#x\"",
        ),
        read(
            "with-a-query",
            "A document with a query.",
            "Bearer resource_metadata=\"{base}/named?a=b,c&d=e\"",
        ),
    ]
}
