//! `WWW-Authenticate` in every legal shape and in many illegal ones. The document that a challenge names lies where
//! only a reader of the challenge looks.

use shared::outcome::{Class, FrontDoor, FrontDoorNote as Note, Reason};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = legal();
    all.extend(without_a_document());
    all.extend(illegal());
    all.extend(odd_documents());
    all.extend(other_statuses());
    all
}

/// Asks for authorization with these header lines, in which [`Exchange::fill`] fills in.
fn challenge(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    fields: impl Into<Vec<u8>>,
) -> Behaviour {
    under(401, name, says, expected, fields)
}

fn under(
    status: u16,
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    fields: impl Into<Vec<u8>>,
) -> Behaviour {
    let fields = fields.into();
    Behaviour::new(format!("challenge-{}", name.into()), says, expected, move |exchange| {
        match exchange.request.kind() {
            Kind::Initialize => ask(exchange, status, &fields),
            Kind::AuthorizationServer if exchange.request.path().contains("oauth-authorization-server/") => {
                let base = exchange.base();
                exchange.json(&good::authorization_server(&base))
            }
            _ if exchange.request.path().ends_with("/named") => {
                let base = exchange.base();
                exchange.json(&good::resource_metadata(&base))
            }
            _ => exchange.good(),
        }
    })
}

fn ask(exchange: &mut Exchange<'_>, status: u16, fields: &[u8]) -> std::io::Result<()> {
    exchange.raw(format!("HTTP/1.1 {status} Hostile\r\nContent-Length: 0\r\n"))?;
    match std::str::from_utf8(fields) {
        Ok(text) => exchange.raw(exchange.fill(text))?,
        Err(_) => exchange.raw(fields)?,
    }
    exchange.raw("\r\n")
}

