//! The table: what is said of each name.

use std::collections::HashMap;
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

pub use hickory_proto::op::ResponseCode;
use hickory_proto::op::{Message, MessageType, Query};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, NS};
use hickory_proto::rr::{Name, RData, Record, RecordType};

const TTL: u32 = 60;

/// One question that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// In lower case, without the dot at its end.
    pub name: String,
    pub kind: RecordType,
    pub tcp: bool,
    /// 1 for the first question of this name and type.
    pub number: usize,
}

/// What is said to one question.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Those of the type that was asked for; none of them is "no data".
    Addresses(Vec<IpAddr>),
    /// An alias, and nothing about its target.
    Alias(String),
    /// An alias of an alias, so many times, and the addresses of the last one, all in one answer.
    Chain(usize, Vec<IpAddr>),
    /// NXDOMAIN, SERVFAIL, REFUSED...
    Fails(ResponseCode),
    /// Never anything.
    Silence,
    /// Bytes that are no DNS message, in answer to a real question.
    Garbage,
    /// Over UDP only that there is more; over TCP this.
    Truncated(Box<Self>),
    /// Over either only that there is more.
    AlwaysTruncated,
    /// This, so much later.
    Late(Duration, Box<Self>),
}

impl Answer {
    /// These addresses.
    ///
    /// # Panics
    /// Where a text is no address.
    #[must_use]
    pub fn addresses(texts: &[&str]) -> Self {
        let address = |text: &&str| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        Self::Addresses(texts.iter().map(address).collect())
    }

    #[must_use]
    pub fn late(self, pause: Duration) -> Self {
        Self::Late(pause, Box::new(self))
    }

    #[must_use]
    pub fn truncated(self) -> Self {
        Self::Truncated(Box::new(self))
    }
}

type Rule = Box<dyn Fn(&Question) -> Answer + Send + Sync>;

/// Names and what is said of them.
#[derive(Default)]
pub struct Zone {
    rules: HashMap<String, Rule>,
    everything: Option<Answer>,
    endless: Option<String>,
}

impl Zone {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same answer to every question for this name.
    #[must_use]
    pub fn says(self, name: &str, answer: Answer) -> Self {
        self.decides(name, move |_| answer.clone())
    }

    /// An answer that depends on the question: its type, its number, its transport.
    #[must_use]
    pub fn decides(mut self, name: &str, rule: impl Fn(&Question) -> Answer + Send + Sync + 'static) -> Self {
        self.rules.insert(name.to_owned(), Box::new(rule));
        self
    }

    /// An alias of a name below, which is an alias of a name below that, and so on without end or repetition.
    #[must_use]
    pub fn endless_aliases(mut self, name: &str) -> Self {
        self.endless = Some(name.to_owned());
        self
    }

    /// One answer for all names, the root included.
    #[must_use]
    pub fn everywhere(answer: Answer) -> Self {
        Self { everything: Some(answer), ..Self::default() }
    }

    /// The bytes of the answer; None for silence.
    pub(super) fn answer(&self, asking: &Message, query: &Query, question: &Question) -> Option<Vec<u8>> {
        let mut answer = self.said(question);
        while let Answer::Late(pause, then) = answer {
            thread::sleep(pause);
            answer = *then;
        }
        let mut message = Message::response(asking.id, asking.op_code);
        message.metadata.message_type = MessageType::Response;
        message.metadata.recursion_desired = asking.recursion_desired;
        message.metadata.recursion_available = true;
        message.add_query(query.clone());
        match answer {
            Answer::Silence => return None,
            Answer::Garbage => return Some(garbage(asking.id)),
            Answer::AlwaysTruncated => message.metadata.truncation = true,
            Answer::Truncated(_) if !question.tcp => message.metadata.truncation = true,
            Answer::Truncated(whole) => fill(&mut message, query, *whole),
            other => fill(&mut message, query, other),
        }
        message.to_vec().ok()
    }

    fn said(&self, question: &Question) -> Answer {
        if let Some(answer) = &self.everything {
            return answer.clone();
        }
        if self.endless.as_ref().is_some_and(|name| question.name.ends_with(name.as_str())) {
            return Answer::Alias(format!("x.{}", question.name));
        }
        match self.rules.get(&question.name) {
            Some(rule) => rule(question),
            None if question.name.is_empty() => Answer::Addresses(Vec::new()),
            None => Answer::Fails(ResponseCode::NXDomain),
        }
    }
}

fn fill(message: &mut Message, query: &Query, answer: Answer) {
    let owner = query.name().clone();
    let alias = |to: &str| Name::from_ascii(format!("{to}.")).expect("an alias is a name");
    match answer {
        Answer::Addresses(found) => records(message, &owner, query.query_type(), &found),
        Answer::Alias(to) => {
            message.add_answer(Record::from_rdata(owner, TTL, RData::CNAME(CNAME(alias(&to)))));
        }
        Answer::Chain(links, found) => {
            let mut from = owner.clone();
            for link in 1..=links {
                let to = alias(&format!("{link}.{}", text(&owner)));
                message.add_answer(Record::from_rdata(from, TTL, RData::CNAME(CNAME(to.clone()))));
                from = to;
            }
            records(message, &from, query.query_type(), &found);
        }
        Answer::Fails(code) => message.metadata.response_code = code,
        Answer::Silence | Answer::Garbage | Answer::AlwaysTruncated => {}
        Answer::Truncated(inner) | Answer::Late(_, inner) => fill(message, query, *inner),
    }
}

fn records(message: &mut Message, owner: &Name, kind: RecordType, found: &[IpAddr]) {
    if kind == RecordType::NS {
        let server = Name::from_ascii("a.root-servers.net.").expect("a name");
        message.add_answer(Record::from_rdata(owner.clone(), TTL, RData::NS(NS(server))));
    }
    for address in found {
        let data = match (kind, address) {
            (RecordType::A, IpAddr::V4(v4)) => RData::A(A(*v4)),
            (RecordType::AAAA, IpAddr::V6(v6)) => RData::AAAA(AAAA(*v6)),
            _ => continue,
        };
        message.add_answer(Record::from_rdata(owner.clone(), TTL, data));
    }
}

/// A header that promises records, and none of them.
fn garbage(id: u16) -> Vec<u8> {
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend([0x81, 0x80, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xc0, 0x0c]);
    bytes
}

/// A name as the table has it.
pub(super) fn text(name: &Name) -> String {
    name.to_ascii().trim_end_matches('.').to_ascii_lowercase()
}
