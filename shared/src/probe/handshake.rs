//! The first act: `initialize`, falling forward to `server/discover`, and what the answer comes to.
//! (protocol sections 1.5 to 1.7)

use serde_json::Value;

use super::draft::{self, Context, SESSION_HEADER};
use super::exchange::Draft;
use super::finding::Finding;
use super::ids::Ids;
use super::judge::{self, Judged, METHOD_NOT_FOUND, UNSUPPORTED_VERSION};
use super::machine::{Arrival, Next, Probe};
use super::observation::Conversation;
use super::plan::Plan;
use super::reply::{Headers, Response};
use super::tools::Listing;
use crate::mcp::handshake::{Handshake, read_discover, read_initialize};
use crate::mcp::rpc::RpcError;
use crate::mcp::version;
use crate::outcome::{Class, Counted, Era, Reason, Violation};

/// The handshake in progress.
#[derive(Debug)]
pub(super) struct Handshaking {
    asked: Asked,
    id: u32,
    /// What the first answer came to, kept once a second question is asked: where that fails too, the first counts.
    first: Option<Failure>,
    /// The fall-forward was used.
    fell_forward: bool,
    /// One -32022 that lists a common version was followed.
    renegotiated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Initialize(&'static str),
    Discover,
}

#[derive(Debug, Clone, Copy)]
struct Failure {
    finding: Finding,
    latency_ms: Option<u32>,
}

impl Handshaking {
    /// Legacy first, unless the modern era answered last time.
    pub(super) fn start(plan: &Plan, ids: &mut Ids) -> (Self, Draft) {
        let asked = match plan.era {
            Some(Era::Modern) => Asked::Discover,
            Some(Era::Legacy) | None => Asked::Initialize(version::ASKED_LEGACY),
        };
        let mut handshaking = Self { asked, id: 0, first: None, fell_forward: false, renegotiated: false };
        let draft = handshaking.ask(asked, plan, ids);
        (handshaking, draft)
    }

    fn ask(&mut self, asked: Asked, plan: &Plan, ids: &mut Ids) -> Draft {
        self.asked = asked;
        self.id = ids.next();
        match asked {
            Asked::Initialize(version) => {
                draft::initialize(&plan.endpoint, &plan.deadlines, self.id, version)
            }
            Asked::Discover => draft::discover(&plan.endpoint, &plan.deadlines, self.id),
        }
    }

    pub(super) fn arrived(&mut self, probe: &mut Probe, arrival: Arrival) -> Next {
        let Arrival { outcome, elapsed_ms, .. } = arrival;
        let mut response = match outcome {
            Ok(response) => response,
            Err(finding) => {
                let latency_ms = finding.http_status.map(|_| elapsed_ms);
                return self.failed(probe, Failure { finding, latency_ms });
            }
        };
        match judge::judge(&mut response, self.id, probe.plan.precision) {
            Judged::AuthRequired => Next::Authorize { response: Box::new(response), elapsed_ms },
            Judged::Result { value, violations } => {
                self.read_result(probe, &response, &value, violations, elapsed_ms)
            }
            Judged::Error { error, finding } => self.refused(
                probe,
                response.status,
                &error,
                Failure { finding, latency_ms: Some(elapsed_ms) },
            ),
            Judged::Other(finding) => {
                let latency_ms = complete(&finding).then_some(elapsed_ms);
                self.failed(probe, Failure { finding, latency_ms })
            }
        }
    }

    fn read_result(
        &mut self,
        probe: &mut Probe,
        response: &Response,
        result: &Value,
        violations: Vec<Violation>,
        elapsed_ms: u32,
    ) -> Next {
        let (read, era) = match self.asked {
            Asked::Initialize(_) => (read_initialize(result), Era::Legacy),
            Asked::Discover => (read_discover(result), Era::Modern),
        };
        let Ok(handshake) = read else {
            let finding = Finding::body(Class::Malformed, Some(Reason::MissingMember), response.status);
            return self.failed(probe, Failure { finding, latency_ms: Some(elapsed_ms) });
        };
        probe.violations.extend(violations);
        probe.violations.extend(handshake.violations.iter().copied());
        let session = match era {
            Era::Legacy => session(&response.headers, &mut probe.violations),
            Era::Modern => None,
        };
        match common_version(&handshake, era) {
            Some(version) => {
                probe.learned.era = Some(era);
                Next::Opened(Box::new(Listing::new(
                    handshake,
                    Context { era, version, session },
                    response,
                    elapsed_ms,
                )))
            }
            None => Next::Over {
                conversation: Conversation::NoCommonVersion {
                    handshake: Some(handshake),
                    era: Some(era),
                    status: response.status,
                },
                latency_ms: Some(elapsed_ms),
                // The session, if one was opened, is ended in the version we asked for.
                context: Some(Context { era, version: version::ASKED_LEGACY, session }),
            },
        }
    }

