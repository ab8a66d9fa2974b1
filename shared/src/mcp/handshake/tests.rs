//! What a handshake must hold, and what is forgiven with a name.

use serde_json::json;

use super::*;

fn initialize(patch: &Value) -> Value {
    let mut result = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "a", "version": "1"},
    });
    apply(&mut result, patch);
    result
}

fn discover(patch: &Value) -> Value {
    let mut result = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0,
        "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a", "version": "1"}},
    });
    apply(&mut result, patch);
    result
}

/// Members of `patch` replace those of `result`; the text "remove" removes.
fn apply(result: &mut Value, patch: &Value) {
    let members = result.as_object_mut().unwrap();
    for (key, value) in patch.as_object().unwrap() {
        if value == "remove" {
            members.remove(key);
        } else {
            members.insert(key.clone(), value.clone());
        }
    }
}

fn server(name: &str, version: &str) -> Option<ServerIdentity> {
    Some(ServerIdentity { name: name.into(), version: version.into() })
}

#[test]
fn conforming_results_have_no_violations() {
    let expected = Handshake {
        protocol_version: Some("2025-11-25".into()),
        version_known: true,
        server: server("a", "1"),
        offers_tools: true,
        violations: vec![],
    };
    assert_eq!(read_initialize(&initialize(&json!({}))), Ok(expected.clone()));
    let expected = Handshake { protocol_version: Some("2026-07-28".into()), ..expected };
    assert_eq!(read_discover(&discover(&json!({}))), Ok(expected));
}

#[test]
fn required_members() {
    let table = [
        (json!({"protocolVersion": "remove"}), "protocolVersion"),
        (json!({"protocolVersion": null}), "protocolVersion"),
        (json!({"protocolVersion": 20251125}), "protocolVersion"),
        (json!({"capabilities": "remove"}), "capabilities"),
        (json!({"capabilities": null}), "capabilities"),
        (json!({"capabilities": true}), "capabilities"),
        (json!({"capabilities": ["tools"]}), "capabilities"),
    ];
    for (patch, member) in table {
        assert_eq!(read_initialize(&initialize(&patch)), Err(MissingMember(member)), "{patch}");
        if member == "capabilities" {
            assert_eq!(read_discover(&discover(&patch)), Err(MissingMember(member)), "{patch}");
        }
    }
    for result in [json!(null), json!("ok"), json!([]), json!({})] {
        assert!(read_initialize(&result).is_err());
        assert!(read_discover(&result).is_err());
    }
}

#[test]
fn capabilities_and_tools_of_odd_types() {
    let table = [
        (json!({}), false, vec![]),
        (json!([]), false, vec![Violation::CapabilitiesArray]),
        (json!({"tools": null}), false, vec![]),
        (json!({"tools": false}), false, vec![]),
        (json!({"tools": {"listChanged": true}}), true, vec![]),
        (json!({"tools": true}), true, vec![Violation::CapabilityType]),
        (json!({"tools": []}), true, vec![Violation::CapabilityType]),
        (json!({"tools": "yes"}), true, vec![Violation::CapabilityType]),
        (json!({"tools": 0}), true, vec![Violation::CapabilityType]),
    ];
    for (capabilities, offers_tools, violations) in table {
        let patch = json!({"capabilities": capabilities});
        for handshake in
            [read_initialize(&initialize(&patch)).unwrap(), read_discover(&discover(&patch)).unwrap()]
        {
            assert_eq!(
                (handshake.offers_tools, &handshake.violations),
                (offers_tools, &violations),
                "{capabilities}"
            );
        }
    }
}

#[test]
fn server_info() {
    let table = [
        (json!(null), None, vec![Violation::ServerInfoMissing]),
        (json!("remove"), None, vec![Violation::ServerInfoMissing]),
        (json!({"name": "a"}), server("a", ""), vec![Violation::ServerInfoInvalid]),
        (json!({"name": "a", "version": 2}), server("a", ""), vec![Violation::ServerInfoInvalid]),
        (json!({"name": "a", "version": ""}), server("a", ""), vec![]),
        (json!({"version": "1"}), None, vec![Violation::ServerInfoInvalid]),
        (json!({"name": "", "version": "1"}), None, vec![Violation::ServerInfoInvalid]),
        (json!({"name": ["a"], "version": "1"}), None, vec![Violation::ServerInfoInvalid]),
        (json!("a server"), None, vec![Violation::ServerInfoInvalid]),
    ];
    for (info, server, violations) in table {
        let legacy = read_initialize(&initialize(&json!({"serverInfo": info}))).unwrap();
        assert_eq!((&legacy.server, &legacy.violations), (&server, &violations), "{info}");
        let mut meta = json!({"io.modelcontextprotocol/serverInfo": info});
        if info == "remove" {
            meta = json!({"serverInfo": {"name": "not here", "version": "1"}});
        }
        let modern =
            read_discover(&discover(&json!({"_meta": meta, "serverInfo": {"name": "nor here"}}))).unwrap();
        // The modern era lets a server stay unnamed.
        let violations: Vec<_> =
            violations.into_iter().filter(|violation| *violation != Violation::ServerInfoMissing).collect();
        assert_eq!((&modern.server, &modern.violations), (&server, &violations), "{info}");
    }
}

