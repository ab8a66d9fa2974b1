//! The pages people read, one file a page. Everything here is pure: a document in, text out.
//!
//! Templates escape what they print; text that others wrote goes through [`foreign`] before.

mod board;
pub(crate) mod foreign;
pub(crate) mod format;
mod listing;
mod mark;
mod probe_text;
mod problem;
mod vote;

#[cfg(test)]
mod tests;

use shared::outcome::Precision;

use crate::assets;

pub use board::{Totals, board};
pub use listing::listing;
pub use probe_text::{probe_text, robots_text};
pub use problem::problem;

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
    /// Names and precisions, in the order of configuration.
    pub networks: Vec<(String, Precision)>,
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

/// A figure with its label and the line that qualifies it.
#[derive(Debug)]
struct Key {
    label: &'static str,
    figure: String,
    qualifier: String,
}