fn legal() -> Vec<Behaviour> {
    let table = [
        (
            "plain",
            "One Bearer challenge that names its document.",
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "of-any-case",
            "The scheme and the parameter in odd case.",
            "www-AUTHENTICATE: bEARer Resource_MetaData=\"{base}/named\"\r\n",
        ),
        (
            "with-everything",
            "Realm, scope, error, description and URI before the document.",
            "WWW-Authenticate: Bearer realm=\"mcp\", scope=\"a b\", error=\"invalid_token\", error_description=\"No token\", error_uri=\"https://a.example\", resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "with-the-document-first",
            "The document before the other parameters.",
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named\", realm=\"mcp\", scope=\"a b\"\r\n",
        ),
        (
            "with-commas-in-quotes",
            "Commas and challenges within quotes.",
            "WWW-Authenticate: Bearer realm=\"a, Basic realm=x, resource_metadata=y\", resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "with-escaped-quotes",
            "Escaped quotes and backslashes within quotes.",
            "WWW-Authenticate: Bearer realm=\"a \\\"b\\\" \\\\\", resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "with-an-escaped-document",
            "A document whose characters are escaped.",
            "WWW-Authenticate: Bearer resource_metadata=\"http:\\/\\/{host}{path}\\/named\"\r\n",
        ),
        (
            "behind-basic",
            "Basic and Bearer in one header.",
            "WWW-Authenticate: Basic realm=\"x\", charset=\"UTF-8\", Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "before-basic",
            "Bearer and Basic in one header.",
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named\", Basic realm=\"x\"\r\n",
        ),
        (
            "behind-negotiate",
            "Negotiate alone, then Bearer, in one header.",
            "WWW-Authenticate: Negotiate, Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "behind-a-token68",
            "Negotiate with a token68, then Bearer.",
            "WWW-Authenticate: Negotiate YIIab/+-._~cd==, Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "behind-a-token68-padded-once",
            "A token68 that looks like a parameter, then Bearer.",
            "WWW-Authenticate: NTLM TlRMTVNTUAAB=, Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "behind-digest",
            "Digest with its many parameters, then Bearer.",
            "WWW-Authenticate: Digest realm=\"a\", qop=\"auth, auth-int\", nonce=\"n,n\", algorithm=SHA-256, stale=false, Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "behind-dpop",
            "DPoP that names another document, then Bearer.",
            "WWW-Authenticate: DPoP algs=\"ES256\", resource_metadata=\"{base}/{astray}\", Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "on-the-second-line",
            "Two headers, Bearer in the second.",
            "WWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "on-two-lines",
            "Two Bearer headers, the document in the second.",
            "WWW-Authenticate: Bearer realm=\"x\"\r\nWWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        ("on-the-fiftieth-line", "Fifty headers, Bearer in the last.", ""),
        (
            "with-empty-elements",
            "Empty elements between commas.",
            "WWW-Authenticate: , ,Bearer ,, realm=\"x\" , ,resource_metadata=\"{base}/named\",, \r\n",
        ),
        (
            "with-blanks-around-equals",
            "White space around the equals sign.",
            "WWW-Authenticate: Bearer resource_metadata = \"{base}/named\"\r\n",
        ),
        (
            "with-many-blanks",
            "Many blanks behind the scheme.",
            "WWW-Authenticate:     Bearer     realm=x ,     resource_metadata=\"{base}/named\"    \r\n",
        ),
        (
            "with-unknown-parameters",
            "Parameters nobody knows.",
            "WWW-Authenticate: Bearer x-1=a, !#$%&'*+-.^_`|~=b, resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "folded",
            "One header over two lines, as HTTP once allowed.",
            "WWW-Authenticate: Bearer realm=\"x\",\r\n resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "with-an-empty-realm",
            "A realm without a letter.",
            "WWW-Authenticate: Bearer realm=\"\", resource_metadata=\"{base}/named\"\r\n",
        ),
        (
            "with-a-fragment",
            "A document with a fragment, which is not sent.",
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named#x\"\r\n",
        ),
        (
            "with-a-query",
            "A document with a query.",
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named?a=b,c&d=e\"\r\n",
        ),
    ];
    let fifty = "WWW-Authenticate: Basic realm=\"x\"\r\n".repeat(49)
        + "WWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\n";
    table
        .into_iter()
        .map(|(name, says, fields)| {
            let fields = if fields.is_empty() { fifty.as_str() } else { fields };
            challenge(name, says, found(&[]), fields)
        })
        .collect()
}

/// The challenge was read, and the documents are right.
fn found(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Ok, &[&[Note::MetadataFromChallenge], notes].concat())
}

/// Nothing was read that names a document, and nothing is published.
fn bare(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Bare, &[&[Note::MetadataMissing], notes].concat())
}

fn without_a_document() -> Vec<Behaviour> {
    let nameless = || bare(&[Note::ChallengeNamesNoDocument]);
    let table: Vec<(&str, &str, Expected, &str)> = vec![
        ("missing", "401 without a challenge.", bare(&[Note::NoChallenge]), ""),
        ("alone", "Bearer and nothing else.", nameless(), "WWW-Authenticate: Bearer\r\n"),
        (
            "with-a-realm-alone",
            "Bearer with a realm.",
            nameless(),
            "WWW-Authenticate: Bearer realm=\"x\"\r\n",
        ),
        ("with-a-token68", "Bearer with a token68.", nameless(), "WWW-Authenticate: Bearer abc123==\r\n"),
        (
            "with-an-empty-document",
            "Bearer that names an empty document.",
            nameless(),
            "WWW-Authenticate: Bearer resource_metadata=\"\"\r\n",
        ),
        ("of-basic", "Basic alone.", bare(&[]), "WWW-Authenticate: Basic realm=\"x\"\r\n"),
        (
            "of-basic-with-a-document",
            "Basic that names a document.",
            bare(&[]),
            "WWW-Authenticate: Basic realm=\"x\", resource_metadata=\"{base}/{astray}\"\r\n",
        ),
        (
            "of-an-unknown-scheme",
            "A scheme nobody knows.",
            bare(&[]),
            "WWW-Authenticate: X-Api-Key header=\"X-Key\"\r\n",
        ),
        (
            "of-a-longer-scheme",
            "A scheme that begins with Bearer.",
            bare(&[]),
            "WWW-Authenticate: BearerToken resource_metadata=\"{base}/{astray}\"\r\n",
        ),
        (
            "within-a-realm",
            "A Bearer challenge within the realm of another.",
            bare(&[]),
            "WWW-Authenticate: Basic realm=\"x, Bearer resource_metadata={base}/{astray}\"\r\n",
        ),
        (
            "of-a-proxy",
            "A proxy's challenge, which is not the endpoint's.",
            bare(&[Note::NoChallenge]),
            "Proxy-Authenticate: Bearer resource_metadata=\"{base}/{astray}\"\r\n",
        ),
        (
            "by-a-link",
            "The document named by a Link header.",
            bare(&[Note::NoChallenge]),
            "Link: <{base}/{astray}>; rel=\"oauth-protected-resource\"\r\n",
        ),
    ];
    table.into_iter().map(|(name, says, expected, fields)| challenge(name, says, expected, fields)).collect()
}