    /// A JSON-RPC error for us: asks again where the answer says how, else it is the result.
    fn refused(&mut self, probe: &mut Probe, status: u16, error: &RpcError, failure: Failure) -> Next {
        let supported =
            (error.code == Some(UNSUPPORTED_VERSION)).then(|| supported_versions(error)).flatten();
        let again = match (&supported, self.asked) {
            (Some(supported), _) => match common(supported) {
                None => {
                    return Next::Over {
                        conversation: Conversation::NoCommonVersion { handshake: None, era: None, status },
                        latency_ms: failure.latency_ms,
                        context: None,
                    };
                }
                common => common,
            },
            (None, Asked::Initialize(_)) if judge::is_fall_forward(status, error.code) => {
                Some(Asked::Discover)
            }
            (None, _) => None,
        };
        match again {
            Some(asked) if probe.left_ms() > 0 && self.may_ask(asked) => {
                self.first.get_or_insert(failure);
                Next::Again(self.ask(asked, &probe.plan, &mut probe.ids))
            }
            _ => {
                self.forget_era(probe, status, error.code);
                self.failed(probe, failure)
            }
        }
    }

    /// Each kind of second question is asked once.
    fn may_ask(&mut self, asked: Asked) -> bool {
        let forward = asked == Asked::Discover && self.asked != Asked::Discover;
        let used = if forward { &mut self.fell_forward } else { &mut self.renegotiated };
        !std::mem::replace(used, true)
    }

    fn failed(&mut self, probe: &mut Probe, failure: Failure) -> Next {
        if let Finding { class: Class::Http4xx, http_status: Some(status), .. } = failure.finding {
            self.forget_era(probe, status, None);
        }
        // Only a fault of ours is worth more than the first answer; a refusal of the second question is not.
        let declined = matches!(failure.finding.class, Class::Refused | Class::RateLimited);
        let ours = failure.finding.class.counted() == Counted::None && !declined;
        let failure = self.first.filter(|_| !ours).unwrap_or(failure);
        Next::Over {
            conversation: Conversation::Failed(failure.finding),
            latency_ms: failure.latency_ms,
            context: None,
        }
    }

    /// A server remembered as modern that no longer knows `server/discover` is asked in the legacy way next time.
    /// Legacy servers say so with 400, 404 and 422 alike, so any 4xx will do; a server that is modern after all costs
    /// one question more.
    fn forget_era(&self, probe: &mut Probe, status: u16, code: Option<i64>) {
        let unknown = code == Some(METHOD_NOT_FOUND)
            || ((400..500).contains(&status) && !judge::is_fall_forward(status, code));
        if self.asked == Asked::Discover && !self.fell_forward && unknown {
            probe.learned.era = Some(Era::Legacy);
        }
    }
}

/// Whether the answer of this finding arrived whole.
const fn complete(finding: &Finding) -> bool {
    !matches!(finding.class, Class::Timeout | Class::Closed | Class::TooLarge)
}

/// The revision to go on with, as we spell it.
fn common_version(handshake: &Handshake, era: Era) -> Option<&'static str> {
    if !handshake.version_known {
        return None;
    }
    match era {
        Era::Modern => Some(version::MODERN),
        Era::Legacy => {
            let negotiated = handshake.protocol_version.as_deref()?;
            version::LEGACY.iter().copied().find(|known| *known == negotiated)
        }
    }
}

/// The versions an UnsupportedProtocolVersion error lists; None where it lists nothing readable.
fn supported_versions(error: &RpcError) -> Option<Vec<String>> {
    let listed = error.data.as_ref()?.get("supported")?.as_array()?;
    Some(listed.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// How to ask again: the modern way where it is listed, else the newest legacy revision listed.
fn common(supported: &[String]) -> Option<Asked> {
    if supported.iter().any(|listed| listed == version::MODERN) {
        return Some(Asked::Discover);
    }
    let legacy = |known: &&&str| supported.iter().any(|listed| listed == **known);
    version::LEGACY.iter().rev().find(legacy).map(|known| Asked::Initialize(known))
}

/// The session a legacy server opened, if its id can be sent back: visible ASCII only.
fn session(headers: &Headers, violations: &mut Vec<Violation>) -> Option<String> {
    let id = headers.get(SESSION_HEADER)?;
    if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Some(id.to_owned());
    }
    violations.push(Violation::SessionIdInvalid);
    None
}
