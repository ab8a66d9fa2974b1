//! The driver: sends what the acts draft, follows redirects, keeps the time, and hands each answer to its act.

use super::classify::classify;
use super::draft;
use super::exchange::{Draft, Exchange};
use super::finding::{self, Finding};
use super::front_door::{self, Door};
use super::handshake::Handshaking;
use super::ids::Ids;
use super::observation::{Conversation, Observation, ToolsSeen};
use super::plan::Plan;
use super::redirect::{self, Redirect};
use super::refusal::retry_after_s;
use super::reply::{FaultKind, Reply, Response};
use super::request::{Purpose, Request};
use super::tools::Listing;
use crate::methodology::cuts::FRONT_DOOR_URL;
use crate::outcome::{Class, Era, Phase, Violation};
use crate::verdict::{Learned, Verdict};

/// What the machine wants next.
#[derive(Debug)]
pub enum Step {
    Send(Box<Request>),
    Done(Box<Verdict>),
}

/// One probe in progress.
#[derive(Debug)]
pub struct Probe {
    pub(super) plan: Plan,
    pub(super) ids: Ids,
    act: Act,
    exchange: Exchange,
    now_ms: u32,
    requests: Vec<String>,
    pub(super) violations: Vec<Violation>,
    pub(super) learned: Learned,
}

/// Where the conversation stands.
#[derive(Debug)]
enum Act {
    Handshake(Handshaking),
    Initialized(Box<Listing>),
    Tools(Box<Listing>),
    FrontDoor {
        status: u16,
        latency_ms: Option<u32>,
        door: Box<Door>,
        url: url::Url,
    },
    /// The session's DELETE is under way; nothing it brings changes the verdict.
    EndSession(Box<Verdict>),
    Done(Box<Verdict>),
}

/// An answer, or the finding in its place, with the time it took from the start of its first hop.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) outcome: Result<Response, Finding>,
    pub(super) elapsed_ms: u32,
    /// The probe's own budget had set the deadline.
    pub(super) cut_by_budget: bool,
}

/// What an act wants after an arrival.
pub(super) enum Next {
    /// Send this and come back to the same act.
    Again(Draft),
    /// The server asked for authorization.
    Authorize { response: Box<Response>, elapsed_ms: u32 },
    /// The handshake is complete.
    Opened(Box<Listing>),
    /// The conversation is over.
    Over { conversation: Conversation, latency_ms: Option<u32>, context: Option<draft::Context> },
}

impl Probe {
    /// Begins a probe: the machine and its first request.
    #[must_use]
    pub fn start(plan: Plan) -> (Self, Step) {
        let mut ids = Ids::new(plan.seed);
        let (handshaking, first) = Handshaking::start(&plan, &mut ids);
        let exchange = Exchange::new(first, plan.deadlines.connect_ms, plan.deadlines.total_ms.max(1));
        let mut probe = Self {
            plan,
            ids,
            act: Act::Handshake(handshaking),
            exchange,
            now_ms: 0,
            requests: Vec::new(),
            violations: Vec::new(),
            learned: Learned::default(),
        };
        let step = probe.sent();
        (probe, step)
    }

    /// Takes what the last request brought and says what comes next. Total: every reply has an answer, and a reply
    /// after the end changes nothing.
    #[must_use]
    pub fn next(&mut self, reply: Reply) -> Step {
        self.now_ms = self.now_ms.max(reply.ended_ms);
        let started_ms = *self.exchange.started_ms.get_or_insert(reply.started_ms);
        let outcome = match reply.outcome {
            Err(fault) => {
                let finding = finding::from_fault(fault);
                if finding.before_the_request() {
                    self.requests.pop();
                }
                Err(finding)
            }
            Ok(response) => {
                self.notice(&response);
                let method = self.exchange.request().method;
                match redirect::judge(method, &self.exchange.visited, response.status, &response.headers) {
                    Redirect::Follow(url) if self.is_forbidden(&url) => {
                        Err(Finding::headers(Class::Redirect, None, response.status))
                    }
                    // Out of GETs is out of budget.
                    Redirect::Follow(_) if !self.may_get_again() => {
                        Err(Finding::new(Class::Timeout, None, Some(Phase::Headers)))
                    }
                    Redirect::No => Ok(response),
                    Redirect::Stop { finding, host } => {
                        // Where a document's host sends us says nothing of the endpoint.
                        if !matches!(self.act, Act::FrontDoor { .. }) {
                            self.learned.redirect_host = host;
                        }
                        Err(finding)
                    }
                    Redirect::Follow(url) => {
                        let left_ms = self.left_ms();
                        match self.exchange.follow(url, self.now_ms, left_ms) {
                            Some(_) => return self.sent(),
                            None => Err(Finding::new(Class::Timeout, None, Some(Phase::Headers))),
                        }
                    }
                }
            }
        };
        let arrival = Arrival {
            outcome,
            elapsed_ms: reply.ended_ms.saturating_sub(started_ms),
            cut_by_budget: self.exchange.cut_by_budget,
        };
        self.arrived(arrival)
    }

