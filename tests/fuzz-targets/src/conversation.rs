//! The whole probe against a server that answers anything: the laws of `shared::probe::laws`.

use shared::outcome::{Era, Phase, Precision};
use shared::probe::laws::{Answer, FAULTS, Script, hold};
use shared::probe::{BodyEnd, Deadlines, Plan};
use url::Url;

/// Separates what the probe knows from the answers, and those from each other.
const RECORD_SEPARATOR: u8 = 0x1e;
/// More answers than any conversation takes.
const ANSWERS: usize = 64;

/// Records, separated by 0x1e: the first is what the probe knows, each other one an answer, written much as HTTP is.
///
/// ```text
/// 200 broken
/// content-type: application/json
///
/// {"jsonrpc":"2.0","id":{{id}},"result":{}}
/// ```
///
/// An answer that begins with `!` is a fault; the next two bytes say which, and in which phase.
pub fn conversation(data: &[u8]) {
    let mut records = data.split(|byte| *byte == RECORD_SEPARATOR);
    let known = records.next().unwrap_or_default();
    let mut answers: Vec<Answer> = records.take(ANSWERS).map(answer).collect();
    if answers.is_empty() {
        answers.push(Answer::Fault(FAULTS[0], None));
    }
    let byte = |place: usize| known.get(place).copied().unwrap_or(0);
    let script = Script { answers, step_ms: u32::from(byte(1)) * 100 };
    let piece = 1 + usize::from(byte(2)) % 64;
    if let Err(law) = hold(&plan(byte(0), byte(3)), &script, piece) {
        panic!("{law}");
    }
}

/// What the probe knows, a bit or two for each.
fn plan(bits: u8, seed: u8) -> Plan {
    let given = |bit: u8| bits >> bit & 1 == 1;
    let remembered = |bit: u8, url: &str| given(bit).then(|| url.parse().ok()).flatten();
    Plan {
        endpoint: Url::parse("https://mcp.example/mcp").expect("the endpoint is an address"),
        era: given(0).then(|| if given(1) { Era::Modern } else { Era::Legacy }),
        resource_metadata: remembered(2, "https://mcp.example/.well-known/oauth-protected-resource/mcp"),
        authorization_server: remembered(3, "https://as.example/.well-known/oauth-authorization-server"),
        end_session: !given(4),
        precision: if given(5) { Precision::Edge } else { Precision::Exact },
        allow_private: given(6),
        deadlines: Deadlines::PUBLISHED,
        started_ms: 1_796_054_400_000,
        seed: seed.into(),
    }
}

fn answer(record: &[u8]) -> Answer {
    if let [b'!', fault @ ..] = record {
        let at = |place: usize, count: usize| usize::from(fault.get(place).copied().unwrap_or(0)) % count;
        let phase = Phase::ALL.get(at(1, Phase::ALL.len() + 1)).copied();
        return Answer::Fault(FAULTS[at(0, FAULTS.len())], phase);
    }
    let (head, body) = split(record, b"\n\n").unwrap_or((record, b""));
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let (status, end) = first.split_once(' ').unwrap_or((&first, ""));
    let headers = lines.filter_map(|line| {
        let (name, value) = split(line, b":")?;
        Some((String::from_utf8_lossy(name).into_owned(), value.to_vec()))
    });
    Answer::Response {
        // HTTP libraries take three digits.
        status: status.parse().ok().filter(|status| (100..=999).contains(status)).unwrap_or(200),
        headers: headers.collect(),
        body: body.to_vec(),
        end: match end {
            "broken" => BodyEnd::Broken,
            "timeout" => BodyEnd::TimedOut,
            "undecodable" => BodyEnd::Undecodable,
            _ => BodyEnd::Complete,
        },
    }
}

fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = bytes.windows(by.len()).position(|window| window == by)?;
    Some((&bytes[..place], &bytes[place + by.len()..]))
}
