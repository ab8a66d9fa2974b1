//! The table of behaviours, a file for each kind.

mod http_2;
mod names;
mod pace;
mod statuses;
mod tls;

use super::behaviour::Behaviour;

/// One kind.
pub struct Kind {
    /// Its heading.
    pub title: &'static str,
    pub behaviours: Vec<Behaviour>,
}

/// Every behaviour, by kind.
#[must_use]
pub fn kinds() -> Vec<Kind> {
    let kind = |title, behaviours| Kind { title, behaviours };
    vec![
        kind("Pace", pace::behaviours()),
        kind("Right answers under any status", statuses::behaviours()),
        kind("Names and addresses", names::behaviours()),
        kind("TLS", tls::behaviours()),
        kind("HTTP/2", http_2::behaviours()),
    ]
}

/// Every behaviour.
#[must_use]
pub fn all() -> Vec<Behaviour> {
    kinds().into_iter().flat_map(|kind| kind.behaviours).collect()
}
