//! The OAuth front door of a gated endpoint: which document to fetch next, and what the documents come to.
//! (protocol section 2.2, methodology section 4)

use std::collections::VecDeque;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use super::finding::Finding;
use super::observation::DoorSeen;
use super::plan::Plan;
use super::refusal::refusal_reason;
use super::reply::{BodyEnd, Response};
use crate::mcp::json;
use crate::mcp::oauth::challenge::Challenges;
use crate::mcp::oauth::{address, authorization_server, resource_metadata, well_known};
use crate::methodology::limits::DOCUMENT_GETS;
use crate::outcome::{Class, Counted, FrontDoor, FrontDoorNote as Note, Reason};

/// What one fetch of a document brought.
#[derive(Debug)]
pub(super) enum Document {
    Found(Value),
    /// Absent, or something else stands in its place.
    NotPublished,
    /// Refused to us, or we could not look: no evidence.
    NotObserved,
    /// Its address is one we never fetch.
    UrlRefused,
}

/// The walk through the front door, a document at a time.
#[derive(Debug)]
pub(super) struct Door {
    endpoint: Url,
    allow_private: bool,
    search: Search,
    /// The challenge named the document: then no other place is looked at.
    named: bool,
    /// Some document was not observed.
    unobserved: bool,
    /// Some document of the authorization server was found, and none of use.
    server_found: bool,
    remembered_server: Option<Url>,
    notes: Vec<Note>,
    gets: usize,
    result: Option<FrontDoor>,
    /// The locations and issuer to remember.
    pub(super) resource_metadata: Option<Url>,
    pub(super) authorization_server: Option<Url>,
    pub(super) issuer: Option<String>,
}

#[derive(Debug)]
enum Search {
    Resource(VecDeque<Url>),
    /// The root document of 2025-03-26.
    Older(Option<Url>),
    Server {
        issuer: String,
        candidates: VecDeque<Url>,
    },
    Done,
}

impl Door {
    pub(super) fn new(plan: &Plan, challenges: &Challenges) -> Self {
        let mut notes = Vec::new();
        notes.extend((!challenges.present).then_some(Note::NoChallenge));
        notes.extend(challenges.unparsable.then_some(Note::ChallengeUnparsable));
        let named = challenges.resource_metadata.as_deref();
        let candidates = match named {
            // The specification wants an absolute URL; a relative one can mean one thing only.
            Some(named) => plan.endpoint.join(named).into_iter().collect(),
            None => first(well_known::resource_candidates(&plan.endpoint), plan.resource_metadata.as_ref()),
        };
        notes.extend((challenges.bearer && named.is_none()).then_some(Note::ChallengeNamesNoDocument));
        Self {
            endpoint: plan.endpoint.clone(),
            allow_private: plan.allow_private,
            search: Search::Resource(candidates),
            named: named.is_some(),
            unobserved: false,
            server_found: false,
            remembered_server: plan.authorization_server.clone(),
            notes,
            gets: 0,
            result: None,
            resource_metadata: None,
            authorization_server: None,
            issuer: None,
        }
    }

    /// The document to fetch next; None when the door is known as well as it will be.
    pub(super) fn next_url(&mut self) -> Option<Url> {
        loop {
            let candidate = match &mut self.search {
                Search::Resource(candidates) | Search::Server { candidates, .. } => candidates.pop_front(),
                Search::Older(root) => root.take(),
                Search::Done => return None,
            };
            match candidate {
                None => self.exhausted(),
                Some(url) if self.admits(&url) => return Some(url),
                Some(_) => {}
            }
        }
    }

    /// Counts a GET about to be sent, redirect hops included; false once all are spent.
    pub(super) fn spend_get(&mut self) -> bool {
        self.gets += 1;
        self.gets <= DOCUMENT_GETS
    }

    /// Whether the document given last by [`Door::next_url`] is one of an authorization server.
    pub(super) const fn authorization_server_is_next(&self) -> bool {
        !matches!(self.search, Search::Resource(_))
    }

    /// Takes what fetching `url` (as given by [`Door::next_url`]) brought.
    pub(super) fn take(&mut self, url: &Url, document: Document) {
        let note = |resource, server| match self.search {
            Search::Resource(_) => resource,
            _ => server,
        };
        match document {
            Document::Found(value) => self.found(url, &value),
            Document::NotPublished => {}
            Document::NotObserved => {
                self.unobserved = true;
                self.note(note(Note::MetadataNotObserved, Note::AuthorizationServerNotObserved));
            }
            Document::UrlRefused => self.note(Note::MetadataUrlRefused),
        }
    }

    /// What the door looked like.
    pub(super) fn seen(&self) -> DoorSeen {
        DoorSeen { value: self.result, notes: self.notes.clone() }
    }

    fn found(&mut self, url: &Url, value: &Value) {
        match &self.search {
            Search::Resource(_) => self.found_resource(url, value),
            Search::Older(_) => {
                let document = authorization_server::read(value, None, self.allow_private);
                document.notes.iter().for_each(|note| self.note(*note));
                self.note(Note::OlderDiscovery);
                self.authorization_server = Some(url.clone());
                self.issuer = document.issuer;
                self.end(Some(FrontDoor::Partial));
            }
            Search::Server { issuer, .. } => {
                let document = authorization_server::read(value, Some(issuer), self.allow_private);
                document.notes.iter().for_each(|note| self.note(*note));
                self.server_found = true;
                if document.valid {
                    if well_known::is_openid(url) {
                        self.note(Note::OpenidConfiguration);
                    }
                    self.authorization_server = Some(url.clone());
                    self.issuer = document.issuer;
                    self.end(Some(FrontDoor::Ok));
                }
            }
            Search::Done => {}
        }
    }

