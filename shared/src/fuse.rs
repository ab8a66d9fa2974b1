//! The fuse on our session DELETE: some servers die of it, so the first death after one is ours and the last.
//! (methodology section 2)

use serde::Serialize;

use crate::methodology::{FUSE_BLAME_MINUTES, FUSE_SURVIVALS, JITTER_THOUSANDTHS};
use crate::outcome::{Class, Counted, Reason};
use crate::reading::{Fault, Read, Reader, members};
use crate::schedule::MINUTE_MS;
use crate::verdict::ServerIdentity;

/// What is remembered of a listing's DELETEs. The default is a fuse that has seen none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fuse {
    /// The listing has not yet survived enough of them.
    Armed {
        survived: u8,
        /// Start of the probe whose DELETE may yet turn out to have killed the server, in milliseconds since the epoch.
        #[serde(skip_serializing_if = "Option::is_none")]
        pending_ms: Option<i64>,
        /// The next counted vote after that DELETE has come: whatever follows does not count as surviving it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        answered: bool,
        /// Under which self-reported name and version.
        #[serde(skip_serializing_if = "Option::is_none")]
        server: Option<ServerIdentity>,
    },
    /// It survived enough under this name and version.
    Survived { server: Option<ServerIdentity> },
    /// It died after the DELETE of the probe that started then: no more of them until an admin resets the fuse.
    Blown { delete_ms: i64 },
}

impl Default for Fuse {
    fn default() -> Self {
        Self::Armed { survived: 0, pending_ms: None, answered: false, server: None }
    }
}

impl Read for Fuse {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut fuse = None;
        reader.members(&mut |reader, name| {
            if fuse.is_some() {
                return Err(reader.twice());
            }
            fuse = Some(match name {
                "armed" => {
                    let Armed { survived, pending_ms, answered, server } = Armed::read(reader)?;
                    Self::Armed { survived, pending_ms, answered, server }
                }
                "survived" => Self::Survived { server: Survived::read(reader)?.server },
                "blown" => Self::Blown { delete_ms: Blown::read(reader)?.delete_ms },
                _ => return Err(reader.unknown("state of a fuse", name)),
            });
            Ok(())
        })?;
        reader.needed(fuse, "armed, survived or blown")
    }
}

/// The members of each state, as they are stored.
struct Armed {
    survived: u8,
    pending_ms: Option<i64>,
    answered: bool,
    server: Option<ServerIdentity>,
}

struct Survived {
    server: Option<ServerIdentity>,
}

struct Blown {
    delete_ms: i64,
}

members!(Armed { survived; pending_ms, answered, server });
members!(Survived { ; server });
members!(Blown { delete_ms; });

/// What the fuse needs of one vote, of whatever network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub started_ms: i64,
    pub class: Class,
    pub http_status: Option<u16>,
    /// The probe ended its session with DELETE.
    pub session_ended: bool,
    /// What the server said of itself, where it said anything.
    pub server: Option<ServerIdentity>,
    /// The interval in force at its slot.
    pub interval_minutes: u32,
}

impl Fuse {
    /// Whether the next probe may end its session with DELETE.
    #[must_use]
    pub const fn allows_delete(&self) -> bool {
        !matches!(self, Self::Blown { .. })
    }

    /// Takes the next vote in order of start. The reason, where one comes back, turns that vote into a
    /// `vantage_error`: the failure is ours.
    #[must_use]
    pub fn observe(self, vote: &Sighting) -> (Self, Option<Reason>) {
        match self {
            Self::Blown { delete_ms } => {
                let blamed = vote.class.counted() == Counted::Failure
                    && within(delete_ms, vote.started_ms, i64::from(FUSE_BLAME_MINUTES) * MINUTE_MS);
                (self, blamed.then_some(Reason::AfterOurDelete))
            }
            Self::Survived { server } => {
                let other = vote.server.is_some() && vote.server != server;
                if other { Self::armed_anew(vote) } else { (Self::Survived { server }, None) }
            }
            Self::Armed { survived, pending_ms, answered, server } => {
                if vote.server.is_some() && server.is_some() && vote.server != server {
                    return Self::armed_anew(vote);
                }
                let watch = Watch { survived, pending_ms, answered };
                let server = server.or_else(|| vote.server.clone());
                match watch.observe(vote) {
                    Err(delete_ms) => (Self::Blown { delete_ms }, Some(Reason::AfterOurDelete)),
                    Ok(Watch { survived, .. }) if survived >= FUSE_SURVIVALS => {
                        (Self::Survived { server }, None)
                    }
                    Ok(Watch { survived, pending_ms, answered }) => {
                        (Self::Armed { survived, pending_ms, answered, server }, None)
                    }
                }
            }
        }
    }

