//! The two OAuth documents behind a right challenge: what they say, how they come, and where they lead.

mod answers;
mod discovery;
mod issuers;
mod redirects;
mod resource;
mod server;

use std::io;

use shared::outcome::{FrontDoor, FrontDoorNote as Note};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

/// The challenge, which names the document at its well-known place.
const CHALLENGE: &str =
    "Bearer resource_metadata=\"http://{host}/.well-known/oauth-protected-resource{path}\"";

pub(super) fn behaviours() -> Vec<Behaviour> {
    [
        resource::behaviours(),
        issuers::behaviours(),
        server::behaviours(),
        answers::behaviours(),
        redirects::behaviours(),
        discovery::behaviours(),
    ]
    .concat()
}

/// One of the two documents.
#[derive(Clone, Copy)]
enum Document {
    Resource,
    Server,
}

impl Document {
    const BOTH: [Self; 2] = [Self::Resource, Self::Server];

    /// As names of behaviours begin.
    const fn word(self) -> &'static str {
        match self {
            Self::Resource => "resource-metadata",
            Self::Server => "authorization-server",
        }
    }

    /// As what a behaviour does begins.
    const fn title(self) -> &'static str {
        match self {
            Self::Resource => "Resource metadata",
            Self::Server => "Authorization-server metadata",
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::Resource => Kind::ResourceMetadata,
            Self::Server => Kind::AuthorizationServer,
        }
    }

    /// It is not published, or something else is in its place.
    fn missing(self) -> Expected {
        match self {
            Self::Resource => Expected::door(FrontDoor::Partial, &[Note::MetadataMissing]),
            Self::Server => partial(&[Note::AuthorizationServerMissing]),
        }
    }

    /// We could not look.
    fn not_observed(self) -> Expected {
        match self {
            Self::Resource => Expected::door_not_observed(&[Note::MetadataNotObserved]),
            Self::Server => Expected::door_not_observed(&[
                Note::MetadataFromChallenge,
                Note::AuthorizationServerNotObserved,
            ]),
        }
    }

    /// Asks for authorization, and answers so when asked for this document; the other one is right.
    fn behaviour(
        self,
        name: &str,
        says: &str,
        expected: Expected,
        act: impl Fn(&mut Exchange<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Behaviour {
        let (name, says) = (format!("{}-{name}", self.word()), format!("{} {says}", self.title()));
        Behaviour::new(name, says, expected, move |exchange| match exchange.request.kind() {
            Kind::Initialize => ask(exchange),
            kind if kind == self.kind() => act(exchange),
            _ => exchange.gated(),
        })
    }

    /// The same with this text for the document, in which [`Exchange::fill`] fills in.
    fn text(self, name: &str, says: &str, expected: Expected, text: impl Into<String>) -> Behaviour {
        let text = text.into();
        self.behaviour(name, says, expected, move |exchange| {
            let text = exchange.fill(&text);
            exchange.answer(200, &[JSON], text)
        })
    }

    /// The document as it should be.
    fn right(self, exchange: &Exchange<'_>) -> String {
        let base = exchange.base();
        match self {
            Self::Resource => good::resource_metadata(&base),
            Self::Server => good::authorization_server(&base),
        }
        .to_string()
    }
}

/// Asks for authorization with a right challenge.
fn ask(exchange: &mut Exchange<'_>) -> io::Result<()> {
    let challenge = exchange.fill(CHALLENGE);
    exchange.answer(401, &[("WWW-Authenticate", &challenge)], "")
}

/// Both documents were found and fit.
fn ok(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Ok, &[&[Note::MetadataFromChallenge], notes].concat())
}

/// The document that the challenge names was found, and something is wrong with it or behind it.
fn partial(notes: &[Note]) -> Expected {
    Expected::door(FrontDoor::Partial, &[&[Note::MetadataFromChallenge], notes].concat())
}
