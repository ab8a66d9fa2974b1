//! An outbox that is damaged, or is none of ours, when the prober starts.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

use super::scene::{Scene, comes};
use super::{Row, Section, at_once};

/// Votes that wait in it: enough for several pages of every kind.
const WAITING: u32 = 200;
/// Votes written just before a kill, which are in the write-ahead file alone.
const LAST: u32 = 3;
const END: Duration = Duration::from_secs(12);
const PAGE: u64 = 4_096;
/// The write-ahead file: its header, and what stands before each page in it.
const HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

/// What must become of the outbox.
#[derive(Clone, Copy)]
enum Fate {
    /// Its files are moved aside as they are, and a new one is begun.
    Aside,
    /// The write-ahead file alone is moved aside, and what the other file holds is delivered.
    WriteAheadAside,
    /// The prober refuses to start and touches nothing.
    Refused,
    /// Nothing is in it, and it is used.
    Used,
}

struct Damage {
    name: &'static str,
    says: &'static str,
    /// The prober was killed before, so that a write-ahead file is there.
    killed: bool,
    harm: fn(&Harmed),
    told: &'static str,
    fate: Fate,
}

/// The files to harm.
struct Harmed {
    file: PathBuf,
    write_ahead: PathBuf,
}

const DAMAGES: [Damage; 13] = [
    Damage {
        name: "truncated",
        says: "The outbox is cut off in the middle.",
        killed: false,
        harm: |outbox| cut(&outbox.file, |length| length / 2 + 100),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "truncated-page",
        says: "The outbox is cut off between two pages.",
        killed: false,
        harm: |outbox| cut(&outbox.file, |length| length / 2 / PAGE * PAGE),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "truncated-header",
        says: "Ten bytes are left of the outbox.",
        killed: false,
        harm: |outbox| cut(&outbox.file, |_| 10),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "zeroed-page",
        says: "A page of the outbox is zeros.",
        killed: false,
        harm: |outbox| overwrite(&outbox.file, PAGE, &[0; PAGE as usize]),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "zeroed",
        says: "All of the outbox is zeros.",
        killed: false,
        harm: |outbox| {
            let length = fs::metadata(&outbox.file).map_or(0, |file| file.len());
            overwrite(&outbox.file, 0, &vec![0; length as usize]);
        },
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "garbage-header",
        says: "The outbox begins with something else.",
        killed: false,
        harm: |outbox| overwrite(&outbox.file, 0, &[0xa5; 100]),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "truncated-killed",
        says: "The prober was killed with `kill -9`, and the outbox is cut off in the middle.",
        killed: true,
        harm: |outbox| cut(&outbox.file, |length| length / 2),
        told: "the outbox file is damaged",
        fate: Fate::Aside,
    },
    Damage {
        name: "empty",
        says: "The outbox is an empty file.",
        killed: false,
        harm: |outbox| cut(&outbox.file, |_| 0),
        told: "probing for",
        fate: Fate::Used,
    },
    Damage {
        name: "write-ahead-header",
        says: "The prober was killed with `kill -9`, and its write-ahead file begins with something else.",
        killed: true,
        harm: |outbox| overwrite(&outbox.write_ahead, 0, &[0xa5; 16]),
        told: "the write-ahead file of the outbox is damaged",
        fate: Fate::WriteAheadAside,
    },
    Damage {
        name: "write-ahead-middle",
        says: "The prober was killed with `kill -9`, and a byte in the middle of its write-ahead file is another.",
        killed: true,
        harm: |outbox| overwrite(&outbox.write_ahead, HEADER + FRAME_HEADER + 1_000, &[0xa5]),
        told: "the write-ahead file of the outbox is damaged",
        fate: Fate::WriteAheadAside,
    },
    Damage {
        name: "write-ahead-alone",
        says: "The prober was killed with `kill -9`, and of its outbox the write-ahead file alone is left.",
        killed: true,
        harm: |outbox| fs::remove_file(&outbox.file).unwrap_or_else(|error| panic!("{error}")),
        told: "the write-ahead file of the outbox",
        fate: Fate::WriteAheadAside,
    },
    Damage {
        name: "foreign",
        says: "The outbox is a database of another program.",
        killed: false,
        harm: |outbox| {
            fs::remove_file(&outbox.file).unwrap_or_else(|error| panic!("{error}"));
            sql(&outbox.file, "CREATE TABLE precious (x); INSERT INTO precious VALUES (1);");
        },
        told: "is a database of another program",
        fate: Fate::Refused,
    },
    Damage {
        name: "newer",
        says: "The outbox was written by a later version.",
        killed: false,
        harm: |outbox| sql(&outbox.file, "PRAGMA user_version = 99"),
        told: "was written by a later version",
        fate: Fate::Refused,
    },
];