fn illegal() -> Vec<Behaviour> {
    let unread = |notes: &[Note]| bare(&[&[Note::ChallengeUnparsable], notes].concat());
    let half = || found(&[Note::ChallengeUnparsable]);
    let table: Vec<(&str, &str, Expected, Vec<u8>)> = vec![
        ("without-a-value", "An empty header.", bare(&[]), b"WWW-Authenticate:\r\n".into()),
        ("of-commas", "Commas and nothing else.", bare(&[]), b"WWW-Authenticate: ,,,,\r\n".into()),
        ("of-a-quote", "A quote and nothing else.", unread(&[]), b"WWW-Authenticate: \"\r\n".into()),
        ("without-a-scheme", "Parameters without a scheme.", unread(&[]), b"WWW-Authenticate: resource_metadata=\"{base}/{astray}\"\r\n".into()),
        ("of-json", "JSON for a challenge.", unread(&[]), br#"WWW-Authenticate: {"error":"invalid_token"}"#.iter().chain(b"\r\n").copied().collect()),
        ("with-an-open-quote", "A quote that never ends.", unread(&[Note::ChallengeNamesNoDocument]), b"WWW-Authenticate: Bearer resource_metadata=\"{base}/{astray}\r\n".into()),
        ("with-an-escape-at-its-end", "A backslash at the end.", unread(&[Note::ChallengeNamesNoDocument]), b"WWW-Authenticate: Bearer resource_metadata=\"{base}/{astray}\\\r\n".into()),
        ("with-an-open-quote-before", "A quote that never ends, before the document.", unread(&[Note::ChallengeNamesNoDocument]), b"WWW-Authenticate: Bearer realm=\"x, resource_metadata={base}/{astray}\r\n".into()),
        ("without-quotes", "A document without its quotes.", found(&[]), b"WWW-Authenticate: Bearer resource_metadata={base}/named\r\n".into()),
        ("in-single-quotes", "A document in single quotes.", Expected::door(FrontDoor::Partial, &[Note::MetadataMissing]), b"WWW-Authenticate: Bearer resource_metadata='{base}/named'\r\n".into()),
        ("without-commas", "Blanks for commas.", found(&[]), b"WWW-Authenticate: Bearer realm=\"x\" resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-semicolons", "Semicolons for commas.", half(), b"WWW-Authenticate: Bearer realm=\"x\"; resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-a-colon", "A colon behind the scheme.", half(), b"WWW-Authenticate: Bearer: resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-a-comma-behind-the-scheme", "A comma behind the scheme.", found(&[]), b"WWW-Authenticate: Bearer, resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-the-document-twice", "Two documents, of which the first counts.", found(&[]), b"WWW-Authenticate: Bearer resource_metadata=\"{base}/named\", resource_metadata=\"{base}/{astray}\"\r\n".into()),
        ("with-two-documents", "Two Bearer challenges, of which the first counts.", found(&[]), b"WWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\nWWW-Authenticate: Bearer resource_metadata=\"{base}/{astray}\"\r\n".into()),
        ("with-the-realm-twice", "A realm given twice.", found(&[]), b"WWW-Authenticate: Bearer realm=\"x\", realm=\"y\", resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-rubbish-before", "Rubbish before the challenge.", half(), b"WWW-Authenticate: @@@, Bearer resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-bytes-beyond-ascii", "Bytes beyond ASCII in the realm.", found(&[]), "WWW-Authenticate: Bearer realm=\"gr\u{fc}n \u{202e}\", resource_metadata=\"{base}/named\"\r\n".into()),
        ("with-bytes-of-no-encoding", "Bytes that are no text in the realm.", bare(&[Note::ChallengeNamesNoDocument]), b"WWW-Authenticate: Bearer realm=\"\xff\xfe\xc3\"\r\n".into()),
        ("with-a-scheme-beyond-ascii", "A scheme beyond ASCII.", unread(&[]), "WWW-Authenticate: B\u{e9}arer x=\"y\"\r\n".into()),
        ("with-a-nul", "A NUL byte.", Expected::not_http(), b"WWW-Authenticate: Bearer realm=\"a\0b\"\r\n".into()),
        ("with-a-terminal-escape", "A terminal escape.", Expected::not_http(), b"WWW-Authenticate: Bearer realm=\"\x1b[2J\"\r\n".into()),
        ("of-seven-kibibytes", "A description of 7 KiB before the document.", found(&[]), format!("WWW-Authenticate: Bearer error_description=\"{}\", resource_metadata=\"{{base}}/named\"\r\n", "a".repeat(7 * 1024)).into()),
        ("of-sixteen-kibibytes", "A description of 16 KiB before the document.", bare(&[]), format!("WWW-Authenticate: Bearer error_description=\"{}\", resource_metadata=\"{{base}}/named\"\r\n", "a".repeat(16 * 1024)).into()),
        ("of-64-kibibytes", "A realm of 64 KiB.", Expected::headers(Class::TooLarge, Reason::HeaderTooLarge), format!("WWW-Authenticate: Bearer realm=\"{}\"\r\n", "a".repeat(64 * 1024)).into()),
        ("of-a-thousand-schemes", "A thousand schemes, then Bearer.", found(&[]), format!("WWW-Authenticate: {}Bearer resource_metadata=\"{{base}}/named\"\r\n", "X a=b, ".repeat(1_000)).into()),
        ("of-a-thousand-quotes", "A thousand quotes.", unread(&[]), format!("WWW-Authenticate: {}\r\n", "\"".repeat(1_001)).into()),
        ("of-backslashes", "Quoted backslashes without end.", unread(&[Note::ChallengeNamesNoDocument]), format!("WWW-Authenticate: Bearer realm=\"{}\r\n", "\\".repeat(5_000)).into()),
    ];
    table.into_iter().map(|(name, says, expected, fields)| challenge(name, says, expected, fields)).collect()
}

/// What a challenge names, where it is no document of the endpoint's.
fn odd_documents() -> Vec<Behaviour> {
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
        (
            "an-https-port-that-is-http",
            Expected::door_not_observed(&[Note::MetadataOffOrigin, Note::MetadataNotObserved]),
            "https://{host}/{astray}",
        ),
    ];
    table
        .into_iter()
        .map(|(name, expected, named)| {
            let says = format!(
                "A challenge that names {}.",
                named.replace("{astray}", "x").replace("{trap}", "127.0.0.9")
            );
            let fields = format!("WWW-Authenticate: Bearer resource_metadata=\"{named}\"\r\n");
            challenge(
                format!("for-{name}"),
                says.replace("{base}", "(endpoint)")
                    .replace("{host}", "(host)")
                    .replace("{path}", "(path)")
                    .replace("{port}", "1"),
                expected,
                fields,
            )
        })
        .collect()
}

