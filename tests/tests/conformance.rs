//! The official conformance suite's client scenarios, run on the prober: which checks pass, which cannot by design,
//! and the class that the prober makes of each server.
//!
//! The suite's exit code is not asked: the prober never registers, never asks for a token and sends no legacy request
//! with modern headers, which most scenarios count as failures. Each check's id is, in both directions: a check that
//! begins to fail and one that begins to pass are both news.

use std::collections::BTreeSet;

use isitstillup_tests::conformance;
use shared::outcome::{Class, Counted, Era, FrontDoor, FrontDoorNote, Reason};
use shared::verdict::ProbeReport;

const PATH: &str = "GET /.well-known/oauth-protected-resource/mcp";
const ROOT: &str = "GET /.well-known/oauth-protected-resource";
const SERVER: &str = "GET /.well-known/oauth-authorization-server";
const OPENID: &str = "GET /.well-known/openid-configuration";

const DOCUMENTS_READ: &[&str] = &["prm-pathbased-requested", "authorization-server-metadata"];
/// What only a client that logs in can do.
const LOGIN: &[&str] = &["client-registration", "authorization-request", "token-request"];
const LOGIN_WITH_RESOURCE: &[&str] = &[
    "client-registration",
    "authorization-request",
    "token-request",
    "resource-parameter-in-authorization",
    "resource-parameter-in-token",
];

/// Runs it, compares the checks by id, and gives what the prober printed.
fn run(scenario: &str, options: &str, passed: &[&str], failed: &[&str]) -> ProbeReport {
    let outcome = conformance::run(scenario, options);
    let expected = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    let found =
        |statuses: &[&str]| outcome.ids(statuses).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    let told = format!("{scenario} {options}: {outcome:#?}");
    assert_eq!(found(&["SUCCESS"]), expected(passed), "passed, {told}");
    assert_eq!(found(&["FAILURE", "WARNING"]), expected(failed), "failed, {told}");
    outcome.report
}

#[test]
fn a_legacy_server_is_initialized() {
    let report = run("initialize", "", &["mcp-client-initialization"], &[]);
    assert_eq!((report.class, report.reason), (Class::Up, Some(Reason::ToolsNotOffered)), "{report:#?}");
    assert_eq!((report.era, &report.violations), (Some(Era::Legacy), &vec![]));
    assert_eq!(report.requests, ["POST /", "POST /"]);
}

/// This server refuses the first request whatever it is, with the error that lists the versions it has.
#[test]
fn every_modern_request_says_what_a_modern_request_must() {
    let of_the_retry =
        ["sep-2575-client-retry-supported-version", "sep-2575-http-version-header-matches-meta"];
    let of_each_request = [
        "sep-2575-client-populates-meta",
        "sep-2575-client-sends-client-info",
        "sep-2575-http-client-sends-version-header",
    ];
    let all: Vec<_> = of_the_retry.into_iter().chain(of_each_request).collect();
    for (options, passed, failed) in [
        ("--era modern", all.as_slice(), [].as_slice()),
        // The legacy handshake that falls forward is no modern request, and is not to look like one.
        ("", &of_the_retry, &of_each_request),
    ] {
        let report = run("request-metadata", options, passed, failed);
        assert_eq!((report.class, report.reason), (Class::Up, Some(Reason::ToolsNotOffered)), "{report:#?}");
        assert_eq!((report.era, &report.violations), (Some(Era::Modern), &vec![]), "{report:#?}");
        assert_eq!(report.requests, ["POST /", "POST /"]);
    }
}

#[test]
fn modern_requests_name_their_method_in_a_header() {
    let standard = &["sep-2243-client-includes-standard-headers"];
    let report = run("http-standard-headers", "--era modern", standard, &[]);
    assert_eq!((report.class, report.era), (Class::Up, Some(Era::Modern)), "{report:#?}");
    assert_eq!(report.tools.as_ref().map(|tools| tools.count), Some(2), "{report:#?}");
    assert_eq!(report.violations, [], "a server need not name itself");

    // It answers the legacy handshake with a revision that has none.
    let report = run("http-standard-headers", "", &[], standard);
    assert_eq!(
        (report.class, report.reason),
        (Class::Degraded, Some(Reason::NoCommonVersion)),
        "{report:#?}"
    );
    assert_eq!(report.requests, ["POST /", "DELETE /"]);
}

