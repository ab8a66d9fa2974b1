//! The page for a request that has no other: what was asked, and why it cannot be answered.

use askama::Template;

use super::{Frame, Site, foreign};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame<'a>,
    status: u16,
    heading: &'static str,
    detail: &'a str,
    note: Option<&'static str>,
    asked: String,
}

/// The page for a problem. `asked` is the path as it was asked for; it is shown, so it may be anything.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn problem(problem: &Problem, asked: &str, site: &Site) -> Result<String, askama::Error> {
    ProblemPage {
        frame: Frame::new(site),
        status: problem.status,
        heading: heading(problem),
        detail: &problem.detail,
        note: note(problem.status),
        asked: foreign::line(asked),
    }
    .render()
}

const fn heading(problem: &Problem) -> &'static str {
    match problem.status {
        404 => "Nothing is published at this address",
        405 => "This address does not answer that method",
        400 => "This address asks for something that is not there",
        500 => "Our own code met an error",
        503 => "Our own storage did not answer",
        _ => problem.title,
    }
}

const fn note(status: u16) -> Option<&'static str> {
    match status {
        404 => Some(
            "A listing removed on request stays on the site and says so, so a missing page never hides a removal.",
        ),
        500.. => Some("This says nothing about any endpoint. Trying again in a minute may help."),
        _ => None,
    }
}
