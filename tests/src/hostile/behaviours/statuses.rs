//! The right answer to `initialize` under every kind of status.

use shared::outcome::{Class, FrontDoor, FrontDoorNote, Phase, Reason, Violation};

use crate::hostile::exchange::JSON;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let at_headers = |class| Expected::is(class).at(Phase::Headers);
    let mismatch = || Expected::breach(Violation::StatusMismatch);
    let mut table = vec![
        (204, Expected::is(Class::NotMcp).because(Reason::Empty).at(Phase::Body)),
        (205, Expected::is(Class::NotMcp).because(Reason::Empty).at(Phase::Body)),
        (401, Expected::door(FrontDoor::Bare, &[FrontDoorNote::NoChallenge, FrontDoorNote::MetadataMissing])),
        (402, at_headers(Class::Refused).because(Reason::Payment)),
        (403, at_headers(Class::Refused).because(Reason::Forbidden)),
        (429, at_headers(Class::RateLimited).because(Reason::TooManyRequests)),
        (451, at_headers(Class::Refused).because(Reason::Legal)),
        (600, at_headers(Class::NotMcp).because(Reason::NotHttp)),
        (999, at_headers(Class::NotMcp).because(Reason::NotHttp)),
    ];
    table.extend([200, 201, 202, 203, 206, 207, 226, 299].map(|status| (status, Expected::up())));
    table.extend(
        [300, 301, 302, 303, 304, 305, 306, 307, 308, 399]
            .map(|status| (status, at_headers(Class::Redirect).because(Reason::NoLocation))),
    );
    table.extend(
        [400, 404, 405, 406, 407, 408, 409, 410, 411, 413, 415, 417, 418, 421, 422, 425, 426, 428, 431, 499]
            .map(|status| (status, mismatch())),
    );
    table.extend(
        [500, 501, 502, 503, 504, 505, 508, 511, 520, 521, 522, 524, 525, 526, 530, 599]
            .map(|status| (status, at_headers(Class::Http5xx))),
    );
    table.sort_by_key(|(status, _)| *status);
    table.into_iter().map(|(status, expected)| right_answer(status, expected)).collect()
}

fn right_answer(status: u16, expected: Expected) -> Behaviour {
    let name = format!("right-answer-under-{status}");
    let says = format!("A whole and right answer to initialize, under status {status}.");
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let answer = exchange.good_answer().to_string();
        exchange.answer(status, &[JSON], answer)
    })
}