/// What a gated server's documents must come to.
struct FrontDoorCase {
    scenario: &'static str,
    passed: &'static [&'static str],
    failed: &'static [&'static str],
    front_door: FrontDoor,
    notes: &'static [FrontDoorNote],
    documents: &'static [&'static str],
}

const FRONT_DOORS: [FrontDoorCase; 7] = [
    FrontDoorCase {
        scenario: "auth/metadata-default",
        passed: DOCUMENTS_READ,
        failed: LOGIN_WITH_RESOURCE,
        front_door: FrontDoor::Ok,
        notes: &[FrontDoorNote::MetadataFromChallenge],
        documents: &[PATH, SERVER],
    },
    FrontDoorCase {
        scenario: "auth/metadata-var1",
        passed: DOCUMENTS_READ,
        failed: LOGIN_WITH_RESOURCE,
        front_door: FrontDoor::Ok,
        notes: &[
            FrontDoorNote::ChallengeNamesNoDocument,
            FrontDoorNote::MetadataAtPath,
            FrontDoorNote::OpenidConfiguration,
        ],
        documents: &[PATH, SERVER, OPENID],
    },
    FrontDoorCase {
        scenario: "auth/metadata-var2",
        passed: DOCUMENTS_READ,
        failed: LOGIN_WITH_RESOURCE,
        front_door: FrontDoor::Ok,
        notes: &[
            FrontDoorNote::ChallengeNamesNoDocument,
            FrontDoorNote::MetadataAtRoot,
            FrontDoorNote::ResourceIsPrefix,
        ],
        documents: &[PATH, ROOT, "GET /.well-known/oauth-authorization-server/tenant1"],
    },
    FrontDoorCase {
        scenario: "auth/metadata-var3",
        passed: DOCUMENTS_READ,
        failed: LOGIN_WITH_RESOURCE,
        front_door: FrontDoor::Ok,
        notes: &[FrontDoorNote::MetadataFromChallenge, FrontDoorNote::OpenidConfiguration],
        documents: &[
            "GET /custom/metadata/location.json",
            "GET /.well-known/oauth-authorization-server/tenant1",
            "GET /.well-known/openid-configuration/tenant1",
            "GET /tenant1/.well-known/openid-configuration",
        ],
    },
    FrontDoorCase {
        scenario: "auth/2025-03-26-oauth-metadata-backcompat",
        passed: &["authorization-server-metadata"],
        failed: LOGIN,
        front_door: FrontDoor::Partial,
        notes: &[
            FrontDoorNote::ChallengeNamesNoDocument,
            FrontDoorNote::MetadataMissing,
            FrontDoorNote::OlderDiscovery,
        ],
        documents: &[PATH, ROOT, SERVER],
    },
    FrontDoorCase {
        scenario: "auth/metadata-issuer-mismatch",
        passed: &[
            "prm-pathbased-requested",
            "authorization-server-metadata",
            "sep-2468-client-validate-metadata-issuer",
        ],
        failed: &[],
        front_door: FrontDoor::Partial,
        notes: &[FrontDoorNote::MetadataFromChallenge, FrontDoorNote::IssuerMismatch],
        documents: &[PATH, SERVER, OPENID],
    },
    FrontDoorCase {
        scenario: "auth/resource-mismatch",
        passed: &["prm-pathbased-requested", "resource-mismatch-rejected"],
        failed: &[],
        front_door: FrontDoor::Partial,
        notes: &[FrontDoorNote::MetadataFromChallenge, FrontDoorNote::ResourceMismatch],
        documents: &[PATH],
    },
];

#[test]
fn a_gated_server_is_read_through_its_front_door_and_not_entered() {
    for case in FRONT_DOORS {
        let scenario = case.scenario;
        let report = run(scenario, "", case.passed, case.failed);
        assert_eq!((report.class, report.counted), (Class::AuthRequired, Counted::Success), "{scenario}");
        assert_eq!((report.http_status, report.reason), (Some(401), None), "{scenario}: {report:#?}");
        assert_eq!(report.front_door, Some(case.front_door), "{scenario}: {report:#?}");
        let notes: BTreeSet<_> = report.front_door_notes.iter().copied().collect();
        assert_eq!(notes, case.notes.iter().copied().collect(), "{scenario}");
        let requests: Vec<_> = ["POST /mcp"].iter().chain(case.documents).copied().collect();
        assert_eq!(report.requests, requests, "{scenario}");
    }
}
