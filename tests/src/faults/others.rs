//! Faults of no single answer: a long outage, a kill, a clock that is wrong, and two probers for one network.

use std::thread;
use std::time::{Duration, Instant};

use shared::vote::BATCH_VOTES;

use super::scene::{Scene, comes, line_with};
use super::{Row, Section, at_once};
use crate::misbehaving_worker::Act;
use crate::misbehaving_worker::behaviours::{Behaviour, kinds};

/// Votes that a long outage leaves.
const MANY: u32 = 10_000;
/// The most memory a prober may hold that delivers them.
const MOST_KIB: u64 = 128 * 1024;
/// A signal is obeyed within this.
const END: Duration = Duration::from_secs(12);
const YEAR_MS: i64 = 365 * 24 * 3_600 * 1_000;

type Meet = fn(&mut Vec<String>) -> Row;

/// All of them.
#[must_use]
pub fn section() -> Section {
    let all: [(&str, Meet); 5] = [
        ("outage", outage),
        ("kill", kill),
        ("clock ahead", |findings| clock(findings, "a year ahead", YEAR_MS)),
        ("clock behind", |findings| clock(findings, "a year behind", -YEAR_MS)),
        ("two probers", two_probers),
    ];
    let met = at_once(&all, |(name, meet)| {
        let mut findings = Vec::new();
        let row = meet(&mut findings);
        (row, findings.into_iter().map(|what| format!("{name}: {what}")).collect::<Vec<_>>())
    });
    let (rows, findings): (Vec<_>, Vec<_>) = met.into_iter().unzip();
    Section {
        title: "Outages, kills, clocks, and a second prober",
        rows,
        findings: findings.concat(),
        ..Section::default()
    }
}

fn act(name: &str) -> Option<Act> {
    let all = kinds().into_iter().flat_map(|(_, behaviours)| behaviours);
    all.into_iter().find(|behaviour: &Behaviour| behaviour.name == name).map(|behaviour| behaviour.act)
}

fn row(fault: &str, does: &str, told: Option<String>, votes: &str) -> Row {
    Row { fault: fault.into(), does: does.into(), told: told.unwrap_or_default(), votes: votes.into() }
}

fn outage(findings: &mut Vec<String>) -> Row {
    let scene = Scene::new("outage", MANY, act("503"));
    let mut prober = scene.start("prober");
    comes(|| prober.log().contains("answered 503"));
    scene.worker.behave(None);
    let offered = scene.offer(900, 20);
    let began = Instant::now();
    let empty = comes(|| {
        let stored = scene.worker.honest().stored();
        stored.len() == MANY as usize + offered.len() && scene.outbox.count().is_ok_and(|count| count == 0)
    });
    println!(
        "{MANY} votes left in {:?} after the outage, with {:?} KiB at most",
        began.elapsed(),
        prober.peak_kib()
    );
    if !empty {
        findings.push(format!("not all arrived: {}\n{}", scene.worker.honest().stored().len(), prober.log()));
    }
    let batches: Vec<usize> = scene.worker.asked().iter().filter_map(|asked| asked.votes).collect();
    if batches.iter().any(|votes| *votes > BATCH_VOTES) || batches.iter().sum::<usize>() > 2 * MANY as usize {
        findings.push(format!("the batches are {batches:?}"));
    }
    if prober.peak_kib().is_some_and(|peak| peak > MOST_KIB) {
        findings.push(format!("it held {:?} KiB", prober.peak_kib()));
    }
    findings.extend(scene.lost());
    let told = line_with(&prober.log(), "votes are delivered again", &[]);
    prober.signal("TERM");
    prober.wait(END);
    row(
        "The Worker is back after an outage in which 10,000 votes were written.",
        "delivers them in batches of 500",
        told,
        "delivered, each once",
    )
}

