//! A disk without room, and an outbox that may not be written or is no file.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::scene::{Scene, comes, takes_no_votes};
use super::{Row, Section, at_once};
use crate::environment::Folder;
use crate::outbox::Outbox;
use crate::process::Running;

const WAITING: u32 = 20;
const END: Duration = Duration::from_secs(12);
/// Offered at a time while the disk fills up.
const ROUND: u32 = 40;
/// The disk is full after so many rounds, or never.
const ROUNDS: u32 = 20;

/// A limit on the length of files, which stands for a full disk where no small disk can be made. A shell that counts in
/// kilobytes gives twice as much.
const LIMIT: &str = "ulimit -S -f 128; exec \"$@\"";
const NO_ROOM_AT_ALL: &str = "ulimit -S -f 16; exec \"$@\"";
/// A disk of its own for the program, with the outbox on it.
const SMALL_DISK: &str =
    "mount -t tmpfs -o size=400k none \"$1\" && cp \"$2\" \"$1/outbox.sqlite\" && shift 2 && exec \"$@\"";
const FULL_DISK: &str = "mount -t tmpfs -o size=400k none \"$1\" && cp \"$2\" \"$1/outbox.sqlite\" && \
                         { head -c 1000000 /dev/zero >\"$1/filler\" 2>/dev/null; shift 2; exec \"$@\"; }";