    /// Another server stands behind the URL, or another version of it.
    fn armed_anew(vote: &Sighting) -> (Self, Option<Reason>) {
        let pending_ms = vote.session_ended.then_some(vote.started_ms);
        (Self::Armed { survived: 0, pending_ms, answered: false, server: vote.server.clone() }, None)
    }
}

/// What an armed fuse counts.
#[derive(Clone, Copy)]
struct Watch {
    survived: u8,
    pending_ms: Option<i64>,
    answered: bool,
}

impl Watch {
    /// Takes the next vote.
    ///
    /// # Errors
    /// The start of the probe whose DELETE the server died of.
    fn observe(mut self, vote: &Sighting) -> Result<Self, i64> {
        let due = self
            .pending_ms
            .filter(|delete_ms| within(*delete_ms, vote.started_ms, watch_ms(vote.interval_minutes)));
        // A vote that comes late says nothing about a DELETE after it.
        let late = self.pending_ms.is_some_and(|delete_ms| vote.started_ms <= delete_ms);
        match (due, vote.class.counted()) {
            (Some(delete_ms), Counted::Failure) if looks_dead(vote) => return Err(delete_ms),
            (Some(_), Counted::Success | Counted::Failure) => {
                let first = !std::mem::replace(&mut self.answered, true);
                if first && vote.class.counted() == Counted::Success {
                    self.survived += 1;
                }
            }
            (None, Counted::Success | Counted::Failure) if !late => self.pending_ms = None,
            _ => {}
        }
        if vote.session_ended && !late {
            self.pending_ms = Some(vote.started_ms);
            self.answered = false;
        }
        Ok(self)
    }
}

/// How long after the start of a probe with a DELETE the next one is watched: one interval between their slots, plus
/// the jitter of both, for else every second death would be held against the endpoint.
fn watch_ms(interval_minutes: u32) -> i64 {
    let jitter_thousandths = i64::from(2 * JITTER_THOUSANDTHS);
    i64::from(interval_minutes) * MINUTE_MS * (1_000 + jitter_thousandths) / 1_000
}

/// Whether `later_ms` lies after `earlier_ms` by at most this many milliseconds.
fn within(earlier_ms: i64, later_ms: i64, at_most_ms: i64) -> bool {
    (1..=at_most_ms).contains(&later_ms.saturating_sub(earlier_ms))
}

