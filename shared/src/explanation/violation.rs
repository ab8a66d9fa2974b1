//! Violations, said to a person.

use crate::outcome::Violation;

impl Violation {
    /// What was seen, as a phrase.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::IdType => "our request id came back as another JSON type",
            Self::JsonrpcMember => "the member jsonrpc is missing or not \"2.0\"",
            Self::ContentType => "the content type does not name what the body is",
            Self::DuplicateKeys => "a JSON object holds the same key twice",
            Self::InvalidUnicode => "a string holds half a surrogate pair",
            Self::ByteOrderMark => "the JSON starts with a byte order mark",
            Self::SseUnterminated => "the last event was not ended by an empty line",
            Self::CapabilityType => "a capability is not an object",
            Self::CapabilitiesArray => "capabilities is an array where an object belongs",
            Self::ServerInfoMissing => "serverInfo is missing",
            Self::ServerInfoInvalid => "serverInfo lacks a name or a version",
            Self::InitializedUnanswered => "notifications/initialized got no answer in time",
            Self::InitializedRefused => "notifications/initialized was not accepted",
            Self::ResultTypeMissing => "the result lacks resultType",
            Self::TtlMissing => "the result lacks ttlMs",
            Self::CacheScopeMissing => "the result lacks cacheScope",
            Self::SupportedVersionsMissing => "the discovery answer lacks supportedVersions",
            Self::SessionIdInvalid => "the session id holds characters outside visible ASCII",
            Self::StatusMismatch => "the HTTP status does not fit the JSON-RPC answer",
            Self::ToolInvalid => "an entry of the tool list is no tool",
            Self::ToolSchemaInvalid => "a tool breaks the tool schema",
            Self::DuplicateTool => "a tool name is listed more than once",
            Self::CursorInvalid => "a page cursor is not a string",
        }
    }
}