    fn found_resource(&mut self, url: &Url, value: &Value) {
        let document = resource_metadata::read(value, &self.endpoint, self.allow_private);
        document.notes.iter().for_each(|note| self.note(*note));
        self.note(
            match well_known::resource_candidates(&self.endpoint).iter().position(|known| known == url) {
                _ if self.named => Note::MetadataFromChallenge,
                Some(0) => Note::MetadataAtPath,
                _ => Note::MetadataAtRoot,
            },
        );
        self.resource_metadata = Some(url.clone());
        match document.issuer {
            Some((issuer, issuer_url)) if document.valid => {
                let candidates = well_known::authorization_server_candidates(&issuer_url);
                let candidates = first(candidates, self.remembered_server.as_ref());
                self.search = Search::Server { issuer, candidates };
            }
            _ => self.end(Some(FrontDoor::Partial)),
        }
    }

    /// Every place of the present search was looked at.
    fn exhausted(&mut self) {
        match &self.search {
            Search::Done => {}
            _ if self.unobserved => self.end(None),
            Search::Resource(_) if self.named => {
                self.note(Note::MetadataMissing);
                self.end(Some(FrontDoor::Partial));
            }
            Search::Resource(_) => {
                self.note(Note::MetadataMissing);
                self.search = Search::Older(Some(well_known::older_root(&self.endpoint)));
            }
            Search::Older(_) => self.end(Some(FrontDoor::Bare)),
            Search::Server { .. } => {
                if !self.server_found {
                    self.note(Note::AuthorizationServerMissing);
                }
                self.end(Some(FrontDoor::Partial));
            }
        }
    }

    /// Whether a URL is the endpoint's own, query and fragment apart.
    pub(super) fn is_endpoint(&self, url: &Url) -> bool {
        is_same_resource(url, &self.endpoint)
    }

    /// Whether a document URL may be fetched at all; the transport checks its addresses besides.
    fn admits(&mut self, url: &Url) -> bool {
        if self.is_endpoint(url) {
            self.note(Note::MetadataInvalid);
            return false;
        }
        if !address::acceptable(url, self.allow_private) {
            self.note(Note::MetadataUrlRefused);
            return false;
        }
        if self.named && matches!(self.search, Search::Resource(_)) && url.origin() != self.endpoint.origin()
        {
            self.note(Note::MetadataOffOrigin);
        }
        true
    }

    fn end(&mut self, result: Option<FrontDoor>) {
        self.result = result;
        self.search = Search::Done;
    }

    fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// `candidates` with the remembered one, where it is among them, in front.
fn first(mut candidates: Vec<Url>, remembered: Option<&Url>) -> VecDeque<Url> {
    candidates.sort_by_key(|candidate| Some(candidate) != remembered);
    candidates.into()
}

/// Whether two URLs lead to the same place, query and fragment apart, however escaped (RFC 3986, section 6.2.2.2);
/// credentials are never sent and lead nowhere else.
fn is_same_resource(one: &Url, other: &Url) -> bool {
    let place = |url: &Url| {
        let host = url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host).to_owned());
        let path: Vec<u8> = percent_decode_str(url.path()).collect();
        (url.scheme().to_owned(), host, url.port_or_known_default(), path)
    };
    place(one) == place(other)
}

/// A response to the GET of a document: JSON is checked, not the status or the media type alone.
pub(super) fn from_response(response: &Response) -> Document {
    let Response { status, headers, body } = response;
    if *status == 429 || refusal_reason(*status, headers).is_some() {
        return Document::NotObserved;
    }
    if !(200..300).contains(status) {
        return Document::NotPublished;
    }
    match body.end {
        BodyEnd::TimedOut => Document::NotObserved,
        BodyEnd::Complete => match json::read(&body.bytes) {
            Ok(text) if text.value.is_object() => Document::Found(text.value),
            _ => Document::NotPublished,
        },
        BodyEnd::Enough | BodyEnd::Capped | BodyEnd::Broken | BodyEnd::Undecodable => Document::NotPublished,
    }
}

/// No usable response to the GET of a document.
pub(super) fn from_finding(finding: Finding) -> Document {
    match (finding.class, finding.reason) {
        (Class::Skipped, Some(Reason::PrivateAddress)) => Document::UrlRefused,
        // We ran out of time, or the fault may be ours: nothing was observed.
        (Class::Timeout, _) => Document::NotObserved,
        _ if finding.class.counted() == Counted::None => Document::NotObserved,
        _ => Document::NotPublished,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_known_in_every_spelling() {
        let endpoint = Url::parse("https://a.example/v1/mcp~x").unwrap();
        let table = [
            ("https://a.example/v1/mcp~x", true),
            ("https://A.example:443/v1/./mcp~x?a=b#c", true),
            ("https://a.example./v1/mcp~x", true),
            ("https://user:secret@a.example/v1/mcp~x", true),
            ("https://a.example/v1/%6dcp%7Ex", true),
            ("https://a.example/v1%2Fmcp%7ex", true),
            ("https://a.example/v1/MCP~x", false),
            ("https://a.example/v1/mcp~x/more", false),
            ("https://a.example:8443/v1/mcp~x", false),
            ("http://a.example/v1/mcp~x", false),
            ("https://b.example/v1/mcp~x", false),
        ];
        for (url, same) in table {
            assert_eq!(is_same_resource(&Url::parse(url).unwrap(), &endpoint), same, "{url}");
        }
    }
}
