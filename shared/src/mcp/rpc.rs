//! JSON-RPC envelopes: is this message the answer to our request? (methodology section 4, "Details decided")

use serde_json::Value;

use crate::outcome::Violation;

/// What a message is to us.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// The answer to our request.
    Answer(Answer),
    /// The answer to somebody else's.
    OtherAnswer,
    /// A request or notification of the server.
    RequestOrNotification,
    /// Claims to be JSON-RPC, or carries our id, and breaks the envelope.
    Broken,
    /// Other JSON.
    NotJsonRpc,
}

/// The answer to our request.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub payload: Payload,
    /// `id_type`, `jsonrpc_member`.
    pub violations: Vec<Violation>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    Result(Value),
    Error(RpcError),
}

#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// None where the code is missing or no integer.
    pub code: Option<i64>,
    /// Empty where it is missing or no text.
    pub message: String,
    pub data: Option<Value>,
}

/// Reads a message as the possible answer to the request with this id.
#[must_use]
pub fn read(value: Value, id: u32) -> Incoming {
    let _ = (value, id);
    Incoming::NotJsonRpc
}