/// How the prober must be started for the case to be one.
#[derive(Clone, Copy)]
enum Under {
    Nothing,
    /// Rights bind it, whoever runs the tests.
    Rights,
    Shell(&'static str),
}

/// It does not start, and does once it is mended.
struct Refusal {
    name: &'static str,
    says: &'static str,
    under: Under,
    /// Given the folder of the outbox and its path.
    spoil: fn(&Path, &Path),
    mend: fn(&Path, &Path),
    told: &'static str,
}

const REFUSALS: [Refusal; 8] = [
    Refusal {
        name: "read-only-file",
        says: "The outbox may not be written.",
        under: Under::Rights,
        spoil: |_, path| mode(path, 0o444),
        mend: |_, path| mode(path, 0o644),
        told: "may not be written",
    },
    Refusal {
        name: "read-only-folder",
        says: "The folder of the outbox may not be written.",
        under: Under::Rights,
        spoil: |folder, _| mode(folder, 0o555),
        mend: |folder, _| mode(folder, 0o755),
        told: "may be written",
    },
    Refusal {
        name: "closed-folder",
        says: "The folder of the outbox may not be entered.",
        under: Under::Rights,
        spoil: |folder, _| mode(folder, 0o000),
        mend: |folder, _| mode(folder, 0o755),
        told: "may be written",
    },
    Refusal {
        name: "no-folder",
        says: "The folder of the outbox does not exist.",
        under: Under::Nothing,
        spoil: |folder, _| moved(folder, &beside(folder)),
        mend: |folder, _| moved(&beside(folder), folder),
        told: "check that the folder",
    },
    Refusal {
        name: "folder-is-file",
        says: "The folder of the outbox is a file.",
        under: Under::Nothing,
        spoil: |folder, _| {
            moved(folder, &beside(folder));
            done(folder, fs::write(folder, "a file"));
        },
        mend: |folder, _| {
            done(folder, fs::remove_file(folder));
            moved(&beside(folder), folder);
        },
        told: "check that the folder",
    },
    Refusal {
        name: "outbox-is-folder",
        says: "The outbox is a folder.",
        under: Under::Nothing,
        spoil: |folder, path| {
            moved(path, &folder.join("kept"));
            done(path, fs::create_dir(path));
        },
        mend: |folder, path| {
            done(path, fs::remove_dir(path));
            moved(&folder.join("kept"), path);
        },
        told: "must be a file, not a folder",
    },
    Refusal {
        name: "outbox-is-device",
        says: "The outbox is a link to `/dev/null`.",
        under: Under::Nothing,
        spoil: |folder, path| {
            moved(path, &folder.join("kept"));
            done(path, std::os::unix::fs::symlink("/dev/null", path));
        },
        mend: |folder, path| {
            done(path, fs::remove_file(path));
            moved(&folder.join("kept"), path);
        },
        told: "is no file",
    },
    Refusal {
        name: "no-room-for-a-file",
        says: "The disk is full when it starts (no file may be longer than `ulimit -f 16`).",
        under: Under::Shell(NO_ROOM_AT_ALL),
        spoil: |_, _| {},
        mend: |_, _| {},
        told: "`ulimit -f`",
    },
];

/// All of them.
#[must_use]
pub fn section() -> Section {
    let mut all: Vec<Box<dyn Fn() -> Met + Sync>> = Vec::new();
    for refusal in &REFUSALS {
        all.push(Box::new(|| refuses(refusal)));
    }
    all.push(Box::new(full_at_start));
    all.push(Box::new(full_by_limit));
    all.push(Box::new(full_disk));
    let mut section = Section { title: "A disk that takes nothing", ..Section::default() };
    for met in at_once(&all, |meet| meet()) {
        match met {
            Met::Row(row, findings) => {
                section.rows.push(row);
                section.findings.extend(findings);
            }
            Met::Skipped(fault, reason) => section.skipped.push((fault.to_owned(), reason.to_owned())),
        }
    }
    section
}

enum Met {
    Row(Row, Vec<String>),
    Skipped(&'static str, &'static str),
}

fn refuses(refusal: &Refusal) -> Met {
    let scene = Scene::new(refusal.name, WAITING, None);
    let command = match refusal.under {
        Under::Nothing => Vec::new(),
        Under::Shell(script) => words(&["sh", "-c", script, "sh"]),
        Under::Rights => match bound_by_rights(&scene.folder) {
            Some(command) => command,
            None => {
                return Met::Skipped(
                    refusal.says,
                    "rights do not bind this user, and `setpriv` does not help",
                );
            }
        },
    };
    let mut findings = Vec::new();
    let (path, before) = (scene.outbox.path(), scene.files());
    let folder = path.parent().unwrap_or(path);
    (refusal.spoil)(folder, path);
    let mut prober = scene.start_under(&command, "prober");
    let status = prober.wait(END);
    let code = status.code().unwrap_or_default();
    if !matches!(code, 1 | 2) {
        findings.push(format!("it ended with {status}"));
    }
    (refusal.mend)(folder, path);
    let told = scene.told(&prober.log(), refusal.told);
    if told.is_none() {
        findings.push(format!("it does not say {:?}", refusal.told));
    }
    if scene.files() != before {
        let lengths = |files: BTreeMap<String, Vec<u8>>| -> Vec<_> {
            files.into_iter().map(|(name, bytes)| (name, bytes.len())).collect()
        };
        findings.push(format!("{:?} became {:?}", lengths(before), lengths(scene.files())));
    }
    let mut again = scene.start("again");
    if !comes(|| scene.outbox.count().is_ok_and(|count| count == 0)) {
        findings.push(format!("it does not deliver once it may:\n{}", again.log()));
    }
    again.signal("TERM");
    again.wait(END);
    findings.extend(scene.lost());
    let votes = "left as they are, and delivered at the next start";
    Met::Row(
        row(refusal.says, &format!("ends with {code}"), told, votes),
        named(refusal.name, findings, &prober.log()),
    )
}

fn full_at_start() -> Met {
    const SAYS: &str = "The disk is full when it starts (a small one was filled).";
    let scene = Scene::new("full-at-start", WAITING, None);
    let Some(command) = small_disk(&scene, FULL_DISK) else { return Met::Skipped(SAYS, NO_DISK) };
    let mut findings = Vec::new();
    let mut prober = scene.start_under(&command, "prober");
    let status = prober.wait(END);
    if status.code() != Some(1) {
        findings.push(format!("it ended with {status}"));
    }
    let told = scene.told(&prober.log(), "check its space");
    if told.is_none() {
        findings.push("it does not say what to do".to_owned());
    }
    Met::Row(
        row(SAYS, "ends with 1", told, "left as they are"),
        named("full-at-start", findings, &prober.log()),
    )
}

fn full_by_limit() -> Met {
    const SAYS: &str = "The disk is full while it runs, and has room again (a file may not be longer than \
                        `ulimit -f 128`, then may).";
    let mut scene = Scene::new("full-by-limit", 0, Some(takes_no_votes));
    if !succeeds(&words(&["prlimit", "--version"])) {
        return Met::Skipped(SAYS, "there is no `prlimit` to take the limit away");
    }
    let outbox = scene.outbox.clone();
    let take_away = |id: u32| words(&["prlimit", "--pid", &id.to_string(), "--fsize=unlimited:"]);
    let disk = Disk {
        command: words(&["sh", "-c", LIMIT, "sh"]),
        outbox: &|_| outbox.clone(),
        fill: &|_| {},
        make_room: &|id| assert!(succeeds(&take_away(id)), "prlimit"),
        told: "`ulimit -f`",
    };
    let (told, findings) = fills(&mut scene, &disk);
    Met::Row(row(SAYS, HOLDS, told, DELIVERED), findings)
}

fn full_disk() -> Met {
    const SAYS: &str =
        "The disk is full while it runs, and has room again (a small one was filled, then emptied).";
    let mut scene = Scene::new("full-disk", 0, Some(takes_no_votes));
    let Some(command) = small_disk(&scene, SMALL_DISK) else { return Met::Skipped(SAYS, NO_DISK) };
    let (path, copy) = (scene.outbox.path().to_owned(), scene.folder.join("copy.sqlite"));
    // What the program sees at a path. SQLite would follow it to what everybody sees there: it is given a copy.
    let seen = |id: u32, path: &Path| PathBuf::from(format!("/proc/{id}/root{}", path.display()));
    let filler = path.with_file_name("filler");
    let disk = Disk {
        command,
        outbox: &|id| {
            for companion in ["-shm", "-wal", ""] {
                let of = |path: &Path| PathBuf::from(format!("{}{companion}", path.display()));
                // What is not there, or changes meanwhile, is no outbox yet: it is looked at again.
                let _ = fs::remove_file(of(&copy));
                let _ = if companion == "-shm" { Ok(0) } else { fs::copy(seen(id, &of(&path)), of(&copy)) };
            }
            Outbox::at(copy.clone())
        },
        fill: &|id| drop(fs::write(seen(id, &filler), vec![0; 1_000_000])),
        make_room: &|id| done(&filler, fs::remove_file(seen(id, &filler))),
        told: "make room",
    };
    let (told, findings) = fills(&mut scene, &disk);
    Met::Row(row(SAYS, HOLDS, told, DELIVERED), findings)
}

const NO_DISK: &str = "no small disk can be mounted by `unshare`";
const HOLDS: &str = "holds votes in memory, takes no more work, and tries again every two seconds";
const DELIVERED: &str = "kept, and delivered once there is room";

/// A disk that can be filled, and emptied, while the program of this number runs.
struct Disk<'a> {
    command: Vec<String>,
    outbox: &'a dyn Fn(u32) -> Outbox,
    fill: &'a dyn Fn(u32),
    make_room: &'a dyn Fn(u32),
    told: &'static str,
}

