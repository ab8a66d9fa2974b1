//! Every vector natively: the verdict it expects, the same in every chunking, and nothing sent that is not published.

use isitstillup_tests::vectors::Vectors;
use shared::shape::Digest;
use vector_runner::{Chunking, Outcome, Vector, breaches, differences, run};

fn load() -> Vectors {
    Vectors::load().unwrap_or_else(|error| panic!("{error}"))
}

fn whole(vector: &Vector) -> Result<Outcome, String> {
    run(vector, Chunking::Whole).map_err(|fault| fault.to_string())
}

/// Fails with every finding at once: one wrong rule often shows in many vectors.
fn none_of(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn every_vector_gives_the_expected_verdict() {
    let mut findings = Vec::new();
    for vector in load().vectors {
        let found = match whole(&vector) {
            Ok(outcome) => differences(&vector, &outcome),
            Err(fault) => vec![fault],
        };
        findings.extend(found.iter().map(|what| format!("{} [{}]: {what}", vector.name, vector.rule)));
    }
    none_of(&findings);
}

#[test]
fn the_verdict_does_not_depend_on_how_bodies_arrive() {
    let mut findings = Vec::new();
    for vector in load().vectors {
        let whole = whole(&vector);
        for chunking in Chunking::ALL {
            let other = run(&vector, chunking).map_err(|fault| fault.to_string());
            if other != whole {
                findings
                    .push(format!("{}: {chunking:?} gives {other:?}, whole gives {whole:?}", vector.name));
            }
        }
    }
    none_of(&findings);
}

#[test]
fn no_vector_makes_a_probe_send_what_is_not_published() {
    let mut findings = Vec::new();
    for vector in load().vectors {
        if let Ok(outcome) = whole(&vector) {
            findings
                .extend(breaches(&vector, &outcome).iter().map(|what| format!("{}: {what}", vector.name)));
        }
    }
    none_of(&findings);
}

#[test]
fn every_recorded_exchange_is_played_back() {
    let unused = load().unused_exchanges;
    assert!(unused.is_empty(), "recorded, but no vector uses them: {unused:?}");
}

fn shape(vectors: &[Vector], name: &str) -> Digest {
    let vector =
        vectors.iter().find(|vector| vector.name == name).unwrap_or_else(|| panic!("no vector {name}"));
    whole(vector).unwrap().report.tools.unwrap().shape
}

/// The dual-era servers were seen to list equal tools in both eras, so one digest must span them.
#[test]
fn a_dual_era_server_has_one_shape() {
    let vectors = load().vectors;
    for server in ["10-npm-mcp-proxy-modern", "11-supergateway-stateless", "14-fastmcp4", "15-rmcp3-counter"]
    {
        let of = |era: &str| shape(&vectors, &format!("{server}: {era}"));
        assert_eq!(of("legacy"), of("modern"), "{server}");
    }
}

#[test]
fn the_order_of_tools_keys_and_pages_is_never_drift() {
    let vectors = load().vectors;
    let first = shape(&vectors, "tools in one order");
    for same in ["the same tools in another order of tools and keys", "the same tools over two pages"] {
        assert_eq!(shape(&vectors, same), first, "{same}");
    }
    assert_ne!(shape(&vectors, "one description reworded"), first);
}
