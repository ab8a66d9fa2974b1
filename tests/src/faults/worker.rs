//! A Worker that misbehaves: what the prober does while it lasts, and once it is over.

use std::thread;
use std::time::{Duration, Instant};

use super::scene::{Scene, comes, line_with};
use super::{Row, Section, at_once, rhythm};
use crate::misbehaving_worker::Asked;
use crate::misbehaving_worker::behaviours::{Behaviour, Rhythm, kinds};

/// Votes that wait when it begins.
const WAITING: u32 = 20;
/// How long each lasts; longer where the prober has said nothing yet.
const LASTS: Duration = Duration::from_millis(3_500);
/// A pause longer than this is not waited for: the prober is started again.
const PATIENCE: Duration = Duration::from_secs(10);
/// Listings offered when it is over.
const OFFERED: u32 = 2;

/// All kinds of misbehaviour.
#[must_use]
pub fn sections() -> Vec<Section> {
    let kinds = kinds();
    let all: Vec<Behaviour> = kinds.iter().flat_map(|(_, behaviours)| behaviours.clone()).collect();
    let mut met = at_once(&all, meet).into_iter();
    let section = |(title, behaviours): &(&'static str, Vec<Behaviour>)| {
        let met = met.by_ref().take(behaviours.len());
        let (rows, findings): (Vec<_>, Vec<_>) = met.unzip();
        Section { title, rows, findings: findings.concat(), ..Section::default() }
    };
    kinds.iter().map(section).collect()
}

fn meet(behaviour: &Behaviour) -> (Row, Vec<String>) {
    let mut findings = Vec::new();
    let scene = Scene::new(behaviour.name, WAITING, Some(behaviour.act));
    let began = Instant::now();
    let mut prober = scene.start("prober");
    thread::sleep(LASTS);
    let of_votes = |log: &str| -> String {
        log.lines().filter(|line| line.contains("votes")).map(|line| format!("{line}\n")).collect()
    };
    if !comes(|| of_votes(&prober.log()).contains(behaviour.told)) {
        findings.push(format!("it never said {:?}:\n{}", behaviour.told, prober.log()));
    }
    let (lasted, asked) = (began.elapsed(), scene.worker.asked());
    let of = |votes: bool| -> Vec<Asked> {
        asked.iter().copied().filter(|asked| asked.votes.is_some() == votes).collect()
    };
    findings.extend(rhythm::breach(behaviour.rhythm, &of(true), lasted));
    // Claims that are answered well come once a second.
    let claims =
        if prober.log().contains("no slots are claimed") { behaviour.rhythm } else { Rhythm::Steady };
    findings.extend(rhythm::breach(claims, &of(false), lasted));
    findings.extend(scene.lost());
    if let Some(status) = prober.ended() {
        findings.push(format!("it ended ({status}):\n{}", prober.log()));
    }
    if scene.worker.called_elsewhere() {
        findings.push("a signed request went to somebody else".to_owned());
    }
    let (worker, elsewhere) = (scene.worker.url(), scene.worker.elsewhere());
    let differs = [(worker.as_str(), "http://worker"), (elsewhere.as_str(), "http://elsewhere")];
    let votes_told = of_votes(&prober.log());
    let wanted = Some(behaviour.told).filter(|told| !told.is_empty());
    let told = wanted.and_then(|wanted| line_with(&votes_told, wanted, &differs));

    scene.worker.behave(None);
    let offered = scene.offer(900, OFFERED);
    let restarted = matches!(behaviour.rhythm, Rhythm::Asked(wait) if wait > PATIENCE);
    if restarted {
        prober.kill();
        prober = scene.start("again");
    }
    let delivered = || {
        let stored = scene.worker.honest().stored();
        scene.outbox.count().is_ok_and(|count| count == 0)
            && offered.iter().all(|key| stored.contains_key(key))
    };
    if !comes(delivered) {
        findings.push(format!("it did not recover:\n{}", prober.log()));
    }
    let mends = told.is_some() && !restarted && !behaviour.refused;
    if mends && !comes(|| prober.log().contains("votes are delivered again")) {
        findings.push(format!("it does not say that it is over:\n{}", prober.log()));
    }
    prober.signal("TERM");
    let status = prober.wait(PATIENCE);
    if !status.success() {
        findings.push(format!("it ended with {status}:\n{}", prober.log()));
    }
    let refused = scene.outbox.rejected().len();
    if behaviour.refused != (refused > 0) {
        findings.push(format!("{refused} votes are set aside"));
    }
    findings.extend(scene.lost());
    let votes = match (refused, restarted, told.is_some()) {
        (0, false, false) => "delivered",
        (0, false, true) => "kept, and delivered once it is over",
        (0, true, _) => "kept, and delivered at the next start",
        _ => "set aside, and shown by `check`",
    };
    let row = Row {
        fault: behaviour.says.to_owned(),
        does: if told.is_some() && refused == 0 { rhythm::words(behaviour.rhythm) } else { "goes on" }
            .to_owned(),
        told: told.unwrap_or_default(),
        votes: votes.to_owned(),
    };
    (row, findings.into_iter().map(|what| format!("{}: {what}", behaviour.name)).collect())
}
