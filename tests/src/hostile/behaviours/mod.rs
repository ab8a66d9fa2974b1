//! The table of behaviours, a file for each kind.

mod bulk;
mod challenges;
mod connections;
mod cursors;
mod documents;
mod encodings;
mod headers;
mod http_2;
mod ids;
mod lengths;
mod names;
mod nesting;
mod pace;
mod redirects;
mod sessions;
mod statuses;
mod streams;
mod texts;
mod tls;
mod tools;
mod types;

use super::behaviour::Behaviour;

/// One kind.
pub struct Kind {
    /// Its heading.
    pub title: &'static str,
    pub behaviours: Vec<Behaviour>,
}

/// The behaviours of one kind.
type Behaviours = fn() -> Vec<Behaviour>;

/// Every behaviour, by kind.
#[must_use]
pub fn kinds() -> Vec<Kind> {
    let table: Vec<(&'static str, Behaviours)> = vec![
        ("Pace", pace::behaviours),
        ("Connections", connections::behaviours),
        ("Headers", headers::behaviours),
        ("Lengths", lengths::behaviours),
        ("Content encodings", encodings::behaviours),
        ("Right answers under any status", statuses::behaviours),
        ("Media types and other bodies", types::behaviours),
        ("Character encodings and broken JSON", texts::behaviours),
        ("Deep and long JSON", nesting::behaviours),
        ("Many small values", bulk::behaviours),
        ("Event streams", streams::behaviours),
        ("Ids and envelopes", ids::behaviours),
        ("Tools", tools::behaviours),
        ("Cursors and pages", cursors::behaviours),
        ("Sessions", sessions::behaviours),
        ("Redirects", redirects::behaviours),
        ("Challenges", challenges::behaviours),
        ("OAuth documents", documents::behaviours),
        ("Names and addresses", names::behaviours),
        ("TLS", tls::behaviours),
        ("HTTP/2", http_2::behaviours),
    ];
    table.into_iter().map(|(title, behaviours)| Kind { title, behaviours: behaviours() }).collect()
}

/// Every behaviour.
#[must_use]
pub fn all() -> Vec<Behaviour> {
    kinds().into_iter().flat_map(|kind| kind.behaviours).collect()
}
