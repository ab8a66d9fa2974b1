//! The site and the API as a Cloudflare Worker over D1: the platform's events in, rows and bytes out.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)
)]

pub mod answer;
pub mod api;
pub mod assets;
pub mod body;
mod chart;
pub mod config;
pub mod ingest;
pub mod pages;
pub mod problem;
pub mod reply;
pub mod route;
pub mod store;

use shared::schedule::minute_of;
use worker::web_sys::{Request, Response};
use worker::{Context, Date, Env, ScheduleContext, ScheduledEvent, event};

// The platform's own types: the `worker` crate's read every method they do not know as GET, and bring along what
// streams and sockets need.
#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response, &'static str> {
    let head = request.method() == "HEAD";
    let reply = answer::answer(&request, &env, now_ms()).await;
    reply.respond(head).map_err(|_| "a header that the platform does not accept")
}

#[event(scheduled)]
async fn scheduled(event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    // The minute the platform names, not the one it got round to it: a late run still visits its listings.
    let minute = minute_of(event.schedule() as i64);
    match forget(&env, minute).await {
        Ok(0) => {}
        Ok(chunks) => worker::console_log!("retention: deleted {chunks} chunks"),
        Err(fault) => worker::console_error!("retention: {fault}"),
    }
}

async fn forget(env: &Env, minute: u32) -> Result<usize, store::StoreFault> {
    store::Store::open(env)?.forget(minute).await
}

fn now_ms() -> i64 {
    i64::try_from(Date::now().as_millis()).unwrap_or(i64::MAX)
}

// A third of the code of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
