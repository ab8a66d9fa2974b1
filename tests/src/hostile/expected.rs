//! What a probe must make of a behaviour.

use std::fmt::{self, Display, Formatter};

use shared::outcome::{Class, FrontDoor, FrontDoorNote, Phase, Precision, Reason, Violation};
use shared::verdict::ProbeReport;

/// The verdict, as far as the behaviour decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    pub class: Class,
    pub reason: Option<Reason>,
    pub phase: Option<Phase>,
    pub front_door: Option<FrontDoor>,
    /// Remarks on the front door, in the order of their codes.
    pub notes: Vec<FrontDoorNote>,
    /// Sorted.
    pub violations: Vec<Violation>,
    pub precision: Precision,
}

impl Expected {
    /// This class and nothing to add.
    #[must_use]
    pub const fn is(class: Class) -> Self {
        Self {
            class,
            reason: None,
            phase: None,
            front_door: None,
            notes: Vec::new(),
            violations: Vec::new(),
            precision: Precision::Exact,
        }
    }

    /// `up`.
    #[must_use]
    pub const fn up() -> Self {
        Self::is(Class::Up)
    }

    /// `auth_required` with this front door and these remarks on it.
    #[must_use]
    pub fn door(front_door: FrontDoor, notes: &[FrontDoorNote]) -> Self {
        Self { front_door: Some(front_door), notes: by_code(notes.to_vec()), ..Self::is(Class::AuthRequired) }
    }

    /// `auth_required` with a front door that could not be looked at.
    #[must_use]
    pub fn door_not_observed(notes: &[FrontDoorNote]) -> Self {
        Self {
            notes: by_code(notes.to_vec()),
            ..Self::is(Class::AuthRequired).because(Reason::FrontDoorNotObserved)
        }
    }

    /// Known by its headers.
    #[must_use]
    pub fn headers(class: Class, reason: Reason) -> Self {
        Self::is(class).because(reason).at(Phase::Headers)
    }

    /// Known by its body.
    #[must_use]
    pub fn body(class: Class, reason: Reason) -> Self {
        Self::is(class).because(reason).at(Phase::Body)
    }

    /// Bytes that are not HTTP.
    #[must_use]
    pub fn not_http() -> Self {
        Self::headers(Class::NotMcp, Reason::NotHttp)
    }

    /// A body beyond the cap.
    #[must_use]
    pub fn too_large() -> Self {
        Self::is(Class::TooLarge).at(Phase::Body)
    }

    /// A good handshake, and tools that could not be listed.
    #[must_use]
    pub fn tools_failed(phase: Phase) -> Self {
        Self::is(Class::Degraded).because(Reason::ToolsFailed).at(phase)
    }

    /// `degraded`: a client could work, beside this breach.
    #[must_use]
    pub fn breach(violation: Violation) -> Self {
        Self::is(Class::Degraded).breaks(&[violation])
    }

    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    #[must_use]
    pub fn at(mut self, phase: Phase) -> Self {
        self.phase = Some(phase);
        self
    }

    #[must_use]
    pub fn breaks(mut self, violations: &[Violation]) -> Self {
        self.violations = violations.to_vec();
        self.violations.sort_unstable();
        self
    }

    /// What of a report is compared.
    #[must_use]
    pub fn of(report: &ProbeReport) -> Self {
        Self {
            class: report.class,
            reason: report.reason,
            phase: report.phase,
            front_door: report.front_door,
            notes: by_code(report.front_door_notes.clone()),
            violations: report.violations.clone(),
            precision: report.precision,
        }
    }

    /// What `fetch()` in a Worker leaves of it: before the headers every broken exchange is one "connection lost",
    /// which cannot be told from a refused one.
    #[must_use]
    pub fn from_the_edge(&self) -> Self {
        let mut seen = Self { precision: Precision::Edge, ..self.clone() };
        // Of TLS and DNS faults it says one and the same thing.
        if matches!(self.class, Class::TlsFailure | Class::DnsFailure)
            || self.reason == Some(Reason::ClientCertificate)
        {
            return Self { precision: Precision::Edge, ..Self::is(Class::VantageUnclear) };
        }
        if self.class == Class::Timeout
            && matches!(self.phase, Some(Phase::Dns | Phase::Connect | Phase::Tls))
        {
            seen.phase = None;
        }
        let hidden = match self.class {
            Class::Closed | Class::TooLarge | Class::NotMcp => {
                self.phase == Some(Phase::Headers)
                    && matches!(
                        self.reason,
                        Some(
                            Reason::EmptyReply
                                | Reason::PartialAnswer
                                | Reason::HeaderTooLarge
                                | Reason::NotHttp
                        )
                    )
            }
            Class::ConnectFailed => true,
            _ => false,
        };
        if hidden {
            seen = Self { precision: Precision::Edge, ..Self::is(Class::ConnectFailed) };
        }
        seen
    }
}

fn by_code(mut notes: Vec<FrontDoorNote>) -> Vec<FrontDoorNote> {
    notes.sort_by_key(|note| note.code());
    notes
}

impl Display for Expected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.class)?;
        if let Some(reason) = self.reason {
            write!(f, ", {reason}")?;
        }
        if let Some(phase) = self.phase {
            write!(f, ", at {phase}")?;
        }
        if let Some(door) = self.front_door {
            write!(f, ", front door {door}")?;
        }
        if !self.notes.is_empty() {
            let words: Vec<&str> = self.notes.iter().map(|note| note.word()).collect();
            write!(f, ", notes {}", words.join(" "))?;
        }
        if !self.violations.is_empty() {
            let words: Vec<&str> = self.violations.iter().map(|violation| violation.word()).collect();
            write!(f, ", violations {}", words.join(" "))?;
        }
        write!(f, " ({})", self.precision)
    }
}