/// A prober that runs until its disk is full, and on when there is room again.
fn fills(scene: &mut Scene, disk: &Disk<'_>) -> (Option<String>, Vec<String>) {
    let mut findings = Vec::new();
    let mut prober = scene.start_under(&disk.command, "prober");
    prober.wait_until("began", END, || prober_began(scene));
    let Some(id) = prober.program_id() else {
        return (None, vec![format!("the program is not found:\n{}", prober.log())]);
    };
    let count = || (disk.outbox)(id).count();
    let is_full = |prober: &Running| prober.log().contains("votes are held in memory");
    let mut offered = scene.offer(900, ROUND);
    if !comes(|| count().is_ok_and(|count| count == offered.len()) || is_full(&prober)) {
        findings.push("it writes nothing".to_owned());
    }
    (disk.fill)(id);
    for round in 1..ROUNDS {
        if is_full(&prober) || prober.ended().is_some() {
            break;
        }
        offered.extend(scene.offer(900 + round * ROUND, ROUND));
        let written = || count().is_ok_and(|count| count >= offered.len());
        comes(|| written() || is_full(&prober) || prober.ended().is_some());
    }
    if let Some(status) = prober.ended() {
        return (None, vec![format!("it ended with {status}:\n{}", prober.log())]);
    }
    let told = scene.told(&prober.log(), disk.told);
    if told.is_none() {
        findings.push(format!("it does not say {:?}", disk.told));
    }
    let written = (disk.outbox)(id).waiting();
    if written.is_empty() || written.len() == offered.len() {
        findings.push(format!("{} of {} were written before it was full", written.len(), offered.len()));
    }
    scene.written.extend(written.into_iter().map(|vote| ((vote.listing, vote.slot), vote)));
    scene.worker.behave(None);
    (disk.make_room)(id);
    if !comes(|| prober.log().contains("votes are written again")) {
        findings.push("it does not write again".to_owned());
    }
    let delivered = || {
        let stored = scene.worker.honest().stored();
        offered.iter().all(|key| stored.contains_key(key)) && count().is_ok_and(|count| count == 0)
    };
    if !comes(delivered) {
        let stored = scene.worker.honest().stored();
        let missing: Vec<_> = offered.iter().filter(|key| !stored.contains_key(key)).collect();
        findings.push(format!("it does not deliver {missing:?}; {:?} wait", count()));
    }
    let stored = scene.worker.honest().stored();
    if scene.written.iter().any(|(key, vote)| stored.get(key) != Some(vote)) {
        findings.push("votes that were written are lost or others".to_owned());
    }
    prober.signal("TERM");
    if !prober.wait(END).success() {
        findings.push("it does not end well".to_owned());
    }
    (told, named(disk.told, findings, &prober.log()))
}

