//! Deliveries to a Worker on loopback that answers well, badly, partly, or not at all: no vote is ever lost.

use std::sync::Mutex;

use shared::vote::{VoteBatch, VoteResult};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::*;
use crate::config::test_key;
use crate::outbox::tests::{Folder, entry};
use crate::outbox::{Counts, Outbox};
use crate::transport::Tls;

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
        let client = Client::new(
            url,
            "native".into(),
            test_key(KEY),
            &Tls::new(None, Arc::default()).unwrap(),
            Arc::default(),
        )
        .unwrap();
        let delivery = Delivery::new(keeper.clone(), Arc::new(client));
        Self { delivery, keeper, sizes, _folder: folder }
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
    assert_eq!(scene.delivery.all().await.unwrap().stored, 10_000);
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
        scene.delivery.all().await.expect_err(body);
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
    assert_eq!(scene.delivery.all().await.unwrap().stored, 10);
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
    assert_eq!(scene.delivery.all().await.unwrap(), Delivered { stored: 2, rejected: 1, again: 0 });
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
    let left = scene.keeper.with(|outbox| outbox.next_batch(9)).await.unwrap().unwrap();
    assert_eq!(left.keys, [VoteKey { listing: 5, slot: 7 }]);
}
