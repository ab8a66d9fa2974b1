//! `/probe.txt` and `/robots.txt`: who we are, every request we send, and how to decline.

use askama::Template;
use shared::mcp::{message::method, version};
use shared::methodology::{self as m, cuts, limits};

use super::Site;

#[derive(Template)]
#[template(path = "probe.txt")]
struct ProbeText<'a> {
    site: &'a Site,
    networks: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "robots.txt")]
struct RobotsText;

/// The text of `/probe.txt`, whose every figure is the constant that runs. `networks` are the names configured.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn probe_text(networks: &[&str], site: &Site) -> Result<String, askama::Error> {
    ProbeText { site, networks }.render()
}

/// The text of `/robots.txt`: everything public may be read.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn robots_text() -> Result<String, askama::Error> {
    RobotsText.render()
}
