//! Redirects behind a good handshake.

use shared::outcome::{Phase, Violation};

use super::send_away;
use crate::hostile::exchange::JSON;
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let refused = || Expected::breach(Violation::InitializedRefused);
    let failed = || Expected::tools_failed(Phase::Headers);
    let (moved, elsewhere) = ("{path}/moved", "http://{trap}/{astray}");
    vec![
        later(
            "notification-redirected",
            "The notification is sent on by 307.",
            Expected::up(),
            Kind::Initialized,
            307,
            moved,
        ),
        later(
            "notification-redirected-elsewhere",
            "The notification is sent to another address.",
            refused(),
            Kind::Initialized,
            307,
            elsewhere,
        ),
        later(
            "notification-redirected-with-302",
            "The notification is sent on by 302.",
            refused(),
            Kind::Initialized,
            302,
            "{path}/{astray}",
        ),
        later(
            "tools-redirected",
            "The question for tools is sent on by 308.",
            Expected::up(),
            Kind::ToolsList,
            308,
            moved,
        ),
        later(
            "tools-redirected-elsewhere",
            "The question for tools is sent to another address.",
            failed(),
            Kind::ToolsList,
            307,
            elsewhere,
        ),
        later(
            "tools-redirected-with-303",
            "The question for tools is sent on by 303.",
            failed(),
            Kind::ToolsList,
            303,
            "{path}/{astray}",
        ),
        later(
            "tools-redirected-to-themselves",
            "The question for tools is sent to where it came from.",
            failed(),
            Kind::ToolsList,
            307,
            "{path}",
        ),
        later(
            "end-of-session-redirected",
            "The end of the session is sent on by 307.",
            Expected::up(),
            Kind::EndSession,
            307,
            moved,
        ),
        later(
            "end-of-session-redirected-elsewhere",
            "The end of the session is sent to another address.",
            Expected::up(),
            Kind::EndSession,
            307,
            elsewhere,
        ),
        later(
            "end-of-session-redirected-with-302",
            "The end of the session is sent on by 302.",
            Expected::up(),
            Kind::EndSession,
            302,
            "{path}/{astray}",
        ),
    ]
}

/// Honest up to the request of this kind, which is sent elsewhere.
fn later(
    name: &str,
    says: &str,
    expected: Expected,
    kind: Kind,
    status: u16,
    location: &'static str,
) -> Behaviour {
    Behaviour::new(name, says, expected, move |exchange| {
        let moved = exchange.request.path() != format!("/{}", exchange.request.behaviour());
        if exchange.request.kind() == kind && !moved {
            return send_away(exchange, status, location);
        }
        if exchange.request.kind() == Kind::Initialize {
            let answer = exchange.good_answer().to_string();
            return exchange.answer(200, &[JSON, ("Mcp-Session-Id", "s")], answer);
        }
        exchange.good()
    })
}
