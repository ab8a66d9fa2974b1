//! Answers that are told by status and headers alone: bot walls, login walls, refusals, rate limits, `Retry-After`.

use url::Url;

use super::reply::Headers;
use crate::listing::hosts::is_within;
use crate::methodology::{LOGIN_HOSTS, LOGIN_PATH, RETRY_AFTER_CAP_S};
use crate::outcome::Reason;

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

/// Seconds to wait by `Retry-After`, at most 24 h. Only a non-negative integer or a future HTTP-date counts. A date
/// is read against the answer's own `Date`, which makes it the pause that was meant, however wrong the server's
/// clock; without one against `now_s`, our time in seconds since the epoch.
pub(super) fn retry_after_s(headers: &Headers, now_s: i64) -> Option<u32> {
    let value = headers.get("retry-after")?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a u32 holds mean a very long time, not nothing.
        return Some(value.parse().unwrap_or(RETRY_AFTER_CAP_S).min(RETRY_AFTER_CAP_S));
    }
    let told_s = headers.get("date").and_then(http_date_s);
    let wait = http_date_s(value)? - told_s.unwrap_or(now_s);
    let wait = u32::try_from(wait).ok().filter(|wait| *wait > 0)?;
    Some(wait.min(RETRY_AFTER_CAP_S))
}

/// Seconds since the epoch of an HTTP-date (RFC 9110 section 5.6.7).
fn http_date_s(text: &str) -> Option<i64> {
    let since_epoch = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&str, &str)]) -> Headers {
        Headers::new(fields.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn retry_after_counts_only_as_seconds_or_a_future_date() {
        let date = "Mon, 30 Nov 2026 16:34:30 GMT";
        let table = [
            ("0", Some(0)),
            ("120", Some(120)),
            ("999999999999", Some(86_400)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
            ("Mon, 30 Nov 2026 16:35:30 GMT", Some(60)),
            ("Mon, 30 Nov 2026 16:34:30 GMT", None),
            ("Mon, 30 Nov 2020 16:34:30 GMT", None),
            ("Wed, 30 Nov 2033 16:34:30 GMT", Some(86_400)),
            ("Mon, 99 Nov 2026 16:35:30 GMT", None),
        ];
        for (value, expected) in table {
            let now_s = http_date_s(date).unwrap();
            // The server's own time decides where it tells it, ours where it does not or makes no sense.
            for (told, now_s) in
                [(Some(date), 0), (Some(date), i64::MAX), (None, now_s), (Some("now"), now_s)]
            {
                let mut fields = vec![("Retry-After", value)];
                fields.extend(told.map(|told| ("Date", told)));
                assert_eq!(retry_after_s(&headers(&fields), now_s), expected, "{value}, {told:?}, {now_s}");
            }
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
