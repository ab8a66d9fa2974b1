//! The outcome classes of methodology section 4 and the fixed words that go with them.

use crate::words::word_enum;

word_enum! {
    /// The class of one probe. See methodology section 4.
    Class {
        /// Valid handshake; tools listed, not offered, refused to us, or cut at our caps.
        Up = 1 "up",
        /// A client could work, with a named violation, or the tools could not be listed after a good handshake.
        Degraded = 2 "degraded",
        /// 401, or 403 with a Bearer challenge.
        AuthRequired = 3 "auth_required",
        /// No complete handshake answer before the deadline.
        Timeout = 10 "timeout",
        /// The name does not exist, has no address, or its delegation is dead.
        DnsFailure = 11 "dns_failure",
        /// Certificate or TLS handshake.
        TlsFailure = 12 "tls_failure",
        /// Refused, unreachable, or reset before any byte.
        ConnectFailed = 13 "connect_failed",
        /// Closed with a partial answer, or the stream ended without our answer.
        Closed = 14 "closed",
        /// A 5xx not covered by a more precise class.
        Http5xx = 15 "http_5xx",
        /// Any other 4xx without a JSON-RPC body.
        Http4xx = 16 "http_4xx",
        /// A JSON-RPC error to the handshake.
        RpcError = 17 "rpc_error",
        /// 2xx that is not JSON-RPC.
        NotMcp = 18 "not_mcp",
        /// Claims JSON or SSE and does not parse, or lacks required members.
        Malformed = 19 "malformed",
        /// An answer to somebody else's request and none to ours.
        WrongId = 20 "wrong_id",
        /// Off-origin, method-changing, too many hops, or a loop.
        Redirect = 21 "redirect",
        /// The handshake answer is beyond the cap.
        TooLarge = 22 "too_large",
        /// The endpoint chose not to serve us.
        Refused = 30 "refused",
        /// The endpoint asked us to come less often.
        RateLimited = 31 "rate_limited",
        /// Our own fault.
        VantageError = 32 "vantage_error",
        /// This vantage cannot say whose fault it was.
        VantageUnclear = 33 "vantage_unclear",
        /// Not sent; the reason is kept.
        Skipped = 34 "skipped",
    }
}

word_enum! {
    /// Whether a class is evidence about the endpoint.
    Counted {
        /// Evidence that a client could open a conversation or an authorization flow.
        Success = 1 "success",
        /// Evidence that it could not.
        Failure = 2 "failure",
        /// No evidence about the endpoint.
        None = 0 "none",
    }
}

impl Class {
    /// Whether this class counts, and as what.
    #[must_use]
    pub const fn counted(self) -> Counted {
        match self {
            Self::Up | Self::Degraded | Self::AuthRequired => Counted::Success,
            Self::Timeout
            | Self::DnsFailure
            | Self::TlsFailure
            | Self::ConnectFailed
            | Self::Closed
            | Self::Http5xx
            | Self::Http4xx
            | Self::RpcError
            | Self::NotMcp
            | Self::Malformed
            | Self::WrongId
            | Self::Redirect
            | Self::TooLarge => Counted::Failure,
            Self::Refused | Self::RateLimited | Self::VantageError | Self::VantageUnclear | Self::Skipped => {
                Counted::None
            }
        }
    }

    /// Words for a person, without blame.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Up => "answers as MCP",
            Self::Degraded => "answers as MCP, with a fault",
            Self::AuthRequired => "asks for authorization",
            Self::Timeout => "no answer in time",
            Self::DnsFailure => "name does not resolve",
            Self::TlsFailure => "TLS does not come up",
            Self::ConnectFailed => "connection not accepted",
            Self::Closed => "connection closed early",
            Self::Http5xx => "HTTP server error",
            Self::Http4xx => "HTTP client error",
            Self::RpcError => "JSON-RPC error",
            Self::NotMcp => "answers HTTP, not MCP",
            Self::Malformed => "answer does not parse",
            Self::WrongId => "answer to another request",
            Self::Redirect => "redirects elsewhere",
            Self::TooLarge => "answer too large",
            Self::Refused => "declined our probe",
            Self::RateLimited => "asked us to slow down",
            Self::VantageError => "our own fault",
            Self::VantageUnclear => "this network cannot tell",
            Self::Skipped => "not sent",
        }
    }

    /// One sentence that says what was seen.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Up => {
                "The handshake succeeded and the tools were listed, are not offered, or were refused to us alone."
            }
            Self::Degraded => {
                "A client could work, but a named rule of the protocol was broken or the tools could not be listed."
            }
            Self::AuthRequired => {
                "The endpoint asked for authorization; we looked at its front door and went no further."
            }
            Self::Timeout => "No complete answer to the handshake arrived before the deadline.",
            Self::DnsFailure => {
                "The host name does not exist, has no address, or its delegation does not answer."
            }
            Self::TlsFailure => "The certificate or the TLS handshake was not acceptable.",
            Self::ConnectFailed => {
                "The connection was refused, unreachable, or reset before any byte arrived."
            }
            Self::Closed => {
                "The connection closed, or the stream ended, without a complete answer to our request."
            }
            Self::Http5xx => "The endpoint answered with an HTTP server error.",
            Self::Http4xx => "The endpoint answered with an HTTP client error and no JSON-RPC body.",
            Self::RpcError => "The endpoint answered the handshake with a JSON-RPC error.",
            Self::NotMcp => "The URL answers HTTP with something that is not JSON-RPC.",
            Self::Malformed => {
                "The answer claims to be JSON or an event stream and does not parse, or lacks required members."
            }
            Self::WrongId => "An answer to another request arrived, and none to ours.",
            Self::Redirect => {
                "The endpoint redirects off its origin, with a changed method, or too often; official clients fail on it."
            }
            Self::TooLarge => "The answer to the handshake exceeded the published cap.",
            Self::Refused => {
                "The endpoint, or something in front of it, chose not to serve our probe. This is no evidence about it."
            }
            Self::RateLimited => {
                "The endpoint asked us to come less often, and we do. This is no evidence about it."
            }
            Self::VantageError => "The fault was ours. This is no evidence about the endpoint.",
            Self::VantageUnclear => {
                "This network cannot say whose fault it was. This is no evidence about the endpoint."
            }
            Self::Skipped => "No request was sent; the reason is kept.",
        }
    }
}