/// How a server looks whose process has just ended, from the front of it or from behind its proxy.
fn looks_dead(vote: &Sighting) -> bool {
    matches!(vote.class, Class::ConnectFailed | Class::Closed) || matches!(vote.http_status, Some(502 | 503))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn vote(minute: i64, class: Class, session_ended: bool) -> Sighting {
        let server = (class == Class::Up).then(|| ServerIdentity { name: "a".into(), version: "1".into() });
        Sighting {
            started_ms: minute * MINUTE,
            class,
            http_status: None,
            session_ended,
            server,
            interval_minutes: 5,
        }
    }

    fn run(votes: &[Sighting]) -> (Fuse, Vec<bool>) {
        let mut fuse = Fuse::default();
        let mut blamed = Vec::new();
        for vote in votes {
            let (next, reason) = fuse.observe(vote);
            fuse = next;
            blamed.push(reason.is_some());
        }
        (fuse, blamed)
    }

    #[test]
    fn the_first_death_after_a_delete_is_ours_and_no_delete_follows() {
        for class in [Class::ConnectFailed, Class::Closed] {
            let (fuse, blamed) = run(&[
                vote(0, Class::Up, true),
                vote(5, class, false),
                vote(10, class, false),
                vote(30, Class::Timeout, false),
                vote(31, class, false),
            ]);
            assert!(!fuse.allows_delete());
            assert_eq!(blamed, [false, true, true, true, false], "{class}");
        }
        let bad_gateway = Sighting { http_status: Some(502), ..vote(3, Class::Http5xx, false) };
        assert_eq!(run(&[vote(0, Class::Up, true), bad_gateway]).1, [false, true]);
        let internal = Sighting { http_status: Some(500), ..vote(3, Class::Http5xx, false) };
        assert_eq!(run(&[vote(0, Class::Up, true), internal]).1, [false, false]);
    }

    #[test]
    fn a_death_without_a_delete_or_long_after_it_is_the_servers() {
        assert_eq!(run(&[vote(0, Class::Up, false), vote(5, Class::ConnectFailed, false)]).1, [false, false]);
        assert_eq!(run(&[vote(0, Class::Up, true), vote(7, Class::ConnectFailed, false)]).1, [false, false]);
        let jittered = run(&[vote(0, Class::Up, true), vote(6, Class::ConnectFailed, false)]);
        assert_eq!(jittered.1, [false, true], "one interval between the slots");
        let (fuse, _) = run(&[vote(0, Class::Up, true), vote(7, Class::ConnectFailed, false)]);
        assert!(fuse.allows_delete());
    }

    #[test]
    fn three_survivals_disarm_it_until_the_server_changes() {
        let survived: Vec<_> = (0..4).map(|n| vote(n * 5, Class::Up, true)).collect();
        let (fuse, _) = run(&survived);
        assert!(matches!(fuse, Fuse::Survived { .. }));
        let (fuse, blamed) = fuse.observe(&vote(20, Class::ConnectFailed, false));
        assert_eq!(blamed, None, "it has survived DELETE before");
        let renewed = Sighting {
            server: Some(ServerIdentity { name: "a".into(), version: "2".into() }),
            ..vote(25, Class::Up, true)
        };
        let (fuse, _) = fuse.observe(&renewed);
        let (fuse, blamed) = fuse.observe(&vote(30, Class::Closed, false));
        assert_eq!(blamed, Some(Reason::AfterOurDelete));
        assert!(!fuse.allows_delete());
    }

    #[test]
    fn votes_without_evidence_leave_the_question_open() {
        let (_, blamed) = run(&[
            vote(0, Class::Up, true),
            vote(2, Class::RateLimited, false),
            vote(5, Class::Closed, false),
        ]);
        assert_eq!(blamed, [false, false, true]);
    }

    #[test]
    fn another_failure_or_a_success_in_between_does_not_end_the_watch() {
        for between in [Class::Timeout, Class::Up] {
            let (fuse, blamed) = run(&[
                vote(0, Class::Up, true),
                vote(2, between, false),
                vote(5, Class::ConnectFailed, false),
            ]);
            assert_eq!(blamed, [false, false, true], "{between}");
            assert!(!fuse.allows_delete());
        }
        let survived = Fuse::Armed { survived: 1, pending_ms: Some(0), answered: true, server: None };
        let (fuse, _) =
            run(&[vote(0, Class::Up, true), vote(2, Class::Timeout, false), vote(4, Class::Up, false)]);
        let Fuse::Armed { survived: counted, .. } = fuse else { panic!("{fuse:?}") };
        assert_eq!(counted, 0, "the next counted vote had failed");
        let (again, _) = survived.observe(&vote(4, Class::Up, false));
        assert!(matches!(again, Fuse::Armed { survived: 1, .. }), "one DELETE counts once: {again:?}");
    }

    #[test]
    fn a_vote_from_before_the_delete_that_comes_late_changes_nothing() {
        for late in [Class::Timeout, Class::ConnectFailed, Class::Up] {
            let (_, blamed) = run(&[
                vote(10, Class::Up, true),
                vote(5, late, late == Class::Up),
                vote(15, Class::Closed, false),
            ]);
            assert_eq!(blamed, [false, false, true], "{late}");
        }
    }

    #[test]
    fn it_is_kept_as_json() {
        for fuse in [Fuse::default(), Fuse::Blown { delete_ms: 5 }, Fuse::Survived { server: None }] {
            let text = serde_json::to_string(&fuse).unwrap();
            assert_eq!(crate::reading::document(text.as_bytes()), Ok(fuse), "{text}");
        }
        for text in ["{}", r#"{"blown":{"delete_ms":1},"survived":{}}"#, r#"{"lit":{}}"#] {
            assert!(crate::reading::document::<Fuse>(text.as_bytes()).is_err(), "{text}");
        }
    }
}
