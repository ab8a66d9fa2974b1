//! What a Worker, or something in front of it, may do wrong: one named behaviour each.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use shared::reading::document;
use shared::signature::HEADER_NOW;
use shared::vote::{VoteAnswers, VoteBatch};

use super::{Act, Scene};
use crate::client::VOTES;
use crate::hostile::exchange::{Exchange, JSON};

const HTML: (&str, &str) = ("Content-Type", "text/html");

/// How often a prober may ask while it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rhythm {
    /// So many requests a round, and pauses that double.
    Doubling(usize),
    /// The pauses stay short, since each round settles something.
    Steady,
    /// The batch is halved down to one vote without a pause, then single votes are tried with pauses that double.
    Halving,
    /// Once, and again when the time that was asked for is over.
    Asked(Duration),
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct Behaviour {
    pub name: &'static str,
    /// What it does, in a sentence.
    pub says: &'static str,
    pub act: Act,
    pub rhythm: Rhythm,
    /// What the prober must say, in part.
    pub told: &'static str,
    /// Votes that it refuses for good.
    pub refused: bool,
}

const fn doubling(name: &'static str, says: &'static str, told: &'static str, act: Act) -> Behaviour {
    Behaviour { name, says, act, rhythm: Rhythm::Doubling(1), told, refused: false }
}

fn problem(exchange: &mut Exchange<'_>, status: u16, headers: &[(&str, &str)]) -> io::Result<()> {
    let headers: Vec<_> = [JSON].into_iter().chain(headers.iter().copied()).collect();
    exchange.answer(status, &headers, json!({"title": "No", "detail": "Not today."}).to_string())
}

fn status<const STATUS: u16>(exchange: &mut Exchange<'_>, _: &Scene) -> io::Result<()> {
    problem(exchange, STATUS, &[])
}

/// Changes the right answer to votes; claims are answered as they should.
fn changed(
    exchange: &mut Exchange<'_>,
    scene: &Scene,
    change: impl FnOnce(&mut Vec<Value>),
) -> io::Result<()> {
    if exchange.request.target != VOTES {
        return scene.answer(exchange);
    }
    let (_, body) = scene.honest.answer(&exchange.request);
    let mut answer: Value = serde_json::from_str(&body)?;
    if let Some(results) = answer.get_mut("results").and_then(Value::as_array_mut) {
        change(results);
    }
    exchange.json(&answer)
}

/// Stores the first `most` votes of a batch and answers for them alone.
fn first(exchange: &mut Exchange<'_>, scene: &Scene, most: impl FnOnce(usize) -> usize) -> io::Result<()> {
    if exchange.request.target != VOTES {
        return scene.answer(exchange);
    }
    let Ok(mut batch) = document::<VoteBatch>(&exchange.request.body) else { return scene.answer(exchange) };
    batch.votes.truncate(most(batch.votes.len()));
    exchange.json(&json!(VoteAnswers { results: scene.honest.take(&batch) }))
}

/// Answers for each vote in these words, and stores none.
fn worded(exchange: &mut Exchange<'_>, scene: &Scene, words: &Value) -> io::Result<()> {
    if exchange.request.target != VOTES {
        return scene.answer(exchange);
    }
    let Ok(batch) = document::<VoteBatch>(&exchange.request.body) else { return scene.answer(exchange) };
    let result = |listing: u32, slot: u32| {
        let mut result = words.clone();
        result["listing"] = json!(listing);
        result["slot"] = json!(slot);
        result
    };
    let results: Vec<Value> = batch.votes.iter().map(|vote| result(vote.listing, vote.slot)).collect();
    exchange.json(&json!({"results": results}))
}

/// The behaviours by kind.
#[must_use]
pub fn kinds() -> Vec<(&'static str, Vec<Behaviour>)> {
    vec![("The Worker refuses", refusals()), ("The Worker's answer is none, or half of one", answers())]
}

