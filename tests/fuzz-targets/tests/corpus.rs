//! Every file of the corpus keeps to the laws of its target, and targets, binaries and corpus folders agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fuzz_targets::TARGETS;

/// What the corpus may weigh in a checkout.
const MOST_BYTES: usize = 300_000;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn stems(paths: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    paths.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn names() -> BTreeSet<String> {
    TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn every_file_keeps_to_the_laws() {
    let mut bytes = 0;
    for (name, run) in TARGETS {
        let files = entries(&folder().join("corpus").join(name));
        assert!(!files.is_empty(), "the corpus of {name} is empty");
        for file in files {
            // Shown where the test fails.
            println!("{}", file.display());
            let data = fs::read(&file).unwrap();
            bytes += data.len();
            run(&data);
        }
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of corpus: keep the small files");
}

#[test]
fn targets_have_a_corpus_and_a_binary_each() {
    assert_eq!(stems(&entries(&folder().join("corpus"))), names(), "folders of the corpus");
    let fuzz = folder().join("../../fuzz");
    assert_eq!(stems(&entries(&fuzz.join("targets"))), names(), "sources in fuzz/targets");
    let manifest: toml::Table = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap().parse().unwrap();
    let binaries = manifest["bin"].as_array().unwrap();
    let bins: BTreeSet<String> =
        binaries.iter().map(|bin| bin["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(bins, names(), "binaries in fuzz/Cargo.toml");
    for name in names() {
        let source = fs::read_to_string(fuzz.join("targets").join(format!("{name}.rs"))).unwrap();
        assert!(source.contains(&format!("fuzz_targets::{name}(")), "fuzz/targets/{name}.rs runs its target");
    }
}

#[test]
fn any_bytes_have_an_answer() {
    for (name, run) in TARGETS {
        for data in [&b""[..], b"\0", b"\n", b"\xff\xfe", b"\x1e\x1e", b"{}", b"\x01", &[0x80; 64]] {
            println!("{name}: {data:?}");
            run(data);
        }
    }
}
