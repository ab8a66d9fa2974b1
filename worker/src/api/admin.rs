//! `/api/admin/listings`: adds, edits and lists what is measured.

use serde::Serialize;
use shared::listing::{Endpoint, Name, Slug, State, Tier};
use shared::reading::{Fault, Read, Reader, members};
use shared::signature::secrets_equal;

use super::timestamp::Timestamp;
use super::tools::PAGE_LISTINGS;
use crate::config::Config;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::store::{AdminListing, Edit, NewListing, Store, StoreFault};

/// Bytes of a change, at most.
pub const CHANGE_BYTES: usize = 16 * 1024;

/// How an admin authenticates.
const SCHEME: &str = "Bearer";
/// How often an addition is tried anew where others took its number.
const ATTEMPTS: u32 = 10;

/// The body of a POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub action: Action,
    pub slug: String,
    pub name: Option<String>,
    pub url: Option<String>,
    /// The three below: to edit only.
    pub new_slug: Option<String>,
    pub state: Option<State>,
    /// After the endpoint's operator has looked at why it died of our DELETE.
    pub reset_fuse: bool,
}

/// What a change does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Action {
    /// A new listing: `slug`, `name`, `url`.
    #[default]
    Add,
    /// Members that are given replace those of the listing `slug`.
    Edit,
}

members!(Change { slug; action, name, url, new_slug, state, reset_fuse });

impl Read for Action {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match &*reader.text()? {
            "add" => Ok(Self::Add),
            "edit" => Ok(Self::Edit),
            other => Err(reader.unknown("action", other)),
        }
    }
}

/// The answer to a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Changed<'a> {
    slug: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

/// The answer to a GET.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Listings {
    listings: Vec<Listed>,
    /// Give this as `?after=` for the next page; null on the last one.
    next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Listed {
    id: u32,
    slug: String,
    name: String,
    url: String,
    tier: Tier,
    state: State,
    listed_at: Timestamp,
}

/// Checks the Bearer token.
///
/// # Errors
/// 401.
pub fn authorize(header: Option<&str>, token: &str) -> Result<(), Problem> {
    let given = header.and_then(|header| {
        let (scheme, given) = header.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(given.trim())
    });
    match given {
        Some(given) if secrets_equal(given.as_bytes(), token.as_bytes()) => Ok(()),
        Some(_) => Err(Problem::unauthorized(SCHEME, "The Bearer token is not the admin's.")),
        None => Err(Problem::unauthorized(SCHEME, "Send Authorization: Bearer with the admin's token.")),
    }
}

/// Makes a change.
///
/// # Errors
/// 400 for a broken rule, 404 for an unknown slug, 409 for a slug or URL that another listing holds.
pub async fn change(store: &Store, change: &Change, config: &Config, now_ms: i64) -> Result<Reply, Problem> {
    let slug = check_slug("slug", &change.slug)?;
    let name = change.name.as_deref().map(check_name).transpose()?;
    let url = change.url.as_deref().map(|url| check_url(url, config)).transpose()?;
    let Change { action, new_slug, state, reset_fuse, .. } = change;
    match action {
        Action::Add => {
            let to_edit =
                [("new_slug", new_slug.is_some()), ("state", state.is_some()), ("reset_fuse", *reset_fuse)];
            if let Some((field, _)) = to_edit.into_iter().find(|(_, given)| *given) {
                return Err(Problem::invalid(field, format!("{field} is for \"action\": \"edit\" only.")));
            }
            let missing = |field: &'static str| Problem::invalid(field, format!("{field} is missing."));
            let (name, url) = (name.ok_or_else(|| missing("name"))?, url.ok_or_else(|| missing("url"))?);
            add(store, &NewListing { slug, name, url, listed_ms: now_ms }).await
        }
        Action::Edit => {
            let given = [name.is_some(), url.is_some(), new_slug.is_some(), state.is_some(), *reset_fuse];
            if !given.contains(&true) {
                let detail = "An edit gives one of name, url, new_slug, state or reset_fuse.";
                return Err(Problem::invalid("body", detail));
            }
            let new_slug = new_slug.as_deref().map(|slug| check_slug("new_slug", slug)).transpose()?;
            let state = state.map(State::code);
            edit(store, &Edit { slug, new_slug, name, url, state, reset_fuse: *reset_fuse }).await
        }
    }
}

