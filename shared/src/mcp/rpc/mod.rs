//! JSON-RPC envelopes: is this message the answer to our request? (methodology section 4, "Details decided")

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

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

/// What an answer brings.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    Result(Value),
    Error(RpcError),
}

/// The error of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// None where the code is missing or no integer.
    pub code: Option<i64>,
    /// Empty where it is missing or no text.
    pub message: String,
    pub data: Option<Value>,
}

/// Reads a message as the possible answer to the request with this id.
///
/// An array is a batch (revision 2025-03-26): the answer with our id counts, or one to nobody in particular, or else
/// the worst of the rest.
#[must_use]
pub fn read(value: Value, id: u32) -> Incoming {
    match value {
        Value::Object(message) => read_object(message, id).incoming,
        Value::Array(batch) => read_batch(batch, id),
        _ => Incoming::NotJsonRpc,
    }
}

/// A message, and whether its id names our request (an error may have no id and still be for us).
struct Read {
    incoming: Incoming,
    names_us: bool,
}

fn read_batch(batch: Vec<Value>, id: u32) -> Incoming {
    let rank = |read: &Read| match read.incoming {
        Incoming::Answer(_) if read.names_us => 5,
        Incoming::Answer(_) => 4,
        Incoming::Broken => 3,
        Incoming::OtherAnswer => 2,
        Incoming::RequestOrNotification => 1,
        Incoming::NotJsonRpc => 0,
    };
    let mut best = Read { incoming: Incoming::NotJsonRpc, names_us: false };
    for item in batch {
        let Value::Object(message) = item else { continue };
        let read = read_object(message, id);
        if rank(&read) > rank(&best) {
            best = read;
        }
    }
    best.incoming
}

/// What the `id` of a message says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Id {
    Ours,
    /// The same number, written as a fraction or as text.
    OursOddly,
    Absent,
    /// What some servers put where they have not read the id of the request they refuse.
    ServerError,
    Other,
}

impl Id {
    fn of(member: Option<&Value>, id: u32) -> Self {
        match member {
            None => Self::Absent,
            Some(Value::Number(number)) if number.as_u64() == Some(u64::from(id)) => Self::Ours,
            Some(Value::Number(number)) if number.as_f64() == Some(f64::from(id)) => Self::OursOddly,
            Some(Value::String(text)) if text.parse() == Ok(f64::from(id)) => Self::OursOddly,
            Some(Value::String(text)) if text == "server-error" => Self::ServerError,
            Some(_) => Self::Other,
        }
    }

    const fn names_us(self) -> bool {
        matches!(self, Self::Ours | Self::OursOddly)
    }
}

fn read_object(mut message: Map<String, Value>, our_id: u32) -> Read {
    // A null member counts as absent.
    message.retain(|_, value| !value.is_null());
    let id = Id::of(message.get("id"), our_id);
    let version = message.get("jsonrpc");
    let claimed = version.is_some();
    let version_right = version.and_then(Value::as_str) == Some("2.0");
    let (result, error) = (message.remove("result"), message.remove("error"));

    let incoming = if !claimed && !id.names_us() {
        // Without `jsonrpc`, only our own id tells an answer from any other JSON with an `error` member.
        Incoming::NotJsonRpc
    } else {
        match (result, error) {
            (None, None) if message.get("method").is_some_and(Value::is_string) => {
                Incoming::RequestOrNotification
            }
            (None, None) => Incoming::Broken,
            _ if id == Id::Other => Incoming::OtherAnswer,
            (Some(_), Some(_)) => Incoming::Broken,
            // That word is known from errors; as the id of a result it is somebody else's.
            (Some(_), None) if id == Id::ServerError => Incoming::OtherAnswer,
            // A result must carry the id: nobody could tell whose it is.
            (Some(_), None) if !id.names_us() => Incoming::Broken,
            (Some(result), None) => answer(Payload::Result(result), id, version_right),
            (None, Some(Value::Object(error))) => answer(Payload::Error(rpc_error(error)), id, version_right),
            (None, Some(_)) => Incoming::Broken,
        }
    };
    Read { incoming, names_us: id.names_us() }
}

fn answer(payload: Payload, id: Id, version_right: bool) -> Incoming {
    let mut violations = Vec::new();
    if id == Id::OursOddly {
        violations.push(Violation::IdType);
    }
    if !version_right {
        violations.push(Violation::JsonrpcMember);
    }
    Incoming::Answer(Answer { payload, violations })
}

fn rpc_error(mut error: Map<String, Value>) -> RpcError {
    let message = match error.remove("message") {
        Some(Value::String(message)) => message,
        _ => String::new(),
    };
    let data = error.remove("data").filter(|data| !data.is_null());
    RpcError { code: error.get("code").and_then(Value::as_i64), message, data }
}
