//! A test-only Worker: `POST /run` with a batch of vectors runs them inside workerd and answers what came out.

use vector_runner::{Batch, run_batch};
use worker::{Context, Env, Method, Request, Response, Result, event};

/// Answers one batch, one JSON value a vector in their order; 400 with a sentence where the body is no batch.
///
/// # Errors
/// Where the platform cannot read the body or make a response.
#[event(fetch)]
async fn fetch(mut request: Request, _env: Env, _context: Context) -> Result<Response> {
    if request.method() != Method::Post || request.path() != "/run" {
        return Response::error("POST /run", 404);
    }
    let body = request.bytes().await?;
    match serde_json::from_slice::<Batch>(&body) {
        Ok(batch) => Response::from_json(&run_batch(&batch)),
        Err(error) => Response::error(format!("not a batch of vectors: {error}"), 400),
    }
}
