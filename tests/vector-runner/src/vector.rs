//! The data format of a vector.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::outcome::{Era, Phase, Precision};
use shared::probe::{CertificateFault, FaultKind, Purpose};

/// One probe: what it knows, what the endpoint answers, and what must come out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Unique among all vectors; says what the endpoint does.
    pub name: String,
    /// The rule it protects.
    pub rule: String,
    #[serde(default, skip_serializing_if = "PlanSpec::is_default")]
    pub plan: PlanSpec,
    /// Names a set of rules that stand behind the vector's own; put in place before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The first rule that fits a request answers it.
    #[serde(default)]
    pub script: Vec<Rule>,
    /// Members of the outcome that must be as said; see `differences`.
    pub expect: BTreeMap<String, Value>,
}

/// What a probe knows before it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanSpec {
    pub endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<Era>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_metadata: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_server: Option<String>,
    pub precision: Precision,
    pub allow_private: bool,
    pub end_session: bool,
}

impl Default for PlanSpec {
    fn default() -> Self {
        Self {
            endpoint: "https://tools.example.com/mcp".to_owned(),
            era: None,
            resource_metadata: None,
            authorization_server: None,
            precision: Precision::Exact,
            allow_private: false,
            end_session: true,
        }
    }
}

impl PlanSpec {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which requests get which answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Any purpose where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PurposeWord>,
    /// The whole URL of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Only the n-th request of this purpose, counted from 1 (redirected ones count too).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// Only requests with these header values, by lower-case name; null: with this header, whatever its value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, Option<String>>,
    pub answer: Answer,
}

/// The purposes of requests, as words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PurposeWord {
    Initialize,
    Discover,
    Initialized,
    ToolsList,
    EndSession,
    ResourceMetadata,
    AuthorizationServer,
}

impl From<Purpose> for PurposeWord {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Initialize => Self::Initialize,
            Purpose::Discover => Self::Discover,
            Purpose::Initialized => Self::Initialized,
            Purpose::ToolsList => Self::ToolsList,
            Purpose::EndSession => Self::EndSession,
            Purpose::ResourceMetadata => Self::ResourceMetadata,
            Purpose::AuthorizationServer => Self::AuthorizationServer,
        }
    }
}

/// One answer of the endpoint, or why there is none. At most one of `json`, `events`, `body`, `parts` and `base64`.
///
/// In texts `{{id}}` stands for the id of the request, `{{ok}}` for the good answer to it, `{{n}}` for the round of a
/// repeated part. In `json` the string `"{{id}}"` stands for the number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultSpec>,
    /// 200 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Sent as `application/json` unless `headers` names a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// Sent as `text/event-stream` unless `headers` names a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
    /// Sent without a type unless `headers` names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// As `body`, in pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// As `body`, as bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    #[serde(default, skip_serializing_if = "End::is_complete")]
    pub end: End,
    /// From the start of the request to the end of the answer; 20 where absent. At or beyond the request's deadline
    /// there is no answer but a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u32>,
    /// `DIRECTORY/NAME` of a recorded exchange: its status, headers and body; put in place before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub text: String,
    /// How many times, 1 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Written between the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<String>,
}

/// What comes after the last byte of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The body ends as HTTP says.
    #[default]
    Complete,
    /// The connection breaks.
    Broken,
    /// Nothing, until the request's deadline.
    Timeout,
    /// The content encoding turns out not to decode.
    Undecodable,
    /// Nothing, and the machine must have stopped by itself: the run fails where it wants more.
    Open,
}

impl End {
    fn is_complete(&self) -> bool {
        *self == Self::Complete
    }
}

/// No response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    pub kind: FaultWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
}

macro_rules! fault_words {
    ($($word:ident => $kind:expr,)+) => {
        /// The faults of a transport, as words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum FaultWord { $($word,)+ }

        impl FaultWord {
            pub(crate) fn kind(self) -> FaultKind { match self { $(Self::$word => $kind,)+ } }
        }
    };
}

fault_words! {
    Timeout => FaultKind::Timeout,
    NoSuchName => FaultKind::NoSuchName,
    NoAddress => FaultKind::NoAddress,
    ResolverFailed => FaultKind::ResolverFailed,
    PrivateAddress => FaultKind::PrivateAddress,
    NoIpv6 => FaultKind::NoIpv6,
    ConnectionRefused => FaultKind::ConnectionRefused,
    Unreachable => FaultKind::Unreachable,
    ConnectionReset => FaultKind::ConnectionReset,
    ConnectionLost => FaultKind::ConnectionLost,
    LocalNetwork => FaultKind::LocalNetwork,
    CertificateExpired => FaultKind::Certificate(CertificateFault::Expired),
    CertificateNotYetValid => FaultKind::Certificate(CertificateFault::NotYetValid),
    CertificateWrongHost => FaultKind::Certificate(CertificateFault::WrongHost),
    CertificateUnknownIssuer => FaultKind::Certificate(CertificateFault::UnknownIssuer),
    CertificateIncompleteChain => FaultKind::Certificate(CertificateFault::IncompleteChain),
    CertificateOther => FaultKind::Certificate(CertificateFault::Other),
    TlsHandshake => FaultKind::TlsHandshake,
    ClientCertificate => FaultKind::ClientCertificate,
    NotTls => FaultKind::NotTls,
    EmptyReply => FaultKind::EmptyReply,
    PartialHeaders => FaultKind::PartialHeaders,
    NotHttp => FaultKind::NotHttp,
    HeadersTooLarge => FaultKind::HeadersTooLarge,
    Unclear => FaultKind::Unclear,
    Internal => FaultKind::Internal,
}
