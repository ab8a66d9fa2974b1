//! Cloudflare's own status codes, which say what its network saw of the origin. (methodology section 4; protocol 7)

use super::finding::Finding;
use super::reply::Headers;
use crate::outcome::{Class, Phase, Precision, Reason};

/// The finding where Cloudflare, not the endpoint, minted this answer; None where it did not.
pub(super) fn judge(status: u16, headers: &Headers, body: &[u8], precision: Precision) -> Option<Finding> {
    let fronted = headers.is("server", "cloudflare");
    if !fronted && precision != Precision::Edge {
        return None;
    }
    let code = error_code(body);
    let finding = |class, reason, phase| Some(Finding { class, reason, phase, http_status: Some(status) });
    match (status, code) {
        // Told to the Worker that asked, about itself: never the endpoint's doing. A good answer may hold such words too.
        (400.., Some(1003 | 1019 | 1021 | 1024 | 1042 | 1101 | 1102)) if precision == Precision::Edge => {
            finding(Class::VantageError, Some(Reason::PlatformLimit), None)
        }
        (520, _) => finding(Class::Closed, None, None),
        (521 | 523, _) => finding(Class::ConnectFailed, None, Some(Phase::Connect)),
        (522, _) => finding(Class::Timeout, None, Some(Phase::Connect)),
        (524, _) => finding(Class::Timeout, None, Some(Phase::Headers)),
        (525 | 526, _) => finding(Class::TlsFailure, None, Some(Phase::Tls)),
        (530, Some(1001 | 1016)) => finding(Class::DnsFailure, None, Some(Phase::Dns)),
        (530, Some(1033)) => finding(Class::Http5xx, Some(Reason::PlatformNoApp), Some(Phase::Headers)),
        _ => None,
    }
}

/// The number in `error code: 1016`, the whole body of such an answer, or in the title of its HTML form.
fn error_code(body: &[u8]) -> Option<u16> {
    const SEARCHED: usize = 4_096;
    let text = String::from_utf8_lossy(body.get(..SEARCHED).unwrap_or(body)).to_ascii_lowercase();
    ["error code: ", "error code ", "error "].iter().find_map(|words| {
        text.match_indices(words).find_map(|(at, _)| {
            let digits: String =
                text.get(at + words.len()..)?.chars().take_while(char::is_ascii_digit).take(5).collect();
            (digits.len() == 4).then(|| digits.parse().ok()).flatten()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_only_behind_cloudflare_or_from_the_edge() {
        let cloudflare = Headers::new([("Server", b"cloudflare".as_slice())]);
        let plain = Headers::default();
        let table = [
            (520, "", Class::Closed, None),
            (521, "", Class::ConnectFailed, None),
            (522, "", Class::Timeout, None),
            (523, "", Class::ConnectFailed, None),
            (524, "", Class::Timeout, None),
            (525, "", Class::TlsFailure, None),
            (526, "", Class::TlsFailure, None),
            (530, "error code: 1016", Class::DnsFailure, None),
            (530, "<title>Error 1001 | example</title>", Class::DnsFailure, None),
            (530, "error code: 1033", Class::Http5xx, Some(Reason::PlatformNoApp)),
        ];
        for (status, body, class, reason) in table {
            let seen = judge(status, &cloudflare, body.as_bytes(), Precision::Exact).unwrap();
            assert_eq!((seen.class, seen.reason), (class, reason), "{status} {body}");
            assert_eq!(judge(status, &plain, body.as_bytes(), Precision::Edge), Some(seen));
            assert_eq!(judge(status, &plain, body.as_bytes(), Precision::Exact), None);
        }
        assert_eq!(judge(530, &cloudflare, b"error code: 1000", Precision::Exact), None);
        assert_eq!(judge(403, &cloudflare, b"error code: 1003", Precision::Exact), None);
        let own = judge(403, &cloudflare, b"error code: 1003", Precision::Edge).unwrap();
        assert_eq!(own.class, Class::VantageError);
        let tells_of_it = br#"{"result":{"instructions":"explains error 1042"}}"#;
        assert_eq!(judge(200, &cloudflare, tells_of_it, Precision::Edge), None);
    }
}
