//! A challenge that names no document: the places where one may be, each with something else in it.

use std::io;

use shared::outcome::{FrontDoor, FrontDoorNote as Note};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected, good};

/// Where a document was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Resource metadata behind the well-known part and the endpoint's path.
    Path,
    /// Resource metadata at the root.
    Root,
    /// Authorization-server metadata at the root, as the revision 2025-03-26 had it.
    Older,
    /// One of the places of the authorization server that the resource metadata names.
    Server,
}

impl Place {
    fn of(exchange: &Exchange<'_>) -> Option<Self> {
        match (exchange.request.kind(), exchange.request.path()) {
            (Kind::ResourceMetadata, "/.well-known/oauth-protected-resource") => Some(Self::Root),
            (Kind::ResourceMetadata, _) => Some(Self::Path),
            (Kind::AuthorizationServer, "/.well-known/oauth-authorization-server") => Some(Self::Older),
            (Kind::AuthorizationServer, _) => Some(Self::Server),
            _ => None,
        }
    }
}

/// Bearer and nothing else; at each place what `act` answers, which is asked for none of the rest.
fn discovered(
    name: &str,
    says: &str,
    front_door: FrontDoor,
    notes: &[Note],
    act: impl Fn(&mut Exchange<'_>, Place) -> io::Result<()> + Send + Sync + 'static,
) -> Behaviour {
    let expected = Expected::door(front_door, &[&[Note::ChallengeNamesNoDocument], notes].concat());
    Behaviour::new(format!("discovery-{name}"), says, expected, move |exchange| match Place::of(exchange) {
        Some(place) => act(exchange, place),
        None => exchange.gated(),
    })
    .alone()
}

fn missing(exchange: &mut Exchange<'_>) -> io::Result<()> {
    exchange.answer(404, &[], "")
}

/// The resource metadata at the root.
fn at_root(exchange: &mut Exchange<'_>) -> io::Result<()> {
    // The path of the request is none of the behaviour's there.
    let base = format!("http://{}", exchange.authority());
    exchange.json(&good::resource_metadata(&base))
}

/// The authorization server at the root, at the first of its places.
fn server_at_root(exchange: &mut Exchange<'_>) -> io::Result<()> {
    let base = format!("http://{}", exchange.authority());
    exchange.json(&good::authorization_server(&base))
}

fn page(exchange: &mut Exchange<'_>) -> io::Result<()> {
    exchange.answer(200, &[("Content-Type", "text/html")], "<!doctype html><title>Welcome</title>")
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    use FrontDoor::{Bare, Ok, Partial};
    use Note::{
        MetadataAtPath, MetadataAtRoot, MetadataInvalid, MetadataMissing, MetadataNotObserved,
        NoAuthorizationServer, OlderDiscovery, ResourceIsPrefix, ResourceMismatch,
    };
    vec![
        discovered(
            "at-the-path",
            "Both documents behind the endpoint's path.",
            Ok,
            &[MetadataAtPath],
            |exchange, _| exchange.gated(),
        ),
        discovered(
            "at-the-root",
            "Both documents at the root.",
            Ok,
            &[MetadataAtRoot, ResourceIsPrefix],
            |exchange, place| match place {
                Place::Root => at_root(exchange),
                Place::Older => server_at_root(exchange),
                _ => missing(exchange),
            },
        ),
        discovered(
            "behind-a-refusal",
            "401 behind the endpoint's path, and both documents at the root.",
            Ok,
            &[MetadataAtRoot, ResourceIsPrefix],
            |exchange, place| match place {
                Place::Root => at_root(exchange),
                Place::Older => server_at_root(exchange),
                _ => exchange.answer(401, &[("WWW-Authenticate", "Bearer")], ""),
            },
        ),
        discovered(
            "behind-a-rate-limit",
            "429 behind the endpoint's path, and both documents at the root.",
            Ok,
            &[MetadataAtRoot, MetadataNotObserved, ResourceIsPrefix],
            |exchange, place| match place {
                Place::Root => at_root(exchange),
                Place::Older => server_at_root(exchange),
                _ => exchange.answer(429, &[("Retry-After", "60")], ""),
            },
        ),
        discovered(
            "of-another-endpoint",
            "Nothing behind the endpoint's path, and at the root the document of another endpoint.",
            Partial,
            &[MetadataAtRoot, ResourceMismatch],
            |exchange, place| match place {
                Place::Root => {
                    let base = format!("http://{}/elsewhere", exchange.authority());
                    exchange.json(&good::resource_metadata(&base))
                }
                _ => missing(exchange),
            },
        ),
        discovered(
            "of-an-empty-object",
            "An empty object behind the endpoint's path.",
            Partial,
            &[MetadataAtPath, MetadataInvalid, NoAuthorizationServer],
            |exchange, _| exchange.answer(200, &[JSON], "{}"),
        ),
        discovered(
            "of-the-older-kind",
            "The authorization server alone, at the root.",
            Partial,
            &[MetadataMissing, OlderDiscovery],
            |exchange, place| match place {
                Place::Older => server_at_root(exchange),
                _ => missing(exchange),
            },
        ),
        discovered("of-pages", "The same page at every path.", Bare, &[MetadataMissing], |exchange, _| {
            page(exchange)
        }),
        discovered("of-nothing", "404 at every path.", Bare, &[MetadataMissing], |exchange, _| {
            missing(exchange)
        }),
    ]
}