fn refusals() -> Vec<Behaviour> {
    let asked = |seconds| Rhythm::Asked(Duration::from_secs(seconds));
    let halving = |behaviour: Behaviour| Behaviour { rhythm: Rhythm::Halving, ..behaviour };
    let waits = |seconds, behaviour: Behaviour| Behaviour { rhythm: asked(seconds), ..behaviour };
    vec![
        halving(doubling("400", "Answers 400 to every body.", "answered 400", |exchange, scene| {
            if exchange.request.target == VOTES {
                status::<400>(exchange, scene)
            } else {
                scene.answer(exchange)
            }
        })),
        doubling("401", "Answers 401 and does not tell its time.", "NETWORK_KEYS", status::<401>),
        Behaviour {
            rhythm: Rhythm::Doubling(2),
            ..doubling(
                "401-with-the-time",
                "Answers 401 and tells its time.",
                "NETWORK_KEYS",
                |exchange, scene| problem(exchange, 401, &[(HEADER_NOW, &scene.honest.now_ms().to_string())]),
            )
        },
        doubling("403", "Answers 403, as a firewall in front of it does.", "firewall", status::<403>),
        doubling("404", "Answers 404.", "check `worker`", status::<404>),
        halving(doubling("413", "Answers 413 to every batch.", "answered 413", |exchange, scene| {
            if exchange.request.target == VOTES {
                status::<413>(exchange, scene)
            } else {
                scene.answer(exchange)
            }
        })),
        doubling("429", "Answers 429.", "asked too often", status::<429>),
        waits(
            3,
            doubling(
                "429-with-seconds",
                "Answers 429 with `Retry-After: 3`.",
                "alone for 3 s",
                |exchange, _| problem(exchange, 429, &[("Retry-After", "3")]),
            ),
        ),
        waits(
            3,
            doubling(
                "429-with-a-date",
                "Answers 429 with a `Retry-After` date.",
                "alone for 3 s",
                |exchange, _| {
                    let dates = [
                        ("Date", "Mon, 30 Nov 2026 16:34:30 GMT"),
                        ("Retry-After", "Mon, 30 Nov 2026 16:34:33 GMT"),
                    ];
                    problem(exchange, 429, &dates)
                },
            ),
        ),
        waits(
            3_600,
            doubling(
                "429-for-a-century",
                "Answers 429 with `Retry-After: 99999999999999999999`.",
                "alone for 3600 s",
                |exchange, _| problem(exchange, 429, &[("Retry-After", "99999999999999999999")]),
            ),
        ),
        doubling(
            "429-with-nonsense",
            "Answers 429 with `Retry-After: -5`.",
            "asked too often",
            |exchange, _| problem(exchange, 429, &[("Retry-After", "-5")]),
        ),
        doubling("500", "Answers 500.", "see its log", status::<500>),
        doubling("503", "Answers 503.", "see its log", status::<503>),
        doubling(
            "redirect",
            "Answers 307 to somebody else's address.",
            "check `worker`; it leads to",
            |exchange, scene| {
                let to = format!("{}{}", scene.elsewhere(), exchange.request.target);
                problem(exchange, 307, &[("Location", &to)])
            },
        ),
        doubling(
            "permanent-redirect",
            "Answers 301 to somebody else's address.",
            "check `worker`; it leads to",
            |exchange, scene| problem(exchange, 301, &[("Location", &scene.elsewhere())]),
        ),
    ]
}

fn answers() -> Vec<Behaviour> {
    let no_answer_of_ours = "with something else than we know";
    vec![
        doubling("garbage", "200 and bytes that are no text.", no_answer_of_ours, |exchange, _| {
            exchange.answer(200, &[JSON], [0xff; 64])
        }),
        doubling("html", "200 and a page, as a captive portal does.", no_answer_of_ours, |exchange, _| {
            exchange.answer(200, &[HTML], "<html>Log in</html>")
        }),
        doubling(
            "truncated-json",
            "200 and half of the right JSON.",
            no_answer_of_ours,
            |exchange, scene| {
                let (_, body) = scene.honest.answer(&exchange.request);
                exchange.answer(200, &[JSON], &body[..body.len() / 2])
            },
        ),
        doubling(
            "closes-mid-answer",
            "Stores the votes and closes in the middle of its answer.",
            "no answer",
            |exchange, scene| {
                let (_, body) = scene.honest.answer(&exchange.request);
                let length = body.len().to_string();
                exchange.answer(200, &[JSON, ("Content-Length", &length)], &body[..body.len() / 2])?;
                exchange.close();
                Ok(())
            },
        ),
        doubling("never-answers", "Takes the request and never answers.", "within 30 s", |exchange, _| {
            exchange.hang()
        }),
        doubling("endless-answer", "200 and spaces without end.", "answered more than", |exchange, _| {
            exchange.open(200, &[JSON])?;
            exchange.endless(" ")
        }),
        doubling("no-results", "200 and an answer about no vote.", "nothing of use", |exchange, scene| {
            first(exchange, scene, |_| 0)
        }),
        Behaviour {
            rhythm: Rhythm::Steady,
            ..doubling(
                "half-a-batch",
                "Stores and acknowledges half of each batch.",
                "nothing of use",
                |exchange, scene| first(exchange, scene, |votes| votes / 2),
            )
        },
        Behaviour {
            rhythm: Rhythm::Steady,
            ..doubling(
                "one-by-one",
                "Stores and acknowledges one vote of each batch.",
                "nothing of use",
                |exchange, scene| first(exchange, scene, |_| 1),
            )
        },
        doubling(
            "foreign-votes",
            "Answers for votes that were never sent.",
            "nothing of use",
            |exchange, scene| {
                if exchange.request.target != VOTES {
                    return scene.answer(exchange);
                }
                exchange.json(&json!({"results": [{"listing": 999_999, "slot": 1, "status": "accepted"}]}))
            },
        ),
        doubling("no-reason", "Rejects every vote without a reason.", "nothing of use", |exchange, scene| {
            worded(exchange, scene, &json!({"status": "rejected"}))
        }),
        doubling(
            "unknown-status",
            "Says \"quarantined\" of every vote, as a later Worker might.",
            "update it",
            |exchange, scene| worded(exchange, scene, &json!({"status": "quarantined"})),
        ),
        Behaviour {
            refused: true,
            ..doubling(
                "unknown-reason",
                "Rejects every vote for \"network_paused\", as a later Worker might.",
                "refused for good",
                |exchange, scene| {
                    worded(exchange, scene, &json!({"status": "rejected", "reason": "network_paused"}))
                },
            )
        },
        doubling(
            "more-members",
            "The right answer with members that a later Worker might add.",
            "",
            |exchange, scene| {
                changed(exchange, scene, |results| {
                    results.iter_mut().for_each(|result| result["mood"] = json!({"good": true}));
                })
            },
        ),
    ]
}
