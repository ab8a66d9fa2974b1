//! Real MCP servers of npm and PyPI, probed by the real prober: the class of each, and every request it received.

use isitstillup_tests::endpoints;
use isitstillup_tests::prober::probe;
use shared::outcome::{Class, Counted, Era, FrontDoor, Phase, Reason};
use shared::verdict::ProbeReport;

const POST: &str = "POST /mcp";
const DELETE: &str = "DELETE /mcp";
const DOCUMENT: &str = "GET /.well-known/oauth-protected-resource/mcp";
const DOCUMENT_AT_ROOT: &str = "GET /.well-known/oauth-protected-resource";
const AUTHORIZATION_SERVER: &str = "GET /.well-known/oauth-authorization-server";

/// What every open server has in common.
fn assert_up(report: &ProbeReport, era: Era, version: &str, tools: std::ops::RangeInclusive<u32>) {
    assert_eq!((report.class, report.reason), (Class::Up, None), "{report:#?}");
    assert_eq!(report.counted, Counted::Success);
    assert_eq!(report.http_status, Some(200));
    assert!(report.latency_ms.is_some_and(|latency| latency < 20_000), "{report:#?}");
    assert_eq!((report.era, report.protocol_version.as_deref()), (Some(era), Some(version)), "{report:#?}");
    let seen = report.tools.as_ref().unwrap_or_else(|| panic!("no tools: {report:#?}"));
    assert!(seen.complete && tools.contains(&seen.count), "{seen:?}");
    assert_eq!(seen.names.len(), usize::try_from(seen.count).unwrap_or(usize::MAX));
    assert_eq!(report.tools_ok, Some(true));
    assert_eq!(report.violations, []);
    assert_eq!(report.front_door, None);
}

#[test]
fn server_everything_is_up_and_lists_the_same_tools_each_time() {
    let server = endpoints::everything();
    let report = probe(server.url());
    // 12 or 13: one tool shows once the server has seen notifications/initialized.
    assert_up(&report, Era::Legacy, "2025-11-25", 12..=13);
    assert_eq!(report.server.as_ref().map(|server| server.name.as_str()), Some("mcp-servers/everything"));
    assert_eq!(report.requests, [POST, POST, POST, DELETE]);
    let again = probe(server.url());
    assert_eq!(again.tools, report.tools);
}

#[test]
fn mcp_proxy_with_an_api_key_asks_for_authorization_and_advertises_none() {
    let server = endpoints::proxy_with_api_key();
    let report = probe(server.url());
    assert_eq!((report.class, report.counted), (Class::AuthRequired, Counted::Success), "{report:#?}");
    assert_eq!((report.front_door, report.reason), (Some(FrontDoor::Bare), None), "{report:#?}");
    assert_eq!((report.http_status, report.tools_ok), (Some(401), None));
    assert_eq!(report.requests, [POST, DOCUMENT, DOCUMENT_AT_ROOT, AUTHORIZATION_SERVER]);
}

#[test]
fn the_oauth_example_has_a_front_door_in_order() {
    let server = endpoints::oauth_example();
    let report = probe(server.url());
    assert_eq!(report.class, Class::AuthRequired, "{report:#?}");
    assert_eq!((report.front_door, report.reason), (Some(FrontDoor::Ok), None), "{report:#?}");
    assert_eq!(report.requests, [POST, DOCUMENT, AUTHORIZATION_SERVER]);
}

#[test]
fn a_closed_port_does_not_accept_the_connection() {
    let report = probe(&endpoints::closed_port());
    assert_eq!((report.class, report.counted), (Class::ConnectFailed, Counted::Failure), "{report:#?}");
    assert_eq!((report.reason, report.phase), (Some(Reason::ConnectionRefused), Some(Phase::Connect)));
    assert_eq!((report.http_status, report.latency_ms), (None, None));
    assert_eq!(report.requests, [""; 0], "nothing could be sent");
}

#[test]
fn a_dual_era_proxy_is_met_in_the_legacy_era() {
    let server = endpoints::dual_era_proxy();
    let report = probe(server.url());
    assert_up(&report, Era::Legacy, "2025-11-25", 12..=13);
    assert_eq!(report.requests, [POST, POST, POST, DELETE]);
}

#[test]
fn a_modern_only_server_is_reached_by_falling_forward() {
    let server = endpoints::modern_only();
    let report = probe(server.url());
    assert_up(&report, Era::Modern, "2026-07-28", 1..=1);
    assert_eq!(report.server.as_ref().map(|server| server.name.as_str()), Some("modern-only"));
    assert_eq!(report.requests, [POST, POST, POST]);
}

#[test]
fn the_newer_python_server_is_up() {
    let server = endpoints::fastmcp();
    let report = probe(server.url());
    assert_up(&report, Era::Legacy, "2025-11-25", 2..=2);
    assert_eq!(report.requests, [POST, POST, POST, DELETE]);
}

/// Its redirect to the slash is followed for each request. It dies on our DELETE: the probe that sent it is good, and
/// the next one sees what the fuse on DELETE is for.
#[test]
fn the_older_python_server_is_up_and_dies_on_delete() {
    let mut server = endpoints::older_python();
    let report = probe(server.url());
    assert_up(&report, Era::Legacy, "2025-03-26", 2..=2);
    assert_eq!(report.requests.first().map(String::as_str), Some(POST));
    assert_eq!(report.requests.get(1).map(String::as_str), Some("POST /mcp/"));
    assert_eq!(report.requests.last().map(String::as_str), Some("DELETE /mcp/"), "{report:#?}");
    assert!(report.requests.iter().all(|request| !request.starts_with("GET")), "{report:#?}");
    server.wait_for_end(std::time::Duration::from_secs(10));
    let next = probe(server.url());
    assert_eq!(next.class, Class::ConnectFailed, "{next:#?}");
}