#[test]
fn texts_of_the_server_are_cut_on_a_character_boundary() {
    let long = "é".repeat(100);
    let patch = json!({"serverInfo": {"name": format!("x{long}"), "version": format!("x{long}")}, "protocolVersion": format!("x{long}")});
    let handshake = read_initialize(&initialize(&patch)).unwrap();
    let server = handshake.server.unwrap();
    assert_eq!(server.name, format!("x{}", "é".repeat((cuts::SERVER_NAME - 1) / 2)));
    assert_eq!(server.version, format!("x{}", "é".repeat((cuts::SERVER_VERSION - 1) / 2)));
    assert_eq!(
        handshake.protocol_version,
        Some(format!("x{}", "é".repeat((cuts::PROTOCOL_VERSION - 1) / 2)))
    );
}

#[test]
fn versions_we_can_go_on_in() {
    for (negotiated, known) in [
        ("2024-11-05", true),
        ("2025-03-26", true),
        ("2025-06-18", true),
        ("2025-11-25", true),
        ("2026-07-28", false),
        ("2027-01-01", false),
        ("draft", false),
        ("", false),
        ("2025-11-25-and-more", false),
    ] {
        let handshake = read_initialize(&initialize(&json!({"protocolVersion": negotiated}))).unwrap();
        assert_eq!(handshake.version_known, known, "{negotiated}");
        assert_eq!(handshake.violations, [], "an unknown version is a reason of its own, no violation");
    }
}

#[test]
fn discovery_lists_versions() {
    let table = [
        (json!(["2026-07-28"]), Some("2026-07-28"), vec![]),
        (json!(["2024-11-05", "2026-07-28", 7]), Some("2026-07-28"), vec![]),
        (json!(["2025-11-25", "2027-01-01"]), None, vec![]),
        (json!([]), None, vec![]),
        (json!("remove"), Some("2026-07-28"), vec![Violation::SupportedVersionsMissing]),
        (json!(null), Some("2026-07-28"), vec![Violation::SupportedVersionsMissing]),
        (json!({"0": "2026-07-28"}), Some("2026-07-28"), vec![Violation::SupportedVersionsMissing]),
    ];
    for (versions, negotiated, violations) in table {
        let handshake = read_discover(&discover(&json!({"supportedVersions": versions}))).unwrap();
        assert_eq!(handshake.protocol_version.as_deref(), negotiated, "{versions}");
        assert_eq!(handshake.version_known, negotiated.is_some(), "{versions}");
        assert_eq!(handshake.violations, violations, "{versions}");
    }
}

#[test]
fn members_of_modern_results() {
    let table = [
        (json!({"resultType": "remove"}), vec![Violation::ResultTypeMissing]),
        (json!({"resultType": null}), vec![Violation::ResultTypeMissing]),
        (json!({"ttlMs": "remove"}), vec![Violation::TtlMissing]),
        (json!({"ttlMs": "60"}), vec![Violation::TtlMissing]),
        (json!({"ttlMs": -1}), vec![Violation::TtlMissing]),
        (json!({"ttlMs": 1e9}), vec![]),
        (json!({"cacheScope": "remove"}), vec![Violation::CacheScopeMissing]),
        (json!({"cacheScope": "shared"}), vec![Violation::CacheScopeMissing]),
        (json!({"cacheScope": "public"}), vec![]),
    ];
    for (patch, violations) in table {
        assert_eq!(read_discover(&discover(&patch)).unwrap().violations, violations, "{patch}");
    }
    for kind in [json!("input_required"), json!("Complete"), json!(1)] {
        let patch = json!({"resultType": kind});
        assert_eq!(read_discover(&discover(&patch)), Err(MissingMember("resultType")), "{kind}");
    }
}
