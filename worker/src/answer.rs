//! From a request to a reply: one arm a route.

use shared::listing::{Slug, Tier};
use shared::signature::HEADER_NOW;
use shared::table::Table;
use shared::vote::BATCH_BYTES;
use worker::web_sys::Request;
use worker::{Env, Url};

use crate::api::{admin, tools};
use crate::config::{self, Config};
use crate::ingest::authenticate::{Credentials, Target};
use crate::ingest::{claims, votes};
use crate::pages::{self, Site, Totals};
use crate::problem::Problem;
use crate::reply::{Cache, Reply};
use crate::route::{Route, route};
use crate::store::{Store, StoreFault};
use crate::{assets, body};

/// Bytes of a claim, at most.
const CLAIM_BYTES: usize = 4 * 1024;

/// Answers any request; what goes wrong becomes a problem document, or a page for a reader with a browser.
pub async fn answer(request: &Request, env: &Env, now_ms: i64) -> Reply {
    let asked = Asked::of(request);
    let config = Config::read(env);
    let routed = route(&asked.method, &asked.path);
    let reply = match (routed, &config) {
        (Ok(route), Ok(config)) => handle(route, &asked, request, env, config, now_ms).await,
        (Ok(_), Err(fault)) => Err(Problem::unavailable(format!("This site is not configured: {fault}."))),
        (Err(problem), _) => Err(problem),
    };
    let site = config.ok().map(|config| config.site);
    reply.unwrap_or_else(|problem| problem_reply(&problem, &asked, site.as_ref()))
}

/// What is asked, as text.
struct Asked {
    method: String,
    path: String,
    path_and_query: String,
    after: Option<String>,
    accepts_html: bool,
    authorization: Option<String>,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let header = |name: &str| request.headers().get(name).ok().flatten();
        let url = Url::parse(&request.url()).ok();
        let query = url.as_ref().and_then(Url::query);
        let path = url.as_ref().map_or("/", Url::path).to_owned();
        Self {
            method: request.method(),
            path_and_query: query.map_or_else(|| path.clone(), |query| format!("{path}?{query}")),
            path,
            after: url.and_then(|url| {
                url.query_pairs().find(|(name, _)| name == "after").map(|(_, after)| after.into())
            }),
            accepts_html: header("accept")
                .is_some_and(|accept| accept.split(',').any(|kind| kind.trim().starts_with("text/html"))),
            authorization: header("authorization"),
        }
    }

    /// The cursor of a page of listings.
    fn after(&self) -> Result<&str, Problem> {
        match &self.after {
            None => Ok(""),
            Some(after) => match Slug::parse(after) {
                Ok(_) => Ok(after),
                Err(fault) => Err(Problem::invalid("after", format!("after: {fault}."))),
            },
        }
    }
}

async fn handle(
    route: Route,
    asked: &Asked,
    request: &Request,
    env: &Env,
    config: &Config,
    now_ms: i64,
) -> Result<Reply, Problem> {
    match route {
        Route::ProbeText => Ok(Reply::text(pages::probe_text(&config.site)?)),
        Route::RobotsText => Ok(Reply::text(pages::robots_text()?)),
        Route::Asset => asset(&asked.path),
        Route::Board | Route::ToolsJson => {
            let store = Store::open(env)?;
            let after = asked.after()?;
            let document = tools::board(&store, after, &config.networks, now_ms).await?;
            if route == Route::ToolsJson {
                return Ok(Reply::public_json(&document));
            }
            let totals = totals(&store.totals().await?);
            let after = Some(after).filter(|after| !after.is_empty());
            Ok(Reply::html(pages::board(&document, totals, after, &config.site)?))
        }
        Route::Listing(ref slug) | Route::ToolJson(ref slug) => {
            let document = tools::tool(&Store::open(env)?, slug.as_str(), &config.networks, now_ms).await?;
            let document = document.ok_or_else(|| unknown(slug))?;
            if matches!(route, Route::ToolJson(_)) {
                return Ok(Reply::public_json(&document));
            }
            Ok(Reply::html(pages::listing(&document, &config.site)?))
        }
        Route::Claims | Route::Votes => {
            let reply = signed(&route, asked, request, env, config, now_ms).await;
            let mut reply = reply.unwrap_or_else(|problem| Reply::problem(&problem));
            // Also on refusals: a prober whose clock is off signs again with ours.
            reply.headers.push((HEADER_NOW, now_ms.to_string()));
            Ok(reply)
        }
        Route::AdminList | Route::AdminChange => {
            let token = config::admin_token(env).map_err(not_configured)?;
            admin::authorize(asked.authorization.as_deref(), &token)?;
            let store = Store::open(env)?;
            if route == Route::AdminList {
                return admin::list(&store, asked.after()?).await;
            }
            let body = body::read_json(request, admin::CHANGE_BYTES).await?;
            admin::change(&store, &body::parse(&body)?, config, now_ms).await
        }
    }
}

/// A prober's request, once its signature is good.
async fn signed(
    route: &Route,
    asked: &Asked,
    request: &Request,
    env: &Env,
    config: &Config,
    now_ms: i64,
) -> Result<Reply, Problem> {
    let keys = config::network_keys(env).map_err(not_configured)?;
    // Before the body is read: without them nobody gets to send megabytes.
    let credentials = Credentials::read(|name| request.headers().get(name).ok().flatten())?;
    let cap = if *route == Route::Votes { BATCH_BYTES } else { CLAIM_BYTES };
    let body = body::read_json(request, cap).await?;
    let target = Target { method: &asked.method, path_and_query: &asked.path_and_query };
    credentials.verify(&keys, target, &body, now_ms)?;
    let (network, turn) = config.network(&credentials.network).ok_or_else(|| {
        not_configured(format!("the variable NETWORKS has no network named {:?}", credentials.network))
    })?;
    let store = Store::open(env)?;
    match route {
        Route::Votes => votes::take(&store, &body::parse(&body)?, network, now_ms).await,
        _ => claims::claim(&store, &body::parse(&body)?, (network, turn), config, now_ms).await,
    }
}

fn asset(path: &str) -> Result<Reply, Problem> {
    let asset = assets::find(path).ok_or_else(|| Problem::not_found("There is no such file."))?;
    Ok(Reply::new(asset.content_type, Cache::Immutable, asset.body))
}

fn totals(tiers: &Table<Tier, u32>) -> Totals {
    let of = |tier: Tier| tiers.get(&tier).copied().unwrap_or(0);
    Totals { open: of(Tier::Open), gated: of(Tier::Gated), unknown: of(Tier::Unknown) }
}

fn unknown(slug: &Slug) -> Problem {
    Problem::not_found(format!("There is no listing {:?}.", slug.as_str()))
}

fn not_configured(fault: impl std::fmt::Display) -> Problem {
    Problem::unavailable(format!("This part of the site is not configured: {fault}."))
}

fn problem_reply(problem: &Problem, asked: &Asked, site: Option<&Site>) -> Reply {
    let page = site
        .filter(|_| asked.accepts_html && !asked.path.starts_with("/api/"))
        .and_then(|site| pages::problem(problem, &asked.path, site).ok());
    match page {
        Some(page) => Reply::html(page).for_problem(problem),
        None => Reply::problem(problem),
    }
}

impl From<StoreFault> for Problem {
    fn from(fault: StoreFault) -> Self {
        worker::console_error!("store: {fault}");
        Self::internal()
    }
}

impl From<askama::Error> for Problem {
    fn from(error: askama::Error) -> Self {
        worker::console_error!("page: {error}");
        Self::internal()
    }
}
