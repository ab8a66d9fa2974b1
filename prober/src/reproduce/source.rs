//! Where a document comes from: a file, standard input, or a URL.

use std::io::{Read, stdin};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use shared::methodology::USER_AGENT;
use url::Url;

use crate::small_file;
use crate::text::printable;
use crate::transport::Tls;

/// Seven days of two networks are a tenth of this.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// For one document.
const FETCH: Duration = Duration::from_secs(60);

/// The text of a document: `-` is standard input, what begins with http:// or https:// is fetched, all else is a file.
///
/// # Errors
/// A sentence that names the document and what is wrong with it.
pub(super) async fn read(name: &str) -> Result<String, String> {
    let bytes = match Url::parse(name) {
        _ if name == "-" => from_stdin()?,
        Ok(url) if matches!(url.scheme(), "http" | "https") => fetched(url).await?,
        _ => small_file::whole_up_to(Path::new(name), MOST_BYTES)?,
    };
    String::from_utf8(bytes).map_err(|_| format!("{} is no text in UTF-8", printable(name)))
}

fn from_stdin() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large("standard input")) } else { Ok(bytes) }
}

async fn fetched(url: Url) -> Result<Vec<u8>, String> {
    let name = printable(url.as_str());
    let tls = Tls::new(None, Arc::default())?;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls.for_the_worker())
        .timeout(FETCH)
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| format!("cannot set up the HTTP client: {error}"))?;
    let fault = |error: reqwest::Error| format!("cannot fetch {name}: {}", printable(&error.to_string()));
    let mut answer = client.get(url.clone()).send().await.map_err(fault)?;
    if !answer.status().is_success() {
        return Err(format!("{name} answered {}", answer.status().as_u16()));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(fault)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_large(&name));
        }
    }
    Ok(bytes)
}

fn too_large(name: &str) -> String {
    format!("{name} is larger than {MOST_BYTES} bytes: is it the right document?")
}
