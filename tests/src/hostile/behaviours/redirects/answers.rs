//! What comes with a redirect, and behind it.

use shared::outcome::{Class, Phase, Reason};

use super::stopped;
use crate::hostile::exchange::JSON;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    vec![
        Behaviour::at_handshake(
            "redirect-with-the-answer-in-it",
            "307 to another address, and the right answer as its body.",
            stopped(Reason::OffOrigin),
            |exchange| {
                let (answer, location) =
                    (exchange.good_answer().to_string(), exchange.fill("http://{trap}/{astray}"));
                exchange.answer(307, &[JSON, ("Location", &location)], answer)
            },
        ),
        Behaviour::at_handshake(
            "redirect-by-a-page",
            "200 and a page that would lead a browser on.",
            Expected::body(Class::NotMcp, Reason::Html),
            |exchange| {
                let page = exchange.fill(
                    "<!doctype html><meta http-equiv=refresh content=\"0; url={path}/{astray}\">\
                     <script>location='{path}/{astray}'</script>",
                );
                let refresh = exchange.fill("0; url={path}/{astray}");
                exchange.answer(200, &[("Content-Type", "text/html"), ("Refresh", &refresh)], page)
            },
        ),
        Behaviour::new(
            "redirect-with-an-endless-body",
            "307 on its own origin with a body without end.",
            Expected::up(),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.good();
                }
                let location = exchange.fill("{path}/moved");
                exchange.open(307, &[("Location", &location)])?;
                exchange.endless("moved ")
            },
        ),
        Behaviour::new(
            "redirect-whose-body-never-comes",
            "307 on its own origin; the body that it promises never comes, and nobody waits for it.",
            Expected::up(),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.good();
                }
                let location = exchange.fill("{path}/moved");
                exchange.open(307, &[("Location", &location), ("Content-Length", "100")])?;
                exchange.hang()
            },
        )
        .waits(),
        Behaviour::new(
            "redirect-then-reset",
            "307 on its own origin, then a reset at the new place.",
            Expected::is(Class::ConnectFailed).because(Reason::ConnectionReset).at(Phase::Headers),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.reset();
                }
                let location = exchange.fill("{path}/moved");
                exchange.answer(307, &[("Location", &location), ("Connection", "close")], "")?;
                exchange.close();
                Ok(())
            },
        ),
    ]
}
