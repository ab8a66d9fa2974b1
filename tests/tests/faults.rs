//! `isitstillup-prober run` where something around it fails: no vote is lost, nothing is asked without a pause, the
//! operator is told what to do, and all goes on once it is over.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

use isitstillup_tests::faults::{Section, at_once, damage, disk, document, others, worker};

/// The document that the table is written to.
const DOCUMENT: &str = "../docs/faults.md";

/// All faults, met once for all tests.
fn sections() -> &'static [Section] {
    static MET: OnceLock<Vec<Section>> = OnceLock::new();
    MET.get_or_init(|| {
        let all: [fn() -> Vec<Section>; 4] = [
            worker::sections,
            || vec![others::section()],
            || vec![damage::section()],
            || vec![disk::section()],
        ];
        let met = at_once(&all, |met| met()).concat();
        for (fault, reason) in met.iter().flat_map(|section| &section.skipped) {
            // Past the capture of a test that passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED {fault} {reason}");
        }
        met
    })
}

#[test]
fn no_fault_breaks_a_rule() {
    let findings: Vec<&String> = sections().iter().flat_map(|section| &section.findings).collect();
    assert!(findings.is_empty(), "{} findings:\n{findings:#?}", findings.len());
}

#[test]
fn the_table_in_the_documentation_is_what_was_seen() {
    let written = document::write(sections());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let skipped: Vec<_> = sections().iter().flat_map(|section| &section.skipped).collect();
    if env::var_os("ISU_UPDATE").is_some() {
        assert!(skipped.is_empty(), "the table cannot be written here, without {skipped:#?}");
        fs::write(&path, written).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let is_skipped = |line: &&str| {
        skipped.iter().any(|(fault, _)| line.strip_prefix("| ").is_some_and(|line| line.starts_with(fault)))
    };
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let committed: String =
        committed.lines().filter(|line| !is_skipped(line)).map(|line| format!("{line}\n")).collect();
    let differs = written.lines().zip(committed.lines()).find(|(new, old)| new != old);
    assert!(
        written == committed,
        "docs/faults.md is not what was seen; to write it anew, run\n  \
         ISU_UPDATE=1 cargo test -p isitstillup-tests --test faults\nfirst difference: {differs:#?}"
    );
}
