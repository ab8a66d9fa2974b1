//! Lines for the operator on stderr. A closed stderr stops no prober.

use std::fmt::Display;
use std::io::Write;

/// One line. What a server or the Worker chose must be safe to print already.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Says a trouble once, and its end once, however often both are met.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<String>);

impl Trouble {
    /// Said where it is another trouble than the last one.
    pub(crate) fn met(&mut self, what: String, next: impl Display) {
        if self.0.as_ref() != Some(&what) {
            say(format_args!("{what}; {next}"));
            self.0 = Some(what);
        }
    }

    /// Said where there was one.
    pub(crate) fn over(&mut self, what: impl Display) {
        if self.0.take().is_some() {
            say(what);
        }
    }
}