fn other_statuses() -> Vec<Behaviour> {
    let named = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"a\", resource_metadata=\"{base}/named\"\r\n";
    let forbidden = || Expected::headers(Class::Refused, Reason::Forbidden);
    let client_error = || Expected::is(Class::Http4xx).at(shared::outcome::Phase::Headers);
    let mut all = vec![
        under(403, "under-403", "403 with a Bearer challenge.", found(&[]), named),
        under(
            403,
            "under-403-without-an-error",
            "403 with a Bearer challenge that names no error.",
            found(&[]),
            "WWW-Authenticate: Bearer resource_metadata=\"{base}/named\"\r\n",
        ),
        under(
            403,
            "under-403-of-basic",
            "403 with a Basic challenge.",
            forbidden(),
            "WWW-Authenticate: Basic realm=\"x\"\r\n",
        ),
        under(
            403,
            "under-403-unreadable",
            "403 with a challenge that is none.",
            forbidden(),
            "WWW-Authenticate: \"Bearer\r\n",
        ),
        under(407, "under-407", "407 with a Bearer challenge.", client_error(), named),
        under(404, "under-404", "404 with a Bearer challenge.", client_error(), named),
        under(400, "under-400", "400 with a Bearer challenge.", client_error(), named),
        under(
            402,
            "under-402",
            "402 with a Bearer challenge.",
            Expected::headers(Class::Refused, Reason::Payment),
            named,
        ),
        under(
            429,
            "under-429",
            "429 with a Bearer challenge.",
            Expected::headers(Class::RateLimited, Reason::TooManyRequests),
            named,
        ),
        under(
            503,
            "under-503",
            "503 with a Bearer challenge.",
            Expected::is(Class::Http5xx).at(shared::outcome::Phase::Headers),
            named,
        ),
        under(
            302,
            "under-302",
            "302 with a Bearer challenge.",
            Expected::headers(Class::Redirect, Reason::OffOrigin),
            format!("Location: http://{{trap}}/{{astray}}\r\n{named}"),
        ),
        Behaviour::at_handshake(
            "challenge-under-200",
            "The right answer with a challenge beside it.",
            Expected::up(),
            |exchange| {
                let (answer, named) = (
                    exchange.good_answer().to_string(),
                    exchange.fill("Bearer resource_metadata=\"{base}/{astray}\""),
                );
                exchange.answer(200, &[JSON, ("WWW-Authenticate", &named)], answer)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-the-answer-in-it",
            "401 with the right answer as its body.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                let answer = exchange.good_answer().to_string();
                exchange.answer(401, &[JSON, ("WWW-Authenticate", "Bearer")], answer)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-an-error-in-it",
            "401 with a JSON-RPC error as its body.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                let error = good::error(&exchange.request.id(), -32_001, "Unauthorized").to_string();
                exchange.answer(401, &[JSON, ("WWW-Authenticate", "Bearer")], error)
            },
        ),
        Behaviour::at_handshake(
            "challenge-with-an-endless-page",
            "401 with a page without end.",
            bare(&[Note::ChallengeNamesNoDocument]),
            |exchange| {
                exchange.open(401, &[("WWW-Authenticate", "Bearer"), ("Content-Type", "text/html")])?;
                exchange.endless("<p>sign in")
            },
        ),
    ];
    all.extend([401, 403, 402, 451, 429].map(|status| {
        Behaviour::at_tools(
            format!("challenge-for-tools-under-{status}"),
            format!("A good handshake, and {status} with a challenge for the tools."),
            Expected::up().because(Reason::ToolsRefused),
            move |exchange| {
                let named = exchange.fill("Bearer resource_metadata=\"{base}/{astray}\"");
                exchange.answer(status, &[("WWW-Authenticate", &named)], "")
            },
        )
    }));
    all
}
