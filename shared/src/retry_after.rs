//! `Retry-After` (RFC 9110 section 10.2.3), of an endpoint and of our own Worker alike.

/// Seconds to wait. Only a non-negative integer or a future HTTP-date counts. A date is read against the answer's own
/// `Date`, which makes it the pause that was meant, however wrong the server's clock; without one against `now_s`, our
/// time in seconds since the epoch.
#[must_use]
pub fn wait_s(value: &str, date: Option<&str>, now_s: i64) -> Option<u32> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a u32 holds mean a very long time, not nothing.
        return Some(value.parse().unwrap_or(u32::MAX));
    }
    let told_s = date.and_then(http_date_s);
    let wait_s = http_date_s(value)?.saturating_sub(told_s.unwrap_or(now_s));
    (wait_s > 0).then(|| u32::try_from(wait_s).unwrap_or(u32::MAX))
}

/// Seconds since the epoch of an HTTP-date (RFC 9110 section 5.6.7).
fn http_date_s(text: &str) -> Option<i64> {
    let since_epoch = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_seconds_or_a_future_date_count() {
        let date = "Mon, 30 Nov 2026 16:34:30 GMT";
        let table = [
            ("0", Some(0)),
            ("120", Some(120)),
            ("999999999999", Some(u32::MAX)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
            ("Mon, 30 Nov 2026 16:35:30 GMT", Some(60)),
            ("Mon, 30 Nov 2026 16:34:30 GMT", None),
            ("Mon, 30 Nov 2020 16:34:30 GMT", None),
            ("Tue, 30 Nov 2027 16:34:30 GMT", Some(365 * 86_400)),
            ("Mon, 99 Nov 2026 16:35:30 GMT", None),
        ];
        for (value, expected) in table {
            let now_s = http_date_s(date).unwrap();
            // The server's own time decides where it tells it, ours where it does not or makes no sense.
            for (told, now_s) in
                [(Some(date), 0), (Some(date), i64::MAX), (None, now_s), (Some("now"), now_s)]
            {
                assert_eq!(wait_s(value, told, now_s), expected, "{value}, {told:?}, {now_s}");
            }
        }
    }
}