fn prober_began(scene: &Scene) -> bool {
    fs::read_to_string(scene.folder.join("prober")).is_ok_and(|log| log.contains("probing for"))
}

fn row(fault: &str, does: &str, told: Option<String>, votes: &str) -> Row {
    Row { fault: fault.into(), does: does.into(), told: told.unwrap_or_default(), votes: votes.into() }
}

fn named(name: &str, findings: Vec<String>, log: &str) -> Vec<String> {
    let log: Vec<_> = log.lines().filter(|line| !line.starts_with("vote listing=")).collect();
    findings.into_iter().map(|what| format!("{name}: {what}:\n{}", log.join("\n"))).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn succeeds(command: &[String]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return true };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The command under which a file without the right to write cannot be written: none for most users, and for root one
/// that takes its privileges away.
fn bound_by_rights(folder: &Folder) -> Option<Vec<String>> {
    let file = folder.join("read-only");
    done(&file, fs::write(&file, ""));
    mode(&file, 0o444);
    let candidates = [Vec::new(), words(&["setpriv", "--bounding-set=-all", "--inh-caps=-all"])];
    candidates.into_iter().find(|command| {
        let with = |rest: &[&str]| [command.clone(), words(rest)].concat();
        let write = format!("echo >>'{}'", file.display());
        succeeds(&with(&["true"])) && !succeeds(&with(&["sh", "-c", &write]))
    })
}

/// The command that starts a program with a small disk of its own at the outbox's folder.
fn small_disk(scene: &Scene, script: &str) -> Option<Vec<String>> {
    let path = scene.outbox.path();
    let folder = path.parent().unwrap_or(path).display().to_string();
    let template = scene.folder.join("on-the-disk");
    fs::copy(path, &template).ok()?;
    let template = template.display().to_string();
    let candidates =
        [words(&["unshare", "--mount"]), words(&["unshare", "--user", "--map-root-user", "--mount"])];
    candidates.into_iter().find_map(|unshare| {
        let command =
            |script: &str| [unshare.clone(), words(&["sh", "-c", script, "sh", &folder, &template])].concat();
        succeeds(&[command(SMALL_DISK), words(&["true"])].concat()).then(|| command(script))
    })
}

fn mode(path: &Path, mode: u32) {
    done(path, fs::set_permissions(path, Permissions::from_mode(mode)));
}

fn beside(folder: &Path) -> PathBuf {
    folder.with_extension("aside")
}

fn moved(from: &Path, to: &Path) {
    done(from, fs::rename(from, to));
}

fn done(path: &Path, result: std::io::Result<()>) {
    result.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
