//! Deliveries to a Worker on loopback that answers well, badly, partly, or not at all: no vote is ever lost.

use std::sync::Mutex;
use std::time::Instant;

use shared::vote::{VoteAnswers, VoteBatch, VoteResult};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::*;
use crate::config::test_key;
use crate::outbox::tests::{Folder, entry};
use crate::outbox::{Counts, Outbox};
use crate::transport::Tls;
use crate::worker_clock::{Reading, WorkerClock};

const KEY: &str = "0123456789abcdef0123456789abcdef";

fn result(listing: u32, slot: u32, status: VoteStatus, reason: Option<Rejection>) -> VoteResult {
    VoteResult { listing, slot, status, reason }
}

/// What the Worker here does with a batch: a status and a body.
type Behaviour = Box<dyn Fn(usize, &VoteBatch) -> (u16, String) + Send + Sync>;

fn accept_all(batch: &VoteBatch) -> String {
    let results =
        batch.votes.iter().map(|vote| result(vote.listing, vote.slot, VoteStatus::Accepted, None)).collect();
    serde_json::to_string(&VoteAnswers { results }).unwrap()
}

/// A Worker that counts the calls and notes every vote it was sent.
async fn worker(behaviour: Behaviour) -> (Url, Arc<Mutex<Vec<usize>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let noted = sizes.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let body = loop {
                let mut piece = vec![0; 65_536];
                let length = stream.read(&mut piece).await.unwrap_or(0);
                bytes.extend_from_slice(&piece[..length]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if let Some((head, body)) = text.split_once("\r\n\r\n") {
                    let wanted = head.to_ascii_lowercase();
                    let wanted =
                        wanted.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
                    if body.len() >= wanted.parse().unwrap() {
                        break body.to_owned();
                    }
                }
            };
            let batch: VoteBatch = shared::reading::document(body.as_bytes()).unwrap();
            let call = noted.lock().unwrap().len();
            noted.lock().unwrap().push(batch.votes.len());
            let (status, body) = behaviour(call, &batch);
            let reply = format!(
                "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(reply.as_bytes()).await;
        }
    });
    (url, sizes)
}

struct Scene {
    delivery: Delivery,
    keeper: Keeper,
    clock: Arc<WorkerClock>,
    sizes: Arc<Mutex<Vec<usize>>>,
    _folder: Folder,
}

impl Scene {
    async fn new(name: &str, votes: u32, behaviour: Behaviour) -> Self {
        let folder = Folder::new(name);
        let (mut outbox, _) = Outbox::open(&folder.outbox()).unwrap();
        outbox.add(&(1..=votes).map(|listing| entry(listing, 7)).collect::<Vec<_>>()).unwrap();
        let keeper = Keeper::new(outbox, folder.outbox());
        let (url, sizes) = worker(behaviour).await;
        let clock = Arc::<WorkerClock>::default();
        let tls = Tls::new(None, clock.clone()).unwrap();
        let client = Client::new(url, "native".into(), test_key(KEY), &tls, clock.clone()).unwrap();
        let delivery = Delivery::new(keeper.clone(), Arc::new(client));
        Self { delivery, keeper, clock, sizes, _folder: folder }
    }

    /// One round without a fault.
    async fn round(&mut self) -> Delivered {
        let round = self.delivery.all().await;
        assert!(round.fault.is_none(), "{:?}", round.fault);
        round.moved
    }

    async fn counts(&self) -> Counts {
        self.keeper.with(|outbox| outbox.counts()).await.unwrap()
    }

    fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn ten_thousand_votes_after_an_outage_leave_in_batches() {
    let mut scene = Scene::new("many", 10_000, Box::new(|_, batch| (200, accept_all(batch)))).await;
    assert_eq!(scene.round().await.stored, 10_000);
    assert_eq!(scene.counts().await, Counts::default());
    assert_eq!(scene.sizes(), vec![BATCH_VOTES; 20]);
}

#[tokio::test]
async fn whatever_the_worker_says_instead_no_vote_is_lost() {
    let table: [(u16, &str); 7] = [
        (401, "{}"),
        (429, ""),
        (500, "<html>"),
        (200, "garbage"),
        (200, "{}"),
        (200, r#"{"results":[]}"#),
        (
            200,
            r#"{"results":[{"listing":9,"slot":9,"status":"accepted"},{"listing":1,"slot":7,"status":"rejected"}]}"#,
        ),
    ];
    for (status, body) in table {
        let mut scene = Scene::new("bad", 3, Box::new(move |_, _| (status, body.to_owned()))).await;
        let round = scene.delivery.all().await;
        assert!(round.fault.is_some() && round.moved == Delivered::default(), "{status} {body}: {round:?}");
        assert_eq!(scene.counts().await, Counts { waiting: 3, rejected: 0 }, "{status} {body}");
    }
}

#[tokio::test]
async fn half_an_answer_settles_half_and_the_rest_goes_again() {
    let behaviour: Behaviour = Box::new(|call, batch| {
        let mut results: Vec<_> = batch
            .votes
            .iter()
            .map(|vote| result(vote.listing, vote.slot, VoteStatus::Duplicate, None))
            .collect();
        if call == 0 {
            results.truncate(4);
        }
        (200, serde_json::to_string(&VoteAnswers { results }).unwrap())
    });
    let mut scene = Scene::new("half", 10, behaviour).await;
    // The rest waits for the next round: an answer that leaves votes out is a fault.
    let round = scene.delivery.all().await;
    assert!(matches!(round.fault, Some(DeliveryFault::Unanswered)), "{round:?}");
    assert_eq!((round.moved.stored, scene.counts().await.waiting), (4, 6));
    assert_eq!(scene.round().await.stored, 6);
    assert_eq!(scene.sizes(), [10, 6]);
}

#[tokio::test]
async fn a_vote_refused_for_good_is_set_aside_and_the_others_go() {
    let behaviour: Behaviour = Box::new(|_, batch| {
        let results = batch.votes.iter().map(|vote| match vote.listing {
            2 => result(2, vote.slot, VoteStatus::Rejected, Some(Rejection::SlotTaken)),
            _ => result(vote.listing, vote.slot, VoteStatus::Accepted, None),
        });
        (200, serde_json::to_string(&VoteAnswers { results: results.collect() }).unwrap())
    });
    let mut scene = Scene::new("refused", 3, behaviour).await;
    assert_eq!(scene.round().await, Delivered { stored: 2, rejected: 1, again: 0 });
    assert_eq!(scene.counts().await, Counts { waiting: 0, rejected: 1 });
}

#[tokio::test]
async fn one_vote_that_spoils_every_body_holds_up_no_other() {
    let behaviour: Behaviour = Box::new(|_, batch| {
        if batch.votes.iter().any(|vote| vote.listing == 5) {
            (400, "{}".into())
        } else {
            (200, accept_all(batch))
        }
    });
    let mut scene = Scene::new("spoiled", 64, behaviour).await;
    // Each round ends where the spoiled vote stands alone; the next one goes on behind it.
    for _ in 0..3 {
        let _ = scene.delivery.all().await;
    }
    assert_eq!(scene.counts().await, Counts { waiting: 1, rejected: 0 });
    let left = scene.keeper.with(|outbox| outbox.next_batch(9, 0)).await.unwrap().unwrap();
    assert_eq!(left.keys, [VoteKey { listing: 5, slot: 7 }]);
}

/// A vote beyond the age the Worker takes cannot be mended by waiting, and would be tried for ever.
#[tokio::test]
async fn a_vote_that_spoils_its_body_is_given_up_once_the_worker_would_call_it_too_old() {
    for (age_minutes, left) in [(7 * 24 * 60 - 60, (1, 0)), (7 * 24 * 60 + 1, (0, 1))] {
        let mut scene = Scene::new("aged", 0, Box::new(|_, _| (400, "{}".into()))).await;
        let slot = 10_000_000;
        scene.keeper.with(move |outbox| outbox.add(&[entry(1, slot)])).await.unwrap();
        scene.clock.set(Reading { worker_ms: slot_ms(slot + age_minutes), at: Instant::now() });
        assert!(scene.delivery.all().await.fault.is_some());
        let counts = scene.counts().await;
        assert_eq!((counts.waiting, counts.rejected), left, "{age_minutes}");
    }
}

/// A later Worker's words settle what they can and hold up nothing.
#[tokio::test]
async fn words_of_a_later_worker_lose_no_vote_and_hold_up_no_other() {
    let behaviour: Behaviour = Box::new(|_, batch| {
        let results = batch.votes.iter().map(|vote| {
            let (listing, slot) = (vote.listing, vote.slot);
            let said = match listing {
                1 => r#""status":"quarantined""#,
                2 => r#""status":"rejected","reason":"network_paused""#,
                _ => r#""status":"accepted","because":"why not""#,
            };
            format!(r#"{{"listing":{listing},"slot":{slot},{said}}}"#)
        });
        (200, format!(r#"{{"results":[{}],"more":1}}"#, results.collect::<Vec<_>>().join(",")))
    });
    let mut scene = Scene::new("later", 5, behaviour).await;
    let round = scene.delivery.all().await;
    assert_eq!(round.moved, Delivered { stored: 3, rejected: 1, again: 0 });
    assert!(matches!(round.fault, Some(DeliveryFault::UnknownStatus(ref word)) if word == "quarantined"));
    assert_eq!(scene.counts().await, Counts { waiting: 1, rejected: 1 });
    let rejections = scene.keeper.with(|outbox| outbox.rejections()).await.unwrap();
    assert_eq!(rejections, [("network_paused".to_owned(), 1)]);
    // Asked once a round, behind whatever came since.
    scene.keeper.with(|outbox| outbox.add(&[entry(3, 8)])).await.unwrap();
    let next = scene.keeper.with(|outbox| outbox.next_batch(9, 0)).await.unwrap().unwrap();
    assert_eq!(next.keys, [VoteKey { listing: 3, slot: 8 }]);
    assert_eq!(scene.sizes().len(), 1);
}
