//! One probe told to a person: every request as it was sent, what came back, what we made of it, and the verdict.
//!
//! Everything a server chose passes [`printable`] before it is written.

mod words;

use std::io::{self, Write};

use shared::explanation::sentence;
use shared::methodology::USER_AGENT;
use shared::outcome::{FrontDoorNote, Violation};
use shared::probe::{Reply, Request, Response};
use shared::verdict::{ToolsSeen, Verdict};
use url::Url;

use crate::conversation::Witness;
use crate::text::printable;
use crate::transport::{ACCEPT_ENCODING, Peer};

/// Tools named before the rest is only counted.
const TOOLS_NAMED: usize = 20;
/// Headers of an answer that say something about the conversation.
const TELLING_HEADERS: [&str; 9] = [
    "content-type",
    "content-encoding",
    "location",
    "www-authenticate",
    "retry-after",
    "mcp-session-id",
    "server",
    "cf-mitigated",
    "allow",
];

/// Writes the story as it happens. Write errors (a closed pipe) end the story, never the probe.
pub(crate) struct Narrator<W> {
    out: W,
    step: u32,
    failed: bool,
    last: Option<(Request, Reply)>,
}

impl<W: Write> Narrator<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, step: 0, failed: false, last: None }
    }

    /// What is about to be probed.
    pub(crate) fn begin(&mut self, url: &Url, network: Option<&str>) {
        let from = network.map(|name| format!(" from {}", printable(name))).unwrap_or_default();
        self.tell(|out| writeln!(out, "Probing {}{from}", printable(url.as_str())));
    }

    /// The verdict, after the conclusion of the last step.
    pub(crate) fn end(&mut self, verdict: &Verdict) {
        self.conclude(None);
        self.tell(|out| write_verdict(out, verdict));
    }

    fn tell(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if !self.failed {
            self.failed = write(&mut self.out).and_then(|()| self.out.flush()).is_err();
        }
    }

    /// What the last answer meant, which shows in what is asked next.
    fn conclude(&mut self, next: Option<&Request>) {
        if let Some((request, reply)) = self.last.take() {
            let conclusion = words::conclusion(&request, &reply, next);
            self.tell(|out| writeln!(out, "   = {conclusion}"));
        }
    }
}

impl<W: Write> Witness for Narrator<W> {
    fn sending(&mut self, request: &Request) {
        self.conclude(Some(request));
        self.step += 1;
        let step = self.step;
        self.tell(|out| write_request(out, step, request));
    }

    fn arrived(&mut self, request: &Request, reply: &Reply, peer: Option<Peer>) {
        self.tell(|out| write_reply(out, reply, peer));
        self.last = Some((request.clone(), reply.clone()));
    }
}

fn write_request(out: &mut impl Write, step: u32, request: &Request) -> io::Result<()> {
    let purpose = words::purpose(request.purpose);
    writeln!(out, "\n{step}. {purpose}")?;
    writeln!(out, "   > {} {}", request.method.word(), printable(request.url.as_str()))?;
    writeln!(out, "   > user-agent: {USER_AGENT}")?;
    writeln!(out, "   > accept-encoding: {ACCEPT_ENCODING}")?;
    for (name, value) in &request.headers {
        writeln!(out, "   > {name}: {}", printable(value))?;
    }
    if let Some(body) = &request.body {
        writeln!(out, "   > {}", printable(body))?;
    }
    Ok(())
}

fn write_reply(out: &mut impl Write, reply: &Reply, peer: Option<Peer>) -> io::Result<()> {
    if let Some(Peer { address, tls, http_2, reused }) = peer {
        let version = if http_2 { "HTTP/2" } else { "HTTP/1.1" };
        let secured = if tls { " over TLS" } else { "" };
        let connected = if reused { "on the connection that is open" } else { "connected" };
        writeln!(out, "   {connected} to {address}, {version}{secured}")?;
    }
    let ms = reply.ended_ms.saturating_sub(reply.started_ms);
    match &reply.outcome {
        Err(fault) => {
            let phase =
                fault.phase.map(|phase| format!(", while {}", words::phase(phase))).unwrap_or_default();
            writeln!(out, "   < no answer after {ms} ms: {}{phase}", words::fault(fault.kind))
        }
        Ok(response) => write_response(out, response, ms),
    }
}

fn write_response(out: &mut impl Write, response: &Response, ms: u32) -> io::Result<()> {
    let body = &response.body;
    let read = words::body_end(body.end);
    writeln!(
        out,
        "   < status {} after {ms} ms; {} bytes of body read, {read}",
        response.status, body.length
    )?;
    for name in TELLING_HEADERS {
        for value in response.headers.all(name) {
            writeln!(out, "   < {name}: {}", printable(value))?;
        }
    }
    Ok(())
}

fn write_verdict(out: &mut impl Write, verdict: &Verdict) -> io::Result<()> {
    let class = verdict.class;
    writeln!(out, "\nVerdict: {class} - {}", class.label())?;
    writeln!(out, "  {}", class.explanation())?;
    let mut fact = |name: &str, value: &str| writeln!(out, "  {:<18}{value}", format!("{name}:"));
    fact("counts", class.counted().label())?;
    if let Some(reason) = verdict.reason {
        fact("reason", &format!("{reason} - {}", reason.label()))?;
    }
    if let Some(phase) = verdict.phase {
        fact("stopped", phase.label())?;
    }
    if let Some(status) = verdict.http_status {
        fact("HTTP status", &status.to_string())?;
    }
    if let Some(latency) = verdict.latency_ms {
        fact("latency", &format!("{latency} ms, from name resolution to the end of the handshake's answer"))?;
    }
    if let Some(version) = &verdict.protocol_version {
        fact("revision", &printable(version))?;
    }
    if let Some(era) = verdict.era {
        fact("era", era.label())?;
    }
    if let Some(server) = &verdict.server {
        fact("calls itself", &format!("{} {}", printable(&server.name), printable(&server.version)))?;
    }
    fact("tools", &tools(verdict.tools.as_ref(), verdict.tools_ok))?;
    if let Some(door) = verdict.front_door {
        fact("front door", &format!("{door} - {}", door.label()))?;
    }
    for note in &verdict.front_door_notes {
        fact("", FrontDoorNote::label(*note))?;
    }
    for violation in &verdict.violations {
        fact("violation", &format!("{violation} - {}", sentence(Violation::label(*violation))))?;
    }
    Ok(())
}

fn tools(seen: Option<&ToolsSeen>, ok: Option<bool>) -> String {
    let Some(seen) = seen else {
        return match ok {
            Some(false) => "could not be listed".to_owned(),
            _ => "not listed".to_owned(),
        };
    };
    let at_least = if seen.complete { "" } else { "at least " };
    let mut text = format!("{at_least}{}", seen.count);
    let names: Vec<_> = seen.shape.names().take(TOOLS_NAMED).map(printable).collect();
    if !names.is_empty() {
        text.push_str(": ");
        text.push_str(&names.join(", "));
        let more = seen.shape.names().count().saturating_sub(names.len());
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
    }
    text
}

#[cfg(test)]
mod tests;