    /// A document's redirect may not lead to the endpoint, which is never sent a GET.
    fn is_forbidden(&self, url: &url::Url) -> bool {
        matches!(&self.act, Act::FrontDoor { door, .. } if door.is_endpoint(url))
    }

    /// Counts the GET of a document's redirect; other requests have no such count.
    fn may_get_again(&mut self) -> bool {
        match &mut self.act {
            Act::FrontDoor { door, .. } => door.spend_get(),
            _ => true,
        }
    }

    /// Milliseconds left of the whole probe.
    pub(super) fn left_ms(&self) -> u32 {
        self.plan.deadlines.total_ms.saturating_sub(self.now_ms)
    }

    /// What any answer may tell besides its content.
    fn notice(&mut self, response: &Response) {
        if response.body.stream.as_ref().is_some_and(|stream| stream.endpoint_event) {
            self.learned.retired_transport = true;
        }
        // A document may lie on a host whose patience is not the endpoint's.
        let own_host = self.exchange.request().url.host() == self.plan.endpoint.host();
        if own_host && matches!(response.status, 429 | 503) {
            let now_s = (self.plan.started_ms + i64::from(self.now_ms)).div_euclid(1_000);
            self.learned.retry_after_s =
                self.learned.retry_after_s.max(retry_after_s(&response.headers, now_s));
        }
    }

    fn arrived(&mut self, arrival: Arrival) -> Step {
        // The act is put back below, save where the conversation moves on.
        let over = Act::Done(Box::new(self.internal_fault()));
        match std::mem::replace(&mut self.act, over) {
            Act::Handshake(mut handshaking) => {
                let next = handshaking.arrived(self, arrival);
                self.go_on(next, || Act::Handshake(handshaking))
            }
            Act::Initialized(listing) => {
                listing.initialized(&mut self.violations, &arrival);
                self.list_tools(listing)
            }
            Act::Tools(mut listing) => {
                let next = listing.arrived(self, arrival);
                self.go_on(next, || Act::Tools(listing))
            }
            Act::FrontDoor { status, latency_ms, mut door, url } => {
                let document = match &arrival.outcome {
                    Ok(response) => front_door::from_response(response),
                    Err(finding) => front_door::from_finding(*finding),
                };
                door.take(&url, document);
                self.walk_front_door(status, latency_ms, door)
            }
            Act::EndSession(mut verdict) => {
                // A DELETE that never left cannot have ended anything.
                verdict.learned.session_ended =
                    !matches!(arrival.outcome, Err(finding) if finding.before_the_request());
                self.done(verdict)
            }
            Act::Done(verdict) => self.done(verdict),
        }
    }

    fn go_on(&mut self, next: Next, same_act: impl FnOnce() -> Act) -> Step {
        match next {
            Next::Again(draft) => {
                self.act = same_act();
                self.send(draft)
            }
            Next::Authorize { response, elapsed_ms } => {
                let challenges = super::judge::challenges(&response.headers);
                let door = Box::new(Door::new(&self.plan, &challenges));
                self.walk_front_door(response.status, Some(elapsed_ms), door)
            }
            Next::Opened(listing) => {
                if listing.context.era == Era::Legacy && self.left_ms() > 0 {
                    let draft =
                        draft::initialized(&self.plan.endpoint, &self.plan.deadlines, &listing.context);
                    self.act = Act::Initialized(listing);
                    self.send(draft)
                } else {
                    self.list_tools(listing)
                }
            }
            Next::Over { conversation, latency_ms, context } => {
                self.end(conversation, latency_ms, context.as_ref())
            }
        }
    }

