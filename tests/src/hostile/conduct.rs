//! What `/probe.txt` promises of our requests, asserted on what a server was really asked.

use std::collections::BTreeSet;

use shared::methodology::{USER_AGENT, limits};

use super::request::{Kind, Request};
use super::trap::ASTRAY;

/// Every header a probe sends, in lower case.
const HEADERS: [&str; 9] = [
    "host",
    "user-agent",
    "accept-encoding",
    "accept",
    "content-type",
    "content-length",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
];
/// Requests of one kind, redirects of each included.
const HOPS: usize = 1 + limits::REDIRECT_HOPS;

/// What of these requests is not promised, one sentence each. `endpoint` is the path of the MCP endpoint.
#[must_use]
pub fn breaches(endpoint: &str, asked: &[Request]) -> Vec<String> {
    let mut found: Vec<String> = asked.iter().flat_map(|request| of_one(endpoint, request)).collect();
    let count = |kinds: &[Kind]| asked.iter().filter(|request| kinds.contains(&request.kind())).count();
    let pages = asked
        .iter()
        .filter(|request| request.kind() == Kind::ToolsList)
        .map(|request| request.id().to_string())
        .collect::<BTreeSet<_>>()
        .len();
    // A handshake may fall forward and renegotiate, once each.
    for (what, count, most) in [
        ("handshakes", count(&[Kind::Initialize, Kind::Discover]), 3 * HOPS),
        ("notifications", count(&[Kind::Initialized]), HOPS),
        ("pages of tools", pages, limits::TOOL_PAGES),
        ("requests for pages of tools", count(&[Kind::ToolsList]), limits::TOOL_PAGES * HOPS),
        ("GETs", count(&[Kind::ResourceMetadata, Kind::AuthorizationServer]), limits::DOCUMENT_GETS),
        ("GETs of any kind", methods(asked, "GET"), limits::DOCUMENT_GETS),
        ("DELETEs", count(&[Kind::EndSession]), HOPS),
    ] {
        if count > most {
            found.push(format!("{count} {what}, at most {most}"));
        }
    }
    found.extend(repeated(asked));
    found
}

fn methods(asked: &[Request], method: &str) -> usize {
    asked.iter().filter(|request| request.method == method).count()
}

fn of_one(endpoint: &str, request: &Request) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |what: String| found.push(format!("{} {}: {what}", request.method, request.target));
    match (request.method.as_str(), request.kind()) {
        ("POST", Kind::Initialize | Kind::Discover | Kind::Initialized | Kind::ToolsList) => {}
        ("DELETE", Kind::EndSession) if request.header("mcp-session-id").is_some() => {}
        ("GET", _) if request.path() != endpoint && request.body.is_empty() => {}
        _ => say(format!("no request we promise, with body {}", request.json())),
    }
    if request.path().ends_with(ASTRAY) {
        say("led astray".to_owned());
    }
    if request.header("user-agent") != Some(USER_AGENT) {
        say(format!("user agent {:?}", request.header("user-agent")));
    }
    let mut names = BTreeSet::new();
    for (name, value) in &request.headers {
        let name = name.to_ascii_lowercase();
        if !HEADERS.contains(&name.as_str()) {
            say(format!("header {name}: {value}"));
        }
        if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            say(format!("header {name} holds {value:?}"));
        }
        if !names.insert(name.clone()) {
            say(format!("header {name} twice"));
        }
    }
    found
}

/// Nothing is tried again: the same message goes to one place once. One message of a probe may go over a new connection
/// where the kept one turned out to be closed; never the opening, which has its own, and never a DELETE.
fn repeated(asked: &[Request]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let twice: Vec<&Request> = asked
        .iter()
        .filter(|request| !seen.insert((&request.method, &request.target, &request.body)))
        .collect();
    let opens = |request: &Request| matches!(request.kind(), Kind::Initialize | Kind::Discover);
    let lost = |request: &Request| twice.len() == 1 && request.method != "DELETE" && !opens(request);
    twice
        .iter()
        .filter(|request| !lost(request))
        .map(|request| format!("{} {} was sent twice", request.method, request.target))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Request {
        let mut all = vec![("User-Agent".to_owned(), USER_AGENT.to_owned())];
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let (method, target) = (method.to_owned(), target.to_owned());
        Request { method, target, headers: all, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn what_is_not_promised_is_found() {
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
        assert_eq!(breaches("/x", &[request("POST", "/x", &[], initialize)]), [""; 0]);
        let table = [
            request("GET", "/x", &[], ""),
            request("GET", "/x?y", &[], ""),
            request("HEAD", "/x", &[], ""),
            request("POST", "/x/astray", &[], initialize),
            request("GET", "/astray", &[], ""),
            request("OPTIONS", "/x", &[], ""),
            request("DELETE", "/x", &[], ""),
            request("POST", "/x", &[], call),
            request("POST", "/x", &[], ""),
            request("POST", "/x", &[("Origin", "null")], initialize),
            request("POST", "/x", &[("cookie", "a=b")], initialize),
            request("POST", "/x", &[("Authorization", "Bearer x")], initialize),
            request("POST", "/x", &[("User-Agent", "curl")], initialize),
            request("POST", "/x", &[("Accept", "\u{1b}[2J")], initialize),
        ];
        for request in table {
            assert_ne!(breaches("/x", std::slice::from_ref(&request)), [""; 0], "{request:?}");
        }
        let document = |number| request("GET", &format!("/.well-known/{number}"), &[], "");
        assert_eq!(breaches("/x", &(0..5).map(document).collect::<Vec<_>>()), [""; 0]);
        assert_ne!(breaches("/x", &(0..6).map(document).collect::<Vec<_>>()), [""; 0]);
        let pairs = |numbers: [u8; 4]| numbers.map(document);
        assert_eq!(breaches("/x", &pairs([1, 1, 2, 3])), [""; 0], "a kept connection may be found closed");
        assert_ne!(breaches("/x", &pairs([1, 1, 2, 2])), [""; 0], "once a probe");
        let opening = request("POST", "/x", &[], initialize);
        assert_ne!(breaches("/x", &[opening.clone(), opening]), [""; 0], "the opening is never sent again");
    }
}
