//! Speaks to the Worker as a prober and as an administrator do.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use shared::signature::{HEADER_NETWORK, HEADER_SIGNATURE, HEADER_TIME, Signed, sign};

use crate::http::{self, Answer};

pub const NETWORK: &str = "tools-centralindia";
pub const KEY: &str = "a-key-that-only-these-tests-know-0001";
pub const ADMIN_TOKEN: &str = "an-admin-token-that-only-these-tests-know";

/// Where slots are claimed.
pub const CLAIMS: &str = "/api/v2/claims";
/// Where votes are delivered.
pub const VOTES: &str = "/api/v2/votes";

/// The body of a claim.
#[must_use]
pub fn claim_body(holder: &str, capacity: u32) -> String {
    serde_json::json!({"holder": holder, "capacity": capacity}).to_string()
}

/// The Worker's secrets in the form that wrangler reads.
#[must_use]
pub fn secrets() -> String {
    let keys = serde_json::json!({ NETWORK: [KEY] });
    format!("ADMIN_TOKEN='{ADMIN_TOKEN}'\nNETWORK_KEYS='{keys}'\n")
}

/// Milliseconds since the epoch by this machine's clock, which is workerd's as well.
///
/// # Panics
/// Where the clock is before 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_else(|error| panic!("{error}"));
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// How a request is signed; what is wrong with it, where something is.
#[derive(Debug, Clone, Copy)]
pub struct Signer<'a> {
    pub network: &'a str,
    pub key: &'a str,
    pub time_ms: i64,
}

impl Signer<'_> {
    /// As the Worker wants it, now.
    #[must_use]
    pub fn right() -> Self {
        Self { network: NETWORK, key: KEY, time_ms: now_ms() }
    }

    /// Posts `body` to `path` of the Worker at `url`.
    ///
    /// # Errors
    /// Where no answer came.
    pub fn post(&self, url: &str, path: &str, body: &str) -> Result<Answer, String> {
        let Self { network, key, time_ms } = *self;
        let signed = Signed { network, method: "POST", path_and_query: path, time_ms, body: body.as_bytes() };
        let headers = [
            ("content-type", "application/json"),
            (HEADER_NETWORK, network),
            (HEADER_TIME, &time_ms.to_string()),
            (HEADER_SIGNATURE, &sign(key.as_bytes(), &signed)),
        ];
        http::send("POST", &format!("{url}{path}"), &headers, body.as_bytes())
    }
}

/// Adds a listing.
///
/// # Panics
/// Where the Worker refuses it.
pub fn add_listing(url: &str, slug: &str, endpoint: &str) {
    let body = serde_json::json!({"slug": slug, "name": slug, "url": endpoint}).to_string();
    let answer = admin(url, "POST", &body);
    assert!((200..300).contains(&answer.status), "listing {slug}: {} {}", answer.status, answer.body);
}

/// One request to the administrator's address.
///
/// # Panics
/// Where no answer came.
#[must_use]
pub fn admin(url: &str, method: &str, body: &str) -> Answer {
    let bearer = format!("Bearer {ADMIN_TOKEN}");
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    http::send(method, &format!("{url}/api/admin/listings"), &headers, body.as_bytes())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A public JSON document.
///
/// # Panics
/// Where it is not there.
#[must_use]
pub fn document(url: &str, path: &str) -> Value {
    let answer =
        http::send("GET", &format!("{url}{path}"), &[], b"").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json()
}