word_enum! {
    /// Why a class was given, where the class alone does not say it.
    Reason {
        // up
        ToolsNotOffered = 1 "tools_not_offered",
        ToolsRefused = 2 "tools_refused",
        ToolsTruncated = 3 "tools_truncated",
        PageFailed = 4 "page_failed",
        // degraded
        ToolsFailed = 11 "tools_failed",
        NoCommonVersion = 12 "no_common_version",
        SessionLost = 13 "session_lost",
        StickyCookie = 14 "sticky_cookie",
        BudgetEnded = 15 "budget_ended",
        // auth_required
        FrontDoorNotObserved = 20 "front_door_not_observed",
        // dns_failure
        NoSuchName = 30 "no_such_name",
        NoAddress = 31 "no_address",
        DeadDelegation = 32 "dead_delegation",
        // tls_failure
        IncompleteChain = 40 "incomplete_chain",
        CertificateExpired = 41 "certificate_expired",
        CertificateNotYetValid = 42 "certificate_not_yet_valid",
        CertificateWrongHost = 43 "certificate_wrong_host",
        CertificateUntrusted = 44 "certificate_untrusted",
        CertificateInvalid = 45 "certificate_invalid",
        TlsHandshake = 46 "tls_handshake",
        NotTls = 47 "not_tls",
        // connect_failed
        ConnectionRefused = 50 "connection_refused",
        Unreachable = 51 "unreachable",
        ConnectionReset = 52 "connection_reset",
        // closed
        EmptyReply = 55 "empty_reply",
        PartialAnswer = 56 "partial_answer",
        StreamEnded = 57 "stream_ended",
        // http_4xx, http_5xx
        NoRoute = 60 "no_route",
        HostNotAccepted = 61 "host_not_accepted",
        PlatformNoApp = 62 "platform_no_app",
        // not_mcp
        Empty = 70 "empty",
        Html = 71 "html",
        OtherJson = 72 "other_json",
        OtherContent = 73 "other_content",
        AcceptedWithoutAnswer = 74 "accepted_without_answer",
        NotHttp = 75 "not_http",
        // malformed
        Encoding = 80 "encoding",
        NotJson = 81 "not_json",
        TooDeep = 82 "too_deep",
        Envelope = 83 "envelope",
        MissingMember = 84 "missing_member",
        NotSse = 85 "not_sse",
        HeaderTooLarge = 86 "header_too_large",
        // redirect
        OffOrigin = 90 "off_origin",
        MethodChanging = 91 "method_changing",
        TooManyHops = 92 "too_many_hops",
        RedirectLoop = 93 "redirect_loop",
        NoLocation = 94 "no_location",
        // refused
        Forbidden = 100 "forbidden",
        BotWall = 101 "bot_wall",
        Legal = 102 "legal",
        Payment = 103 "payment",
        LoginWall = 104 "login_wall",
        ClientCertificate = 105 "client_certificate",
        // rate_limited
        TooManyRequests = 110 "too_many_requests",
        RpcRateLimit = 111 "rpc_rate_limit",
        // vantage_error
        AfterOurDelete = 120 "after_our_delete",
        MassFailure = 121 "mass_failure",
        ResolverFailed = 122 "resolver_failed",
        LocalNetwork = 123 "local_network",
        Internal = 124 "internal",
        PlatformLimit = 125 "platform_limit",
        // skipped
        PrivateAddress = 130 "private_address",
        NotHttps = 131 "not_https",
        NoIpv6 = 132 "no_ipv6",
        BackOff = 133 "back_off",
        OptedOut = 134 "opted_out",
        DeniedHost = 135 "denied_host",
    }
}

