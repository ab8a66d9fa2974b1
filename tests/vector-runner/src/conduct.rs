//! What every probe promises about its requests, whatever the endpoint answers.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::mcp::version;
use shared::methodology::limits;
use url::Url;

use crate::run::{Outcome, Sent};
use crate::vector::{PurposeWord, Vector};

/// The only headers the machine may ask for; the transport adds Host, User-Agent, Accept-Encoding and Content-Length.
const HEADERS: &[&str] = &["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "mcp-method"];
const METHODS: &[&str] = &["initialize", "notifications/initialized", "tools/list", "server/discover"];

/// What a conversation did that no probe may do, one sentence each.
#[must_use]
pub fn breaches(vector: &Vector, outcome: &Outcome) -> Vec<String> {
    let mut found = Vec::new();
    let mut redirected = false;
    for sent in &outcome.sent {
        let mut say =
            |what: String| found.push(format!("{:?} {} {}: {what}", sent.purpose, sent.method, sent.url));
        headers(sent, &mut say);
        match sent.purpose {
            PurposeWord::ResourceMetadata | PurposeWord::AuthorizationServer => {
                document(vector, sent, &mut say);
            }
            PurposeWord::EndSession => endpoint(vector, sent, "DELETE", &mut say),
            _ => {
                let handshake = matches!(sent.purpose, PurposeWord::Initialize | PurposeWord::Discover);
                if handshake && !sent.new_connection && !redirected {
                    say("latency is measured on a new connection".to_owned());
                }
                endpoint(vector, sent, "POST", &mut say);
                body(sent, &mut say);
            }
        }
        redirected = matches!(sent.status, Some(307 | 308));
    }
    found.extend(ids(&outcome.sent));
    found.extend(negotiated(outcome));
    found.extend(session(&outcome.sent));
    found.extend(counts(&outcome.sent));
    found
}

fn header<'a>(sent: &'a Sent, wanted: &str) -> Option<&'a str> {
    sent.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

fn headers(sent: &Sent, say: &mut impl FnMut(String)) {
    let mut seen = BTreeSet::new();
    for (name, value) in &sent.headers {
        if !HEADERS.contains(&name.as_str()) {
            say(format!("header {name} is not one we send"));
        }
        if !seen.insert(name) {
            say(format!("header {name} twice"));
        }
        if !value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
            say(format!("header {name} holds bytes outside visible ASCII"));
        }
    }
}

fn origin(url: &str) -> Option<url::Origin> {
    Url::parse(url).ok().map(|url| url.origin())
}

fn endpoint(vector: &Vector, sent: &Sent, method: &str, say: &mut impl FnMut(String)) {
    if sent.method != method {
        say(format!("must be {method}"));
    }
    if origin(&sent.url) != origin(&vector.plan.endpoint) {
        say("leaves the origin of the endpoint".to_owned());
    }
}

fn document(vector: &Vector, sent: &Sent, say: &mut impl FnMut(String)) {
    let bare = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(url)
    };
    if sent.method != "GET" || sent.body.is_some() {
        say("must be a GET without a body".to_owned());
    }
    if bare(&sent.url) == bare(&vector.plan.endpoint) {
        say("fetches the endpoint itself".to_owned());
    }
    if !vector.plan.allow_private && !sent.url.starts_with("https://") {
        say("fetches a document without https".to_owned());
    }
    if header(sent, "mcp-session-id").is_some() {
        say("shows a session id to a document's host".to_owned());
    }
}

fn body(sent: &Sent, say: &mut impl FnMut(String)) {
    let accept = header(sent, "accept").unwrap_or_default();
    if !(accept.contains("application/json") && accept.contains("text/event-stream")) {
        say(format!("accept {accept:?} must list both types"));
    }
    if header(sent, "content-type") != Some("application/json") {
        say("content-type must be application/json".to_owned());
    }
    let body: Value =
        sent.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    let method = body.get("method").and_then(Value::as_str).unwrap_or_default();
    if !METHODS.contains(&method) || body.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        say(format!("{body} is not a request a probe sends"));
    }
    let meta_version =
        body.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").and_then(Value::as_str);
    let version = header(sent, "mcp-protocol-version");
    match header(sent, "mcp-method") {
        Some(named) if named != method => say(format!("mcp-method {named:?} beside method {method:?}")),
        Some(_) if version.is_none() || version != meta_version => {
            say(format!("mcp-protocol-version {version:?} beside {meta_version:?} in the body"));
        }
        Some(_) => {}
        None if method == "initialize" && version.is_some() => {
            say("initialize must not name a protocol version in a header".to_owned());
        }
        None if method != "initialize" && version.is_none() => {
            say("after initialize every request names the negotiated version".to_owned());
        }
        None => {}
    }
}

