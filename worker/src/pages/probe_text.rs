//! `/probe.txt` and `/robots.txt`: who we are, every request we send, and how to decline.

use askama::Template;
use shared::mcp::{message::method, version};
use shared::methodology::{self as m, cuts, limits};

use super::Site;

#[derive(Template)]
#[template(path = "probe.txt", whitespace = "preserve")]
struct ProbeText<'a> {
    site: &'a Site,
}

#[derive(Template)]
#[template(path = "robots.txt", whitespace = "preserve")]
struct RobotsText;

/// The text of `/probe.txt`, whose every figure is the constant that runs.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn probe_text(site: &Site) -> Result<String, askama::Error> {
    ProbeText { site }.render()
}

/// The text of `/robots.txt`: everything public may be read.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn robots_text() -> Result<String, askama::Error> {
    RobotsText.render()
}
