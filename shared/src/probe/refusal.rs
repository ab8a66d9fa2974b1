//! Answers that are told by status and headers alone: bot walls, login walls, refusals, rate limits, `Retry-After`.

use url::Url;

use super::reply::Headers;
use crate::listing::hosts::is_within;
use crate::methodology::{LOGIN_HOSTS, LOGIN_PATH, RETRY_AFTER_CAP_S};
use crate::outcome::Reason;
use crate::retry_after;

/// Whether a bot wall answered in the endpoint's place. Told by headers, never by a body: healthy pages name
/// challenge hosts too.
pub(super) fn is_bot_wall(status: u16, headers: &Headers) -> bool {
    let named = headers.is("cf-mitigated", "challenge")
        || headers.is("x-vercel-mitigated", "challenge")
        || headers.is("x-amzn-waf-action", "challenge")
        || headers.is("x-amzn-waf-action", "captcha");
    // These vendors mark answers they let through as well, so the status has to agree.
    let vendor = headers.get("x-datadome").is_some()
        || headers.get("x-dd-b").is_some()
        || headers.get("x-kpsdk-ct").is_some()
        || headers.get("x-sucuri-block").is_some()
        || headers.is("server", "akamaighost");
    named || (vendor && matches!(status, 403 | 429 | 503))
}

/// A refusal to serve us that is no evidence about the endpoint.
pub(super) fn refusal_reason(status: u16, headers: &Headers) -> Option<Reason> {
    if is_bot_wall(status, headers) {
        return Some(Reason::BotWall);
    }
    match status {
        402 => Some(Reason::Payment),
        // API Gateway answers so for a path without a route: nobody refused us.
        403 if is_missing_route(headers) => None,
        403 => Some(Reason::Forbidden),
        451 => Some(Reason::Legal),
        _ => None,
    }
}

/// Amazon API Gateway's words for "no such route".
pub(super) fn is_missing_route(headers: &Headers) -> bool {
    headers.get("x-amzn-errortype").is_some_and(|kind| {
        kind.split([':', ',']).next().unwrap_or("").trim() == "MissingAuthenticationTokenException"
    })
}

/// Whether a redirect leads to a page where a person signs in.
pub(super) fn is_login_wall(target: &Url) -> bool {
    let host = target.host_str().unwrap_or("");
    target.path().starts_with(LOGIN_PATH) || LOGIN_HOSTS.iter().any(|known| is_within(host, known))
}

/// Seconds to wait by `Retry-After`, at most 24 h.
pub(super) fn retry_after_s(headers: &Headers, now_s: i64) -> Option<u32> {
    let wait_s = retry_after::wait_s(headers.get("retry-after")?, headers.get("date"), now_s)?;
    Some(wait_s.min(RETRY_AFTER_CAP_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&str, &str)]) -> Headers {
        Headers::new(fields.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn retry_after_postpones_by_a_day_at_most() {
        for (value, expected) in
            [("120", Some(120)), ("999999999999", Some(RETRY_AFTER_CAP_S)), ("soon", None)]
        {
            assert_eq!(retry_after_s(&headers(&[("Retry-After", value)]), 0), expected, "{value}");
        }
    }

    #[test]
    fn bot_walls_are_told_by_headers() {
        let table = [
            (403, ("CF-Mitigated", "challenge"), true),
            (200, ("cf-mitigated", "challenge"), true),
            (202, ("x-amzn-waf-action", "challenge"), true),
            (405, ("x-amzn-waf-action", "captcha"), true),
            (403, ("x-datadome", "protected"), true),
            (200, ("x-datadome", "protected"), false),
            (403, ("server", "AkamaiGHost"), true),
            (502, ("server", "AkamaiGHost"), false),
        ];
        for (status, field, expected) in table {
            assert_eq!(is_bot_wall(status, &headers(&[field])), expected, "{status} {field:?}");
        }
    }

    #[test]
    fn login_walls_are_a_published_list_and_one_path() {
        let table = [
            ("https://team.cloudflareaccess.com/x", true),
            ("https://example.org/cdn-cgi/access/login/a?b", true),
            ("https://evilokta.com/", false),
            ("https://dev-1.okta.com/login", true),
            ("https://example.org/login", false),
        ];
        for (url, expected) in table {
            assert_eq!(is_login_wall(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
