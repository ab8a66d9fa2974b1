//! Every hostile endpoint, probed by the prober's own code over real sockets: what it is called, and that nothing it
//! does makes us send, keep, show or hold what we should not.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

use isitstillup_tests::hostile::probing::{Probed, many_at_once, probe_all};
use isitstillup_tests::hostile::server::Server;
use isitstillup_tests::hostile::{Expected, behaviours, conduct, document, keeping};
use isitstillup_tests::prober::probe_with;

/// The most memory a process may hold that makes one probe: a new one holds about 20 MiB, a list of tools at its cap
/// is 4 MiB of text, and the tree that is read from it has at most `limits::JSON_VALUES` values.
const MOST_KIB: u64 = 88 * 1024;
/// The document that the table is written to.
const DOCUMENT: &str = "../docs/hostile.md";

/// All behaviours, probed once for all tests.
fn probed() -> &'static [Probed] {
    static PROBED: OnceLock<Vec<Probed>> = OnceLock::new();
    PROBED.get_or_init(|| probe_all(&behaviours::all(), Path::new(env!("CARGO_BIN_EXE_hasty-probe"))))
}

/// Fails with every finding at once: one wrong rule often shows in many behaviours.
fn none_of(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn every_behaviour_is_called_what_it_is() {
    let mut findings = Vec::new();
    for (behaviour, probed) in behaviours::all().iter().zip(probed()) {
        let seen = Expected::of(&probed.report);
        if seen != behaviour.native {
            findings.push(format!("{}: expected {}, seen {seen}", behaviour.name, behaviour.native));
        }
    }
    none_of(&findings);
}

#[test]
fn no_behaviour_makes_a_probe_send_what_is_not_promised() {
    let mut findings = Vec::new();
    for probed in probed() {
        let breaches = conduct::breaches(&format!("/{}", probed.name), &probed.asked);
        findings.extend(breaches.iter().map(|what| format!("{}: {what}", probed.name)));
    }
    none_of(&findings);
}

#[test]
fn no_behaviour_leads_a_probe_astray() {
    let strayed = probed().iter().filter(|probed| probed.strayed);
    none_of(&strayed.map(|probed| probed.name.clone()).collect::<Vec<_>>());
}

#[test]
fn nothing_is_kept_beyond_the_published_list() {
    let mut findings = Vec::new();
    for probed in probed() {
        let beyond = keeping::beyond_the_list(&probed.told);
        findings.extend(beyond.iter().map(|what| format!("{}: {what}", probed.name)));
    }
    none_of(&findings);
}

#[test]
fn nothing_a_server_sends_reaches_a_person_raw() {
    let mut findings = Vec::new();
    for probed in probed() {
        for (what, printed) in [("story", &probed.told.story), ("JSON", &probed.told.printed)] {
            let raw = keeping::raw_characters(printed);
            if !raw.is_empty() {
                findings.push(format!("{}: the {what} holds {raw:?}", probed.name));
            }
        }
    }
    none_of(&findings);
}

#[test]
fn memory_is_bounded_whatever_is_sent() {
    let mut peaks: Vec<(u64, &str)> =
        probed().iter().filter_map(|probed| Some((probed.told.peak_kib?, probed.name.as_str()))).collect();
    peaks.sort_unstable();
    for (peak, name) in peaks.iter().rev().take(5) {
        println!("{peak} KiB at most for {name}");
    }
    let over = peaks.iter().filter(|(peak, _)| *peak > MOST_KIB);
    none_of(&over.map(|(peak, name)| format!("{name}: {peak} KiB")).collect::<Vec<_>>());
}

/// One in so many is probed by the program as well.
const SAMPLE: usize = 10;

/// The program, and not only the code it is made of: what it prints is the same, times apart.
#[test]
fn the_program_says_what_its_code_says() {
    let all = behaviours::all();
    let sample: Vec<_> =
        all.iter().zip(probed()).step_by(SAMPLE).filter(|(behaviour, _)| !behaviour.waits).collect();
    let findings = many_at_once(&sample, |(behaviour, probed)| {
        let server = Server::of(behaviour, 0).unwrap_or_else(|error| panic!("{}: {error}", behaviour.name));
        let url = server.url(behaviour);
        let mut report = probe_with(&url, &server.options(behaviour));
        report.latency_ms = probed.report.latency_ms;
        // Another port, which some behaviours have us ask for in a path.
        report.requests.iter_mut().for_each(|request| *request = request.replace(&url, &probed.url));
        (report != probed.report)
            .then(|| format!("{}: {report:#?}, not {:#?}", behaviour.name, probed.report))
    });
    none_of(&findings.into_iter().flatten().collect::<Vec<_>>());
}

#[test]
fn every_behaviour_has_a_name_of_its_own_that_is_a_path() {
    let mut names = BTreeSet::new();
    for behaviour in behaviours::all() {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(behaviour.name.bytes().all(plain), "{}", behaviour.name);
        assert!(!behaviour.says.contains('\n') && behaviour.says.ends_with('.'), "{}", behaviour.name);
        assert!(names.insert(behaviour.name.clone()), "{} twice", behaviour.name);
    }
}

#[test]
fn the_table_in_the_documentation_is_what_was_seen() {
    let seen: Vec<Expected> = probed().iter().map(|probed| Expected::of(&probed.report)).collect();
    let written = document::write(&behaviours::kinds(), &seen);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    if env::var_os("ISU_UPDATE").is_some() {
        fs::write(&path, written).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(committed.lines()).find(|(new, old)| new != old);
    assert!(
        written == committed,
        "docs/hostile.md is not what was seen; to write it anew, run\n  \
         ISU_UPDATE=1 cargo test -p isitstillup-tests --test hostile\nfirst difference: {differs:#?}"
    );
}
