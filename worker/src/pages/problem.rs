//! The page for a request that has no other: what was asked, and why it cannot be answered.

use askama::Template;

use super::{Frame, Site, foreign};

/// Why there is no page. Each has one status, one heading and one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Nothing is published at this path.
    NoSuchPage,
    /// No listing has this slug.
    NoSuchListing,
    /// The path is there, the method is not.
    MethodNotAllowed,
    /// The query asks for something that is not there.
    BadQuery,
    /// The fault is ours.
    Internal,
    /// The store did not answer.
    Unavailable,
}

impl Problem {
    /// The HTTP status that goes with the page.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::NoSuchPage | Self::NoSuchListing => 404,
            Self::MethodNotAllowed => 405,
            Self::BadQuery => 400,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::NoSuchPage => "Nothing is published at this address",
            Self::NoSuchListing => "No listing has this address",
            Self::MethodNotAllowed => "This address only answers GET",
            Self::BadQuery => "This address asks for something that is not there",
            Self::Internal => "Our own code met an error",
            Self::Unavailable => "Our own storage did not answer",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::NoSuchPage => "No page has this address now.",
            Self::NoSuchListing => "No listing has that slug now.",
            Self::MethodNotAllowed => "Pages are only read here.",
            Self::BadQuery => "A part after the question mark is not one we know, or is out of its range.",
            Self::Internal => "This says nothing about any endpoint. Please try again in a minute.",
            Self::Unavailable => "This says nothing about any endpoint. Please try again in a minute.",
        }
    }

    const fn note(self) -> Option<&'static str> {
        match self {
            Self::NoSuchListing => Some(
                "A listing removed on request stays on the site and says so, so a missing page never hides a removal.",
            ),
            _ => None,
        }
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame<'a>,
    status: u16,
    heading: &'static str,
    sentence: &'static str,
    note: Option<&'static str>,
    asked: Option<String>,
}

/// The page for a problem. `asked` is the path as it was asked for; it is shown, so it may be anything.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn problem(problem: Problem, asked: Option<&str>, site: &Site) -> Result<String, askama::Error> {
    ProblemPage {
        frame: Frame::new(site),
        status: problem.status(),
        heading: problem.heading(),
        sentence: problem.sentence(),
        note: problem.note(),
        asked: asked.map(foreign::line),
    }
    .render()
}