/// All of them.
#[must_use]
pub fn section() -> Section {
    let (rows, findings): (Vec<_>, Vec<_>) = at_once(&DAMAGES, meet).into_iter().unzip();
    Section { title: "A damaged outbox", rows, findings: findings.concat(), ..Section::default() }
}

fn meet(damage: &Damage) -> (Row, Vec<String>) {
    let mut findings = Vec::new();
    let mut scene = Scene::new(damage.name, WAITING, None);
    if damage.killed {
        scene.write_and_kill(LAST);
    }
    let path = scene.outbox.path().to_owned();
    let write_ahead = PathBuf::from(format!("{}-wal", path.display()));
    (damage.harm)(&Harmed { file: path, write_ahead });
    let before = scene.files();
    let mut prober = scene.start("prober");
    if !comes(|| prober.log().contains(damage.told) || prober.ended().is_some()) {
        findings.push("it says nothing".to_owned());
    }
    let told = scene.told(&prober.log(), damage.told);
    if matches!(damage.fate, Fate::Refused) {
        if prober.wait(END).code() != Some(1) {
            findings.push("it does not end with 1".to_owned());
        }
        if scene.files() != before {
            findings.push("it touched a file that is not its own".to_owned());
        }
    } else {
        let offered = scene.offer(900, 2);
        let stored = || {
            let stored = scene.worker.honest().stored();
            offered.iter().all(|key| stored.contains_key(key))
                && scene.outbox.count().is_ok_and(|count| count == 0)
        };
        if !comes(stored) {
            findings.push("it does not go on".to_owned());
        }
        prober.signal("TERM");
        if !prober.wait(END).success() {
            findings.push("it does not end well".to_owned());
        }
    }
    let delivered = scene.worker.honest().stored();
    let delivered = scene.written.keys().filter(|key| delivered.contains_key(key)).count();
    findings.extend(kept(damage.fate, &before, &scene.files()));
    let (does, votes, expected) = match damage.fate {
        Fate::Aside => {
            ("moves it aside as it is, and goes on with a new one", "kept in the file moved aside", 0)
        }
        Fate::WriteAheadAside if scene_lost_file(&before) => {
            ("moves it aside as it is, and goes on with a new one", "kept in the file moved aside", 0)
        }
        Fate::WriteAheadAside => (
            "keeps it aside as it is, and goes on",
            "delivered, but for the last, which are in the file kept aside",
            WAITING,
        ),
        Fate::Refused => ("ends with 1 and touches nothing", "left where they are", 0),
        Fate::Used => ("begins the outbox in it", "none were in it", 0),
    };
    if delivered != expected as usize {
        findings.push(format!("{delivered} votes were delivered, not {expected}"));
    }
    let log = prober.log();
    let findings = findings.into_iter().map(|what| format!("{}: {what}:\n{log}", damage.name)).collect();
    let row = Row {
        fault: damage.says.to_owned(),
        does: does.to_owned(),
        told: told.unwrap_or_default(),
        votes: votes.to_owned(),
    };
    (row, findings)
}

/// The write-ahead file is all there was.
fn scene_lost_file(before: &std::collections::BTreeMap<String, Vec<u8>>) -> bool {
    before.keys().all(|name| name.ends_with("-wal"))
}

/// What is wrong with the names and bytes of what was moved aside.
fn kept(
    fate: Fate,
    before: &std::collections::BTreeMap<String, Vec<u8>>,
    after: &std::collections::BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let is_moved = |name: &&String| match fate {
        Fate::Aside => true,
        Fate::WriteAheadAside => name.ends_with("-wal"),
        Fate::Refused | Fate::Used => false,
    };
    let mut findings = Vec::new();
    for (name, bytes) in before.iter().filter(|(name, _)| is_moved(name)) {
        let suffix = if name.ends_with("-wal") { "-wal" } else { "" };
        let found = after
            .iter()
            .any(|(name, kept)| name.contains(".damaged-") && name.ends_with(suffix) && kept == bytes);
        if !found {
            let names: Vec<_> = after.iter().map(|(name, bytes)| (name, bytes.len())).collect();
            findings.push(format!("the {} bytes of {name} are in none of {names:?}", bytes.len()));
        }
    }
    findings
}

fn cut(path: &PathBuf, to: fn(u64) -> u64) {
    let done =
        OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(to(file.metadata()?.len())));
    done.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn overwrite(path: &PathBuf, offset: u64, bytes: &[u8]) {
    let done = OpenOptions::new().write(true).open(path).and_then(|file| file.write_all_at(bytes, offset));
    done.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn sql(path: &PathBuf, statements: &str) {
    let done = Connection::open(path).and_then(|connection| connection.execute_batch(statements));
    done.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