/// What follows `initialize` names the revision it negotiated.
fn negotiated(outcome: &Outcome) -> Vec<String> {
    let known =
        outcome.report.protocol_version.as_deref().filter(|version| version::era_of(version).is_some());
    let Some(version) = known else { return Vec::new() };
    let follows = |sent: &&Sent| matches!(sent.purpose, PurposeWord::Initialized | PurposeWord::ToolsList);
    let wrong = |sent: &&Sent| header(sent, "mcp-protocol-version") != Some(version);
    outcome
        .sent
        .iter()
        .filter(follows)
        .filter(wrong)
        .map(|sent| format!("{:?} does not name {version}", sent.purpose))
        .collect()
}

/// Ids are integers from 1 to 2^31-1, never equal within a probe; a redirected request keeps its own.
fn ids(sent: &[Sent]) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen: Vec<(u64, &str)> = Vec::new();
    for body in sent.iter().filter_map(|sent| sent.body.as_deref()) {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        let Some(id) = value.get("id") else { continue };
        let Some(id) = id.as_u64().filter(|id| (1..=0x7fff_ffff).contains(id)) else {
            found.push(format!("request id {id} is not an integer from 1 to 2^31-1"));
            continue;
        };
        if seen.iter().any(|(earlier, text)| *earlier == id && *text != body) {
            found.push(format!("request id {id} was used for two requests"));
        }
        seen.push((id, body));
    }
    found
}

/// A valid session id of the handshake is echoed on everything that follows, and ended last, once, redirects apart.
fn session(sent: &[Sent]) -> Vec<String> {
    let mut found = Vec::new();
    let opened = sent
        .iter()
        .rev()
        .find(|sent| {
            sent.purpose == PurposeWord::Initialize && sent.status.is_some_and(|status| status / 100 == 2)
        })
        .and_then(|sent| sent.session.as_deref());
    let valid = opened.filter(|id| !id.is_empty() && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
    for (number, request) in sent.iter().enumerate() {
        let got = header(request, "mcp-session-id");
        let modern = header(request, "mcp-method").is_some();
        let follows = matches!(
            request.purpose,
            PurposeWord::Initialized | PurposeWord::ToolsList | PurposeWord::EndSession
        );
        if follows && !modern && valid.is_some() && got != valid {
            found.push(format!("{:?} carries session {got:?}, not {valid:?}", request.purpose));
        }
        if (!follows || modern) && got.is_some() {
            found.push(format!("{:?} carries a session id", request.purpose));
        }
        let rest = sent.get(number..).unwrap_or_default();
        let ends = rest.iter().all(|later| later.purpose == PurposeWord::EndSession)
            && rest.iter().rev().skip(1).all(|later| matches!(later.status, Some(307 | 308)));
        if request.purpose == PurposeWord::EndSession && (!ends || opened.is_none()) {
            found.push("a DELETE that is not the end of a session".to_owned());
        }
    }
    found
}

fn counts(sent: &[Sent]) -> Vec<String> {
    let count = |wanted: &[PurposeWord]| sent.iter().filter(|sent| wanted.contains(&sent.purpose)).count();
    let most = [
        ("GETs of documents", count(&[PurposeWord::ResourceMetadata, PurposeWord::AuthorizationServer]), 5),
        ("pages", count(&[PurposeWord::ToolsList]), limits::TOOL_PAGES * (1 + limits::REDIRECT_HOPS)),
        (
            "handshakes",
            count(&[PurposeWord::Initialize, PurposeWord::Discover]),
            3 * (limits::REDIRECT_HOPS + 1),
        ),
        ("DELETEs", count(&[PurposeWord::EndSession]), 1 + limits::REDIRECT_HOPS),
    ];
    most.iter()
        .filter(|(_, count, most)| count > most)
        .map(|(what, count, most)| format!("{count} {what}, at most {most}"))
        .collect()
}
