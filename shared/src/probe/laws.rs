//! Laws of the conversation, whatever a server answers: it ends, it sends only what is published, it never panics.

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use url::Url;

use super::*;
use crate::methodology::limits::{DOCUMENT_GETS, REDIRECT_HOPS, TOOL_PAGES};
use crate::outcome::{Class, Counted, Era, Phase, Precision};
use crate::verdict::Verdict;

fn plan(era: Option<Era>, precision: Precision, seed: u64) -> Plan {
    Plan {
        endpoint: Url::parse("https://mcp.example/mcp").unwrap(),
        era,
        resource_metadata: None,
        authorization_server: None,
        end_session: true,
        precision,
        allow_private: false,
        deadlines: Deadlines::PUBLISHED,
        started_ms: 1_796_054_400_000,
        seed,
    }
}

/// One answer of a server that says anything.
#[derive(Debug, Clone)]
enum Answer {
    Fault(FaultKind, Option<Phase>),
    Response { status: u16, headers: Vec<(&'static str, String)>, body: String, end: BodyEnd },
}

fn reply(request: &Request, answer: &Answer, started_ms: u32, ended_ms: u32) -> Reply {
    let outcome = match answer {
        Answer::Fault(kind, phase) => Err(Fault { kind: *kind, phase: *phase }),
        Answer::Response { status, headers, body, end } => {
            let headers = Headers::new(headers.iter().map(|(name, value)| (*name, value.as_bytes())));
            let mut intake = Intake::new(request, *status, &headers);
            let body = body.replace("{{id}}", &sent_id(request));
            let enough = intake.flow() == Flow::Enough || intake.push(body.as_bytes()) == Flow::Enough;
            let body = intake.finish(if enough { BodyEnd::Enough } else { *end });
            Ok(Response { status: *status, headers, body })
        }
    };
    Reply { started_ms, ended_ms, outcome }
}

fn sent_id(request: &Request) -> String {
    let body: serde_json::Value = serde_json::from_str(request.body.as_deref().unwrap_or("{}")).unwrap();
    body["id"].to_string()
}

/// Runs to the end; gives the verdict and every request sent.
fn converse(plan: Plan, answers: &[Answer], step_ms: u32) -> (Verdict, Vec<Request>) {
    let (mut probe, mut step) = Probe::start(plan);
    let mut requests = Vec::new();
    let mut now_ms = 0;
    loop {
        match step {
            Step::Done(verdict) => return (*verdict, requests),
            Step::Send(request) => {
                let answer = &answers[requests.len() % answers.len()];
                let next = reply(&request, answer, now_ms, now_ms + step_ms);
                now_ms += step_ms;
                requests.push(*request);
                assert!(requests.len() < 200, "the conversation does not end");
                step = probe.next(next);
            }
        }
    }
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let kinds = prop::sample::select(vec![
        FaultKind::Timeout,
        FaultKind::NoSuchName,
        FaultKind::PrivateAddress,
        FaultKind::NotHttps,
        FaultKind::ConnectionReset,
        FaultKind::TlsHandshake,
        FaultKind::EmptyReply,
        FaultKind::Unclear,
        FaultKind::Internal,
    ]);
    let phase = prop::option::of(prop::sample::select(Phase::ALL));
    let status = prop_oneof![
        6 => Just(200u16),
        1 => prop::sample::select(vec![202, 204, 301, 307, 308, 400, 401, 402, 403, 404, 421, 429, 451, 500, 503, 520, 530]),
        1 => 100u16..1000,
    ];
    let header = prop::sample::select(vec![
        ("content-type", "application/json"),
        ("content-type", "text/event-stream"),
        ("content-type", "text/html"),
        ("location", "/mcp/"),
        ("location", "/%6Dcp"),
        ("location", "https://elsewhere.example/"),
        ("location", "/cdn-cgi/access/login"),
        ("www-authenticate", "Bearer"),
        ("www-authenticate", "Bearer resource_metadata=\"https://mcp.example/meta\""),
        ("www-authenticate", "Bearer resource_metadata=\"/mcp\""),
        ("www-authenticate", "Bearer resource_metadata=\"/m%63p\""),
        ("mcp-session-id", "abc"),
        ("mcp-session-id", "a b"),
        ("set-cookie", "a=b"),
        ("server", "cloudflare"),
        ("retry-after", "5"),
        ("cf-mitigated", "challenge"),
    ]);
    let body = prop::sample::select(vec![
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":1,"cacheScope":"public"}}"#,
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"again"}}"#,
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[]}}"#,
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28","2025-06-18"]}}}"#,
        r#"{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"tools\":[]}}\n\n",
        ": comment\n\nevent: endpoint\ndata: /messages\n\n",
        r#"{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}"#,
        r#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/a","token_endpoint":"https://as.example/t","response_types_supported":["code"]}"#,
        "<html>",
        "error code: 1016",
        "{",
        "",
    ]);
    let end = prop::sample::select(vec![
        BodyEnd::Complete,
        BodyEnd::Complete,
        BodyEnd::Complete,
        BodyEnd::Broken,
        BodyEnd::TimedOut,
        BodyEnd::Undecodable,
    ]);
    let response =
        (status, prop::collection::vec(header, 0..4), body, end).prop_map(|(status, headers, body, end)| {
            Answer::Response {
                status,
                headers: headers.into_iter().map(|(name, value)| (name, value.to_owned())).collect(),
                body: body.to_owned(),
                end,
            }
        });
    prop_oneof![1 => (kinds, phase).prop_map(|(kind, phase)| Answer::Fault(kind, phase)), 9 => response]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn every_conversation_ends_and_sends_only_what_is_published(
        answers in prop::collection::vec(any_answer(), 1..20),
        era in prop::option::of(prop::sample::select(Era::ALL)),
        precision in prop::sample::select(Precision::ALL),
        step_ms in 0u32..6_000,
        seed: u64,
    ) {
        let (verdict, requests) = converse(plan(era, precision, seed), &answers, step_ms);

        let gets = requests.iter().filter(|request| request.method == Method::Get).count();
        prop_assert!(gets <= DOCUMENT_GETS, "{gets} documents");
        let most = (3 + 1 + TOOL_PAGES + 1) * (1 + REDIRECT_HOPS) + DOCUMENT_GETS;
        prop_assert!(requests.len() <= most, "{} requests", requests.len());
        prop_assert!(verdict.requests.len() <= requests.len(), "what was not sent is not listed");

        let mut ids: Vec<String> = Vec::new();
        for request in &requests {
            let on_endpoint_origin = request.url.origin() == Url::parse("https://mcp.example").unwrap().origin();
            prop_assert!(request.method == Method::Get || on_endpoint_origin);
            let path = percent_decode_str(request.url.path()).decode_utf8_lossy();
            prop_assert!(request.method != Method::Get || path != "/mcp");
            for (name, value) in &request.headers {
                prop_assert!(!["origin", "cookie", "authorization"].contains(name));
                prop_assert!(value.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{value:?}");
            }
            prop_assert!(request.deadline_ms >= 1);
            if let Some(body) = &request.body {
                prop_assert!(!body.contains("tools/call"));
                // A redirect repeats the id, a new question has a new one.
                let id = sent_id(request);
                if id != "null" && ids.last() != Some(&id) {
                    prop_assert!(!ids.contains(&id), "id {id} came twice");
                    ids.push(id);
                }
            }
        }
        let deletes = requests.iter().position(|request| request.method == Method::Delete);
        prop_assert!(deletes.is_none_or(|at| requests[at..].iter().all(|r| r.method == Method::Delete)));
        check_verdict(&verdict)?;
    }
}

