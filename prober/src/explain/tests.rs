//! The explanation says what happened and lets nothing of a server's text through raw.

use shared::probe::{Deadlines, Probe, Step};

use super::*;
use crate::conversation::{Memory, plan};

/// Tells a conversation whose every answer is `status` with these headers.
fn told(status: u16, headers: &[(&str, &str)]) -> String {
    let endpoint = Url::parse("https://mcp.example/mcp").unwrap();
    let mut plan = plan(endpoint.clone(), Memory::default(), true, false, 0);
    plan.deadlines = Deadlines::PUBLISHED;
    let mut out = Vec::new();
    let mut narrator = Narrator::new(&mut out);
    narrator.begin(&endpoint, Some("test"));
    let (mut probe, mut step) = Probe::start(plan);
    let verdict = loop {
        match step {
            Step::Done(verdict) => break verdict,
            Step::Send(request) => {
                narrator.sending(&request);
                let headers = shared::probe::Headers::new(
                    headers.iter().map(|(name, value)| (*name, value.as_bytes())),
                );
                let body = shared::probe::Intake::new(&request, status, &headers)
                    .finish(shared::probe::BodyEnd::Complete);
                let reply =
                    Reply { started_ms: 0, ended_ms: 12, outcome: Ok(Response { status, headers, body }) };
                narrator.arrived(&request, &reply, None);
                step = probe.next(reply);
            }
        }
    };
    narrator.end(&verdict);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_story_has_the_request_the_answer_the_conclusion_and_the_verdict() {
    let story = told(404, &[("content-type", "text/html")]);
    for part in [
        "Probing https://mcp.example/mcp from test\n",
        "\n1. Open the conversation: initialize\n   > POST https://mcp.example/mcp\n",
        "\"method\":\"initialize\"",
        "   < status 404 after 12 ms; 0 bytes of body read, to its end\n   < content-type: text/html\n",
        "   = this answer decides\n",
        "\nVerdict: http_4xx - HTTP client error\n",
        "counted as failure",
    ] {
        assert!(story.contains(part), "{part:?} is not in\n{story}");
    }
}

#[test]
fn a_gated_endpoint_is_followed_to_its_front_door() {
    let story = told(401, &[("www-authenticate", "Bearer realm=\"x\"")]);
    assert!(story.contains("it asks for authorization"), "{story}");
    assert!(story.contains("GET https://mcp.example/.well-known/oauth-protected-resource/mcp"), "{story}");
    assert!(story.contains("Verdict: auth_required"), "{story}");
}

#[test]
fn what_a_server_chose_cannot_reach_the_terminal_raw() {
    let story = told(404, &[("server", "\u{1b}[2J\u{202e}evil\u{9b}31m"), ("location", "\u{7}")]);
    assert!(story.contains("\\u{1b}[2J\\u{202e}evil\\u{9b}31m"), "{story}");
    assert!(!story.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}']));
}

#[test]
fn a_closed_pipe_ends_the_story_quietly() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut narrator = Narrator::new(Closed);
    narrator.begin(&Url::parse("https://mcp.example").unwrap(), None);
    assert!(narrator.failed);
}