async fn add(store: &Store, listing: &NewListing) -> Result<Reply, Problem> {
    let NewListing { slug, url, .. } = listing;
    // Once more where somebody else came between the look and the write: the next look then says who.
    for _ in 0..ATTEMPTS {
        if let Some(taken) = store.taken(Some(slug), Some(url), None).await? {
            return Err(Problem::taken(taken.field, taken.holder));
        }
        match store.add(listing).await {
            Ok(id) => {
                let mut reply = Reply::json(&Changed { slug, id: Some(id), url: Some(url) });
                reply.status = 201;
                return Ok(reply);
            }
            Err(StoreFault::Conflict) => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Err(Problem::unavailable("Other listings are being added. Send it again."))
}

async fn edit(store: &Store, edit: &Edit) -> Result<Reply, Problem> {
    let taken = store.taken(edit.new_slug.as_deref(), edit.url.as_deref(), Some(&edit.slug)).await?;
    if let Some(taken) = taken {
        return Err(Problem::taken(taken.field, taken.holder));
    }
    match store.edit(edit).await {
        Ok(true) => {
            let slug = edit.new_slug.as_deref().unwrap_or(&edit.slug);
            Ok(Reply::json(&Changed { slug, id: None, url: edit.url.as_deref() }))
        }
        Ok(false) => Err(Problem::not_found(format!("There is no listing {:?}.", edit.slug))),
        Err(StoreFault::Conflict) => {
            Err(Problem::unavailable("Another listing took the slug or the URL. Send it again."))
        }
        Err(fault) => Err(fault.into()),
    }
}

/// One page of listings in every state.
///
/// # Errors
/// The database's.
pub async fn list(store: &Store, after: &str) -> Result<Reply, Problem> {
    let mut rows = store.list(after, PAGE_LISTINGS + 1).await?;
    let more = rows.len() > PAGE_LISTINGS;
    rows.truncate(PAGE_LISTINGS);
    let next = rows.last().filter(|_| more).map(|row| row.slug.clone());
    Ok(Reply::json(&Listings { listings: rows.into_iter().map(listed).collect(), next }))
}

fn listed(row: AdminListing) -> Listed {
    let AdminListing { id, slug, name, url, tier, state, listed_ms } = row;
    Listed { id, slug, name, url, tier, state, listed_at: Timestamp::from_ms(listed_ms) }
}

fn check_slug(field: &'static str, slug: &str) -> Result<String, Problem> {
    let slug = Slug::parse(slug).map_err(|fault| Problem::invalid(field, format!("{field}: {fault}.")))?;
    Ok(slug.as_str().to_owned())
}

fn check_name(name: &str) -> Result<String, Problem> {
    let name = Name::parse(name).map_err(|fault| Problem::invalid("name", format!("name: {fault}.")))?;
    Ok(name.as_str().to_owned())
}

fn check_url(url: &str, config: &Config) -> Result<String, Problem> {
    let endpoint = Endpoint::parse(url, config.allow_private)
        .map_err(|fault| Problem::invalid("url", format!("url: {fault}.")))?;
    if config.denied_hosts.contains(endpoint.host()) {
        let detail = format!("url: the host {} is on the list of hosts we do not measure.", endpoint.host());
        return Err(Problem::invalid("url", detail));
    }
    Ok(endpoint.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn only_the_token_opens() {
        for (header, opens) in [
            (Some(format!("Bearer {TOKEN}")), true),
            (Some(format!("bearer  {TOKEN}")), true),
            (Some(format!("Bearer {TOKEN}0")), false),
            (Some(format!("Basic {TOKEN}")), false),
            (Some("Bearer ".to_owned()), false),
            (Some(TOKEN.to_owned()), false),
            (None, false),
        ] {
            let answer = authorize(header.as_deref(), TOKEN);
            assert_eq!(answer.is_ok(), opens, "{header:?}");
            assert!(opens || answer.is_err_and(|problem| problem.status == 401));
        }
    }

    #[test]
    fn a_change_says_what_it_is() {
        let change = |text: &str| shared::reading::document::<Change>(text.as_bytes());
        let add = change(r#"{"slug":"abc","name":"A","url":"https://a.dev/"}"#).unwrap();
        assert_eq!(add.action, Action::Add);
        let edit = change(r#"{"action":"edit","slug":"abc","state":"delisted"}"#).unwrap();
        assert_eq!((edit.action, edit.state), (Action::Edit, Some(State::Delisted)));
        for (text, part) in [
            (r#"{"action":"remove","slug":"abc"}"#, "remove"),
            (r#"{"name":"A"}"#, "slug"),
            (r#"{"slug":"abc","tier":"open"}"#, "tier"),
            (r#"{"action":"edit","slug":"abc","state":"gone"}"#, "gone"),
        ] {
            let error = change(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