fn kill(findings: &mut Vec<String>) -> Row {
    let mut scene = Scene::new("kill", 500, act("500"));
    let mut prober = scene.start("prober");
    comes(|| prober.log().contains("answered 500"));
    prober.kill();
    findings.extend(scene.lost());
    scene.worker.behave(act("closes-mid-answer"));
    prober = scene.start("again");
    comes(|| !scene.worker.honest().stored().is_empty());
    prober.kill();
    findings.extend(scene.lost());
    scene.written.extend(scene.outbox.waiting().into_iter().map(|vote| ((vote.listing, vote.slot), vote)));
    scene.worker.behave(None);
    prober = scene.start("at last");
    if !comes(|| scene.outbox.count().is_ok_and(|count| count == 0)) {
        findings.push(format!("it does not deliver:\n{}", prober.log()));
    }
    if scene.worker.honest().stored() != scene.written {
        findings.push("what is stored is not what was written".to_owned());
    }
    findings.extend(scene.lost());
    let (path, url) = (scene.outbox.path().display().to_string(), scene.worker.url());
    let differs = [(path.as_str(), "OUTBOX"), (url.as_str(), "http://worker")];
    let told = line_with(&prober.log(), "votes wait in", &differs);
    prober.signal("TERM");
    prober.wait(END);
    row(
        "`kill -9` while the Worker answers 500, and again while its answer is under way; then a new start.",
        "delivers what waits",
        told,
        "delivered; those that the Worker had stored already are duplicates to it",
    )
}

/// The Worker's clock steps to this distance from the machine's and back, as a step of the machine's own looks to a
/// prober that has just been started.
fn clock(findings: &mut Vec<String>, distance: &str, offset_ms: i64) -> Row {
    let scene = Scene::new("clock", 3, None);
    let mut prober = scene.start("prober");
    let honest = scene.worker.honest();
    let mut offered = Vec::new();
    for (round, offset_ms) in [(0_u32, offset_ms), (1, 0), (2, offset_ms)] {
        honest.set_clock_offset_ms(offset_ms);
        for (listing, slot) in scene.offer(900 + 10 * round, 2) {
            offered.push((listing, slot, honest.now_ms()));
        }
        let all = || {
            let stored = honest.stored();
            offered.iter().all(|(listing, slot, _)| stored.contains_key(&(*listing, *slot)))
        };
        if !comes(all) {
            findings.push(format!("round {round}: no votes come:\n{}", prober.log()));
        }
        thread::sleep(Duration::from_millis(1_200));
    }
    let stored = honest.stored();
    for (listing, slot, at_ms) in &offered {
        let started_ms = stored.get(&(*listing, *slot)).map_or(0, |vote| vote.started_ms);
        if started_ms.abs_diff(*at_ms) > 10_000 {
            findings.push(format!("a vote started at {started_ms}, not at {at_ms} of the Worker's time"));
        }
    }
    findings.extend(scene.lost());
    if prober.log().contains("claimed:") || prober.log().contains("not delivered") {
        findings.push(format!("it was in trouble:\n{}", prober.log()));
    }
    prober.signal("TERM");
    prober.wait(END);
    row(
        &format!("The machine's clock is {distance} of the Worker's, then right, then wrong again."),
        "signs once more by the time that the refusal tells, and goes by that",
        None,
        "delivered, with the Worker's time",
    )
}

fn two_probers(findings: &mut Vec<String>) -> Row {
    let scene = Scene::new("pair", 0, None);
    let mut first = scene.start("first");
    let url = scene.worker.url();
    let deliver = |keys: &[(u32, u32)]| {
        let stored = scene.worker.honest().stored();
        keys.iter().all(|key| stored.contains_key(key))
    };
    let keys = scene.offer(900, 2);
    if !comes(|| deliver(&keys)) {
        findings.push(format!("the first does not probe:\n{}", first.log()));
    }
    let beside = scene.beside("second.sqlite");
    let mut second = beside.start(&url, "second", &scene.folder.join("second"));
    let waits = "another prober of this network holds 1 shards; waiting for them";
    if !comes(|| second.log().contains(waits)) {
        findings.push(format!("the second does not say that it waits:\n{}", second.log()));
    }
    let keys = scene.offer(910, 2);
    if !comes(|| deliver(&keys)) || second.log().contains("vote listing=") {
        findings.push(format!("the second probes as well:\n{}", second.log()));
    }
    first.kill();
    let keys = scene.offer(920, 2);
    if !comes(|| deliver(&keys)) || !second.log().contains("vote listing=listing-920") {
        findings.push(format!("the second does not take over:\n{}", second.log()));
    }
    if !second.log().contains("no other prober holds a part of this network any more") {
        findings.push(format!("the second does not say that it took over:\n{}", second.log()));
    }
    let told = line_with(&second.log(), "waiting for them", &[]);
    second.signal("TERM");
    second.wait(END);
    row(
        "A second prober is started for one network; then the first is killed with `kill -9`.",
        "waits, and takes over when the lease of the first has run out",
        told,
        "one for each slot",
    )
}
