//! The OAuth front door, said to a person.

use crate::outcome::{FrontDoor, FrontDoorNote};

/// What a note means for a client that comes to the front door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// A plain fact.
    Neutral,
    /// A client has to cope with it.
    Care,
    /// A document is missing or cannot be used.
    Missing,
    /// We could not look.
    NotObserved,
}

/// The part of the front door a note speaks of, in the order a client comes to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorStep {
    Challenge,
    ResourceMetadata,
    AuthorizationServer,
}

impl FrontDoor {
    /// How the door looked.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ok => "both documents valid",
            Self::Partial => "a document is missing, invalid or does not match",
            Self::Bare => "a key is required, no OAuth advertised",
        }
    }
}

impl FrontDoorNote {
    /// What was seen, as a phrase.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoChallenge => "the answer carries no authorization challenge",
            Self::ChallengeUnparsable => "the challenge does not parse",
            Self::ChallengeNamesNoDocument => "the challenge names no document",
            Self::MetadataFromChallenge => "found where the challenge pointed",
            Self::MetadataAtPath => "found at the well-known place for this path",
            Self::MetadataAtRoot => "found at the well-known place of the host",
            Self::MetadataOffOrigin => "the challenge points to another origin",
            Self::MetadataMissing => "not published at any documented place",
            Self::MetadataInvalid => "published, but lacks what a client needs",
            Self::MetadataNotObserved => "refused to us or out of time, so not observed",
            Self::MetadataUrlRefused => "the challenge points to an address we do not fetch",
            Self::ResourceMismatch => "names another resource than this endpoint",
            Self::ResourceIsPrefix => "names a resource that this endpoint lies under",
            Self::NoAuthorizationServer => "names no authorization server",
            Self::SeveralAuthorizationServers => {
                "names several authorization servers; we looked at the first"
            }
            Self::IssuerInvalid => "the issuer is not a URL that can be fetched",
            Self::IssuerMismatch => "names another issuer than the one it was found under",
            Self::AuthorizationServerMissing => "not published at any documented place of the issuer",
            Self::AuthorizationServerInvalid => "published, but lacks what a client needs",
            Self::AuthorizationServerNotObserved => "refused to us or out of time, so not observed",
            Self::EndpointMissing => "lacks the authorization or the token endpoint",
            Self::EndpointNotHttps => "an endpoint in it is not https",
            Self::PkceNotAdvertised => "does not advertise PKCE with S256, which clients insist on",
            Self::OpenidConfiguration => "published as OpenID configuration",
            Self::OlderDiscovery => "found in the way of revision 2025-03-26, at the root of the host",
            Self::FromCache => "taken from a document read within the last day",
        }
    }

    /// What it means for a client.
    #[must_use]
    pub const fn bearing(self) -> Bearing {
        match self {
            Self::MetadataFromChallenge
            | Self::MetadataAtPath
            | Self::MetadataAtRoot
            | Self::SeveralAuthorizationServers
            | Self::OpenidConfiguration
            | Self::FromCache => Bearing::Neutral,
            Self::NoChallenge
            | Self::ChallengeUnparsable
            | Self::ChallengeNamesNoDocument
            | Self::MetadataOffOrigin
            | Self::ResourceIsPrefix
            | Self::PkceNotAdvertised
            | Self::OlderDiscovery => Bearing::Care,
            Self::MetadataMissing
            | Self::MetadataInvalid
            | Self::MetadataUrlRefused
            | Self::ResourceMismatch
            | Self::NoAuthorizationServer
            | Self::IssuerInvalid
            | Self::IssuerMismatch
            | Self::AuthorizationServerMissing
            | Self::AuthorizationServerInvalid
            | Self::EndpointMissing
            | Self::EndpointNotHttps => Bearing::Missing,
            Self::MetadataNotObserved | Self::AuthorizationServerNotObserved => Bearing::NotObserved,
        }
    }

    /// The part of the door it speaks of.
    #[must_use]
    pub const fn step(self) -> DoorStep {
        match self {
            Self::NoChallenge | Self::ChallengeUnparsable | Self::ChallengeNamesNoDocument => {
                DoorStep::Challenge
            }
            Self::MetadataFromChallenge
            | Self::MetadataAtPath
            | Self::MetadataAtRoot
            | Self::MetadataOffOrigin
            | Self::MetadataMissing
            | Self::MetadataInvalid
            | Self::MetadataNotObserved
            | Self::MetadataUrlRefused
            | Self::ResourceMismatch
            | Self::ResourceIsPrefix
            | Self::NoAuthorizationServer
            | Self::SeveralAuthorizationServers
            | Self::IssuerInvalid => DoorStep::ResourceMetadata,
            Self::IssuerMismatch
            | Self::AuthorizationServerMissing
            | Self::AuthorizationServerInvalid
            | Self::AuthorizationServerNotObserved
            | Self::EndpointMissing
            | Self::EndpointNotHttps
            | Self::PkceNotAdvertised
            | Self::OpenidConfiguration
            | Self::OlderDiscovery
            | Self::FromCache => DoorStep::AuthorizationServer,
        }
    }
}
