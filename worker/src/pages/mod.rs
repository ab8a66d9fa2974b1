//! The pages people read, one file a page. Everything here is pure: a document in, text out.
//!
//! Templates escape what they print; text that others wrote goes through [`foreign`] before.

pub(crate) mod foreign;
pub(crate) mod format;
mod mark;
mod probe_text;
mod problem;

use crate::assets;

pub use probe_text::{probe_text, robots_text};
pub use problem::{Problem, problem};

/// What configuration says about the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Scheme and host, without a slash at the end.
    pub origin: String,
    /// Probes, listings, opt-out.
    pub tools_mail: String,
    /// Legal notices.
    pub legal_mail: String,
    /// Personal data.
    pub privacy_mail: String,
}

/// What every page has around its content.
#[derive(Debug)]
struct Frame<'a> {
    site: &'a Site,
    style: String,
    icon: String,
    on_board: bool,
}

impl<'a> Frame<'a> {
    fn new(site: &'a Site) -> Self {
        Self { site, style: assets::STYLE.path(), icon: assets::ICON.path(), on_board: false }
    }

    fn of_board(site: &'a Site) -> Self {
        Self { on_board: true, ..Self::new(site) }
    }
}