/// What holds of every verdict.
fn check_verdict(verdict: &Verdict) -> Result<(), TestCaseError> {
    let spoke = matches!(verdict.class, Class::Up | Class::Degraded);
    prop_assert!(spoke || verdict.tools.is_none());
    prop_assert!(spoke || verdict.violations.is_empty());
    prop_assert!(verdict.class != Class::Up || verdict.violations.is_empty());
    prop_assert!(verdict.class == Class::AuthRequired || verdict.front_door.is_none());
    prop_assert!(verdict.class.counted() != Counted::Success || verdict.latency_ms.is_some());
    prop_assert!(verdict.class.counted() != Counted::Success || verdict.http_status.is_some());
    prop_assert!(
        verdict.class != Class::Degraded || verdict.reason.is_some() || !verdict.violations.is_empty()
    );
    prop_assert!(verdict.violations.is_sorted());
    Ok(())
}

#[test]
fn a_request_that_never_left_is_not_listed() {
    use FaultKind::{
        ConnectionRefused, LocalNetwork, NoIpv6, NoSuchName, NotHttps, PrivateAddress, ResolverFailed,
    };
    for kind in
        [NoSuchName, ResolverFailed, PrivateAddress, NotHttps, NoIpv6, ConnectionRefused, LocalNetwork]
    {
        let answers = [Answer::Fault(kind, None)];
        let (verdict, _) = converse(plan(None, Precision::Exact, 1), &answers, 1);
        assert_eq!(verdict.requests, Vec::<String>::new(), "{kind:?}");
    }
}