    /// Asks for the first page of tools, where there is anything to ask for and time to ask.
    fn list_tools(&mut self, mut listing: Box<Listing>) -> Step {
        if !listing.handshake.offers_tools {
            let next = listing.over(ToolsSeen::NotOffered);
            return self.go_on(next, || Act::Tools(listing));
        }
        if self.left_ms() == 0 {
            let next = listing.over(ToolsSeen::BudgetEnded);
            return self.go_on(next, || Act::Tools(listing));
        }
        let draft = listing.first_page(&self.plan, &mut self.ids);
        self.act = Act::Tools(listing);
        self.send(draft)
    }

    fn walk_front_door(&mut self, status: u16, latency_ms: Option<u32>, mut door: Box<Door>) -> Step {
        while let Some(url) = door.next_url() {
            if self.left_ms() == 0 || !door.spend_get() {
                door.take(&url, front_door::Document::NotObserved);
                continue;
            }
            let purpose = if door.authorization_server_is_next() {
                Purpose::AuthorizationServer
            } else {
                Purpose::ResourceMetadata
            };
            let draft = draft::document(url.clone(), &self.plan.deadlines, purpose);
            self.act = Act::FrontDoor { status, latency_ms, door, url };
            return self.send(draft);
        }
        // An address too long to be kept whole is not kept: a part of one leads nowhere.
        let kept = |text: &String| text.len() <= FRONT_DOOR_URL;
        self.learned.resource_metadata = door.resource_metadata.take().map(String::from).filter(kept);
        self.learned.authorization_server = door.authorization_server.take().map(String::from).filter(kept);
        self.learned.issuer = door.issuer.take().filter(kept);
        self.end(Conversation::AuthRequired { status, door: door.seen() }, latency_ms, None)
    }

    /// Classifies, and ends the session if one was opened and time is left for it.
    fn end(
        &mut self,
        conversation: Conversation,
        latency_ms: Option<u32>,
        context: Option<&draft::Context>,
    ) -> Step {
        let verdict = Box::new(classify(Observation {
            precision: self.plan.precision,
            conversation,
            latency_ms,
            violations: std::mem::take(&mut self.violations),
            requests: Vec::new(),
            learned: std::mem::take(&mut self.learned),
        }));
        let session = context.and_then(|context| Some((context, context.session.as_deref()?)));
        match session {
            Some((context, session)) if self.plan.end_session && self.left_ms() > 0 => {
                let draft = draft::end_session(&self.plan.endpoint, &self.plan.deadlines, context, session);
                self.act = Act::EndSession(verdict);
                self.send(draft)
            }
            _ => self.done(verdict),
        }
    }

    fn done(&mut self, mut verdict: Box<Verdict>) -> Step {
        verdict.requests.clone_from(&self.requests);
        self.act = Act::Done(verdict.clone());
        Step::Done(verdict)
    }

    fn send(&mut self, draft: Draft) -> Step {
        self.exchange = Exchange::new(draft, self.plan.deadlines.connect_ms, self.left_ms().max(1));
        self.sent()
    }

    /// Notes the request of the exchange as sent.
    fn sent(&mut self) -> Step {
        let request = self.exchange.request();
        self.requests.push(format!("{} {}", request.method.word(), request.url.path()));
        Step::Send(Box::new(request.clone()))
    }

    /// Stands in for an act while it is being worked on; shown only if this code is wrong.
    fn internal_fault(&self) -> Verdict {
        let fault = super::reply::Fault { kind: FaultKind::Internal, phase: None };
        classify(Observation {
            precision: self.plan.precision,
            conversation: Conversation::Failed(finding::from_fault(fault)),
            latency_ms: None,
            violations: Vec::new(),
            requests: Vec::new(),
            learned: Learned::default(),
        })
    }
}
