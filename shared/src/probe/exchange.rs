//! One request of ours with the redirects it was sent through, and the time it may still take.

use url::Url;

use super::request::{Connection, Method, Purpose, Reading, Request};

/// A request in flight.
#[derive(Debug)]
pub(super) struct Exchange {
    request: Request,
    /// Every URL it was sent to, the present one last.
    pub(super) visited: Vec<Url>,
    /// When the first hop began, in milliseconds from the start of the probe, once it is known.
    pub(super) started_ms: Option<u32>,
    /// For all hops together.
    limit_ms: u32,
    /// Whether the probe's own budget, not the request's limit, set the deadline.
    pub(super) cut_by_budget: bool,
}

/// What goes into a request besides the time it may take.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) purpose: Purpose,
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<String>,
    pub(super) connection: Connection,
    pub(super) reading: Reading,
    pub(super) limit_ms: u32,
}

impl Exchange {
    /// `left_ms` is what is left of the probe's budget, more than nothing.
    pub(super) fn new(draft: Draft, connect_ms: u32, left_ms: u32) -> Self {
        let Draft { purpose, method, url, headers, body, connection, reading, limit_ms } = draft;
        let deadline_ms = limit_ms.min(left_ms);
        Self {
            visited: vec![url.clone()],
            started_ms: None,
            limit_ms,
            cut_by_budget: left_ms < limit_ms,
            request: Request {
                purpose,
                method,
                url,
                headers,
                body,
                connection,
                connect_ms: connect_ms.min(deadline_ms),
                deadline_ms,
                reading,
            },
        }
    }

    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// The same request to the next URL; None when its time is over.
    pub(super) fn follow(&mut self, url: Url, now_ms: u32, left_ms: u32) -> Option<&Request> {
        let spent_ms = now_ms.saturating_sub(self.started_ms.unwrap_or(now_ms));
        let own_left_ms = self.limit_ms.saturating_sub(spent_ms);
        let deadline_ms = own_left_ms.min(left_ms);
        self.cut_by_budget = left_ms < own_left_ms;
        if deadline_ms == 0 {
            return None;
        }
        self.visited.push(url.clone());
        self.request.url = url;
        self.request.connection = Connection::Reuse;
        self.request.connect_ms = self.request.connect_ms.min(deadline_ms);
        self.request.deadline_ms = deadline_ms;
        Some(&self.request)
    }
}
