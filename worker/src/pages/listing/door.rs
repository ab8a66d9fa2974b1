//! The OAuth front door, step by step, in the order a client comes to it.

use shared::explanation::{Bearing, DoorStep, capitalized};
use shared::outcome::{Class, FrontDoor, FrontDoorNote};

use crate::api::tool_document::{NetworkEntry, ToolEntry};
use crate::pages::mark::{self, Mark};

/// One step with what was seen at it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) sign: Mark,
    pub(super) title: String,
    pub(super) lines: Vec<String>,
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Care,
    Missing,
    NotObserved,
    NotTried,
}

impl Outcome {
    const fn mark(self) -> Mark {
        match self {
            Self::Passed => mark::PASSED,
            Self::Care => mark::CARE,
            Self::Missing => mark::MISSING,
            Self::NotObserved => mark::UNKNOWN,
            Self::NotTried => mark::NOT_TRIED,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Care => "passed, with care",
            Self::Missing => "missing or invalid",
            Self::NotObserved => "not observed",
            Self::NotTried => "not tried",
        }
    }
}

/// The steps and where they were seen; no steps where no network was ever asked for authorization.
pub(super) fn steps(tool: &ToolEntry) -> (Vec<Step>, String) {
    let asked = |network: &&NetworkEntry| {
        network.front_door.is_some() || network.votes.iter().any(|vote| vote.class == Class::AuthRequired)
    };
    let newest = |network: &&NetworkEntry| {
        let at = network.votes.iter().find(|vote| vote.class == Class::AuthRequired).map(|vote| vote.at);
        (network.front_door.is_some(), at)
    };
    let Some(network) = tool.networks.iter().filter(asked).max_by_key(newest) else {
        return (Vec::new(), String::new());
    };
    let [asked, resource, server] = outcomes(network.front_door, &network.front_door_notes);
    let mut steps = vec![
        challenge(network, asked),
        document("2. Protected-resource metadata", DoorStep::ResourceMetadata, network, resource),
        document("3. Authorization server discovery", DoorStep::AuthorizationServer, network, server),
    ];
    steps.push(Step {
        sign: mark::NOT_TRIED,
        title: "4. Beyond the door: not tried".to_owned(),
        lines: vec!["Never tried. We hold no credentials and look for no way round.".to_owned()],
    });
    (steps, format!("As last seen from {}.", network.network))
}

/// How challenge, resource metadata and authorization server went.
fn outcomes(door: Option<FrontDoor>, notes: &[FrontDoorNote]) -> [Outcome; 3] {
    let worst = |step| {
        let bearing =
            |wanted| notes.iter().any(|note| step_of(*note, notes) == step && note.bearing() == wanted);
        if bearing(Bearing::Missing) && door == Some(FrontDoor::Ok) {
            // One place had a document of no use and another a good one.
            Some(Outcome::Care)
        } else if bearing(Bearing::Missing) {
            Some(Outcome::Missing)
        } else if bearing(Bearing::NotObserved) {
            Some(Outcome::NotObserved)
        } else if bearing(Bearing::Care) {
            Some(Outcome::Care)
        } else if bearing(Bearing::Neutral) {
            Some(Outcome::Passed)
        } else {
            None
        }
    };
    let challenge = worst(DoorStep::Challenge).unwrap_or(Outcome::Passed);
    let unseen = match door {
        Some(FrontDoor::Ok) => Outcome::Passed,
        Some(FrontDoor::Partial) => Outcome::NotTried,
        Some(FrontDoor::Bare) => Outcome::Missing,
        None => Outcome::NotObserved,
    };
    let resource = worst(DoorStep::ResourceMetadata).unwrap_or(unseen);
    let server = worst(DoorStep::AuthorizationServer).unwrap_or(unseen);
    [challenge, resource, server]
}

/// The step a note belongs to. Both documents name an issuer: the note on it goes to the document that was read last.
fn step_of(note: FrontDoorNote, notes: &[FrontDoorNote]) -> DoorStep {
    let server_seen = notes.iter().any(|other| other.step() == DoorStep::AuthorizationServer);
    if note == FrontDoorNote::IssuerInvalid && server_seen {
        DoorStep::AuthorizationServer
    } else {
        note.step()
    }
}

fn lines(step: DoorStep, notes: &[FrontDoorNote]) -> Vec<String> {
    let of_step = notes.iter().filter(|note| step_of(**note, notes) == step);
    of_step.map(|note| format!("{}.", capitalized(note.label()))).collect()
}

fn challenge(network: &NetworkEntry, outcome: Outcome) -> Step {
    let asked = network.votes.iter().find(|vote| vote.class == Class::AuthRequired);
    let mut said = match asked.and_then(|vote| vote.http_status) {
        Some(status) => vec![format!("The handshake was answered with {status}.")],
        None => vec!["The handshake was answered with a demand for authorization.".to_owned()],
    };
    said.extend(lines(DoorStep::Challenge, &network.front_door_notes));
    if outcome == Outcome::Passed {
        said.push("The answer carries a challenge that a client can read.".to_owned());
    }
    Step { sign: outcome.mark(), title: format!("1. Challenge: {}", outcome.word()), lines: said }
}

fn document(title: &str, step: DoorStep, network: &NetworkEntry, outcome: Outcome) -> Step {
    let mut said = lines(step, &network.front_door_notes);
    if said.is_empty() {
        said.push(
            match outcome {
                Outcome::Passed | Outcome::Care => "Found and valid.",
                Outcome::Missing => "Nothing is published, so a client cannot find its way by itself.",
                Outcome::NotObserved => "Not shown to us so far.",
                Outcome::NotTried => "Nothing before it said where to look.",
            }
            .to_owned(),
        );
    }
    Step { sign: outcome.mark(), title: format!("{title}: {}", outcome.word()), lines: said }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Care, Missing, NotObserved, NotTried, Passed};

    #[test]
    fn each_step_shows_the_worst_that_was_seen_at_it() {
        use FrontDoorNote as Note;
        for (door, notes, expected) in [
            (Some(FrontDoor::Ok), vec![Note::MetadataFromChallenge], [Passed, Passed, Passed]),
            (
                Some(FrontDoor::Ok),
                vec![Note::NoChallenge, Note::MetadataAtPath, Note::PkceNotAdvertised],
                [Care, Passed, Care],
            ),
            (
                Some(FrontDoor::Ok),
                vec![Note::MetadataAtRoot, Note::IssuerMismatch, Note::OpenidConfiguration],
                [Passed, Passed, Care],
            ),
            (
                Some(FrontDoor::Partial),
                vec![Note::MetadataFromChallenge, Note::AuthorizationServerMissing],
                [Passed, Passed, Missing],
            ),
            (
                Some(FrontDoor::Partial),
                vec![Note::MetadataFromChallenge, Note::IssuerInvalid],
                [Passed, Missing, NotTried],
            ),
            (
                Some(FrontDoor::Partial),
                vec![Note::NoChallenge, Note::MetadataMissing, Note::IssuerInvalid, Note::OlderDiscovery],
                [Care, Missing, Missing],
            ),
            (
                Some(FrontDoor::Bare),
                vec![Note::ChallengeNamesNoDocument, Note::MetadataMissing],
                [Care, Missing, Missing],
            ),
            (None, vec![Note::MetadataNotObserved], [Passed, NotObserved, NotObserved]),
        ] {
            assert_eq!(outcomes(door, &notes), expected, "{notes:?}");
        }
    }
}
