//! The laws against generated servers.

use proptest::prelude::*;
use url::Url;

use super::*;
use crate::outcome::{Era, Precision};
use crate::probe::Deadlines;

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

fn any_answer() -> impl Strategy<Value = Answer> {
    let kinds = prop::sample::select(FAULTS);
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
                headers: headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
                body: body.into(),
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
        piece in 1usize..40,
        seed: u64,
    ) {
        let broken = hold(&plan(era, precision, seed), &Script { answers, step_ms }, piece).err();
        prop_assert_eq!(broken, None);
    }
}

#[test]
fn a_request_that_never_left_is_not_listed() {
    use FaultKind::{
        ConnectionRefused, LocalNetwork, NoIpv6, NoSuchName, NotHttps, PrivateAddress, ResolverFailed,
    };
    for kind in
        [NoSuchName, ResolverFailed, PrivateAddress, NotHttps, NoIpv6, ConnectionRefused, LocalNetwork]
    {
        let script = Script { answers: vec![Answer::Fault(kind, None)], step_ms: 1 };
        let verdict = hold(&plan(None, Precision::Exact, 1), &script, 1).unwrap();
        assert_eq!(verdict.requests, Vec::<String>::new(), "{kind:?}");
    }
}