word_enum! {
    /// How far a request came.
    Phase {
        Dns = 1 "dns",
        Connect = 2 "connect",
        Tls = 3 "tls",
        Headers = 4 "headers",
        Body = 5 "body",
    }
}

word_enum! {
    /// How precisely a network can see.
    Precision {
        /// Every phase is visible.
        Exact = 0 "exact",
        /// The runtime hides DNS, TCP and TLS.
        Edge = 1 "edge",
    }
}

word_enum! {
    /// The two generations of MCP over HTTP.
    Era {
        /// 2024-11-05 to 2025-11-25: `initialize`.
        Legacy = 1 "legacy",
        /// 2026-07-28: stateless, `server/discover`.
        Modern = 2 "modern",
    }
}

word_enum! {
    /// What the OAuth front door of a gated endpoint looked like.
    FrontDoor {
        /// Both documents valid.
        Ok = 1 "ok",
        /// One document missing, invalid or mismatched.
        Partial = 2 "partial",
        /// A bare challenge naming no document, nothing published.
        Bare = 3 "bare",
    }
}

word_enum! {
    /// Remarks on a front door, each a fact.
    FrontDoorNote {
        NoChallenge = 1 "no_challenge",
        ChallengeUnparsable = 2 "challenge_unparsable",
        ChallengeNamesNoDocument = 3 "challenge_names_no_document",
        MetadataFromChallenge = 4 "metadata_from_challenge",
        MetadataAtPath = 5 "metadata_at_path",
        MetadataAtRoot = 6 "metadata_at_root",
        MetadataOffOrigin = 7 "metadata_off_origin",
        MetadataMissing = 8 "metadata_missing",
        MetadataInvalid = 9 "metadata_invalid",
        MetadataNotObserved = 10 "metadata_not_observed",
        MetadataUrlRefused = 11 "metadata_url_refused",
        ResourceMismatch = 12 "resource_mismatch",
        ResourceIsPrefix = 13 "resource_is_prefix",
        NoAuthorizationServer = 14 "no_authorization_server",
        SeveralAuthorizationServers = 15 "several_authorization_servers",
        IssuerInvalid = 16 "issuer_invalid",
        IssuerMismatch = 17 "issuer_mismatch",
        AuthorizationServerMissing = 18 "authorization_server_missing",
        AuthorizationServerInvalid = 19 "authorization_server_invalid",
        AuthorizationServerNotObserved = 20 "authorization_server_not_observed",
        EndpointMissing = 21 "endpoint_missing",
        EndpointNotHttps = 22 "endpoint_not_https",
        PkceNotAdvertised = 23 "pkce_not_advertised",
        OpenidConfiguration = 24 "openid_configuration",
        OlderDiscovery = 25 "older_discovery",
        FromCache = 26 "from_cache",
    }
}

word_enum! {
    /// Named breaches of the protocol by an endpoint a client could still use.
    Violation {
        IdType = 1 "id_type",
        JsonrpcMember = 2 "jsonrpc_member",
        ContentType = 3 "content_type",
        DuplicateKeys = 4 "duplicate_keys",
        InvalidUnicode = 5 "invalid_unicode",
        ByteOrderMark = 6 "byte_order_mark",
        SseUnterminated = 7 "sse_unterminated",
        CapabilityType = 8 "capability_type",
        CapabilitiesArray = 9 "capabilities_array",
        ServerInfoMissing = 10 "server_info_missing",
        ServerInfoInvalid = 11 "server_info_invalid",
        InitializedUnanswered = 12 "initialized_unanswered",
        InitializedRefused = 13 "initialized_refused",
        ResultTypeMissing = 14 "result_type_missing",
        TtlMissing = 15 "ttl_missing",
        CacheScopeMissing = 16 "cache_scope_missing",
        SupportedVersionsMissing = 17 "supported_versions_missing",
        SessionIdInvalid = 18 "session_id_invalid",
        StatusMismatch = 19 "status_mismatch",
        ToolInvalid = 20 "tool_invalid",
        ToolSchemaInvalid = 21 "tool_schema_invalid",
        DuplicateTool = 22 "duplicate_tool",
        CursorInvalid = 24 "cursor_invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_are_unique_and_round_trip() {
        for class in Class::ALL {
            assert_eq!(Class::from_word(class.word()), Some(*class));
            assert_eq!(Class::from_code(class.code()), Some(*class));
        }
        for reason in Reason::ALL {
            assert_eq!(Reason::from_word(reason.word()), Some(*reason));
            assert_eq!(Reason::from_code(reason.code()), Some(*reason));
        }
        for violation in Violation::ALL {
            assert_eq!(Violation::from_code(violation.code()), Some(*violation));
            assert!(violation.code() < 64, "violations are stored as bits of a u64");
        }
    }
}
