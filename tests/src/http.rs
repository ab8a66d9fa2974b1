//! Plain HTTP to this machine.

use std::time::Duration;

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// The first header of this lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// With status and body where it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }
}

/// Sends one request; whatever the status, it is an answer.
///
/// # Errors
/// The sentence of the client where no answer came within a minute.
pub fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Result<Answer, String> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .allow_non_standard_methods(true)
        .timeout_global(Some(Duration::from_secs(60)))
        .build();
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.to_vec()).map_err(|error| format!("{method} {url}: {error}"))?;
    let mut response = ureq::Agent::new_with_config(config)
        .run(request)
        .map_err(|error| format!("{method} {url}: {error}"))?;
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let body = response
        .body_mut()
        .with_config()
        .limit(64 * 1024 * 1024)
        .read_to_string()
        .map_err(|error| format!("{method} {url}: {error}"))?;
    Ok(Answer { status: response.status().as_u16(), headers, body })
}
