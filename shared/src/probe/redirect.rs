//! Same-origin, method-preserving redirects and nothing else, as the official clients follow them. (protocol 0.7)

use url::Url;

use super::finding::Finding;
use super::refusal::is_login_wall;
use super::reply::Headers;
use super::request::Method;
use crate::methodology::cuts::{REDIRECT_HOST, cut};
use crate::methodology::limits::{DOCUMENT_REDIRECT_HOPS, REDIRECT_HOPS};
use crate::outcome::{Class, Reason};

/// What to do about an answer with this status.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    /// Not a redirect.
    No,
    Follow(Url),
    /// Not followed; for an off-origin one with the host it led to.
    Stop {
        finding: Finding,
        host: Option<String>,
    },
}

/// Judges one answer. `visited` holds every URL of this request so far, the current one last.
pub(super) fn judge(method: Method, visited: &[Url], status: u16, headers: &Headers) -> Redirect {
    let Some(current) = visited.last().filter(|_| (300..400).contains(&status)) else {
        return Redirect::No;
    };
    let stop =
        |class, reason, host| Redirect::Stop { finding: Finding::headers(class, reason, status), host };
    let Some(target) = headers.get("location").and_then(|location| target(current, location)) else {
        return stop(Class::Redirect, Some(Reason::NoLocation), None);
    };
    if target.origin() != current.origin() {
        let host = target.host_str().map(|host| cut(host, REDIRECT_HOST).to_owned());
        return if matches!(status, 301..=303) && is_login_wall(&target) {
            stop(Class::Refused, Some(Reason::LoginWall), host)
        } else {
            stop(Class::Redirect, Some(Reason::OffOrigin), host)
        };
    }
    // A document is fetched with GET, which every redirect preserves.
    let followed = if method == Method::Get {
        [301, 302, 303, 307, 308].contains(&status)
    } else {
        matches!(status, 307 | 308)
    };
    let hops = if method == Method::Get { DOCUMENT_REDIRECT_HOPS } else { REDIRECT_HOPS };
    if !followed {
        stop(Class::Redirect, Some(Reason::MethodChanging), None)
    } else if visited.contains(&target) {
        stop(Class::Redirect, Some(Reason::RedirectLoop), None)
    } else if visited.len() > hops {
        stop(Class::Redirect, Some(Reason::TooManyHops), None)
    } else {
        Redirect::Follow(target)
    }
}

/// The URL a `Location` leads to, without fragment and without credentials, which we never send.
fn target(current: &Url, location: &str) -> Option<Url> {
    let mut target = current.join(location).ok().filter(|_| !location.is_empty())?;
    target.set_fragment(None);
    if !target.username().is_empty() || target.password().is_some() {
        target.set_username("").ok()?;
        target.set_password(None).ok()?;
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(method: Method, status: u16, location: &str, hops: usize) -> Redirect {
        let mut visited = vec![Url::parse("https://a.example/mcp").unwrap()];
        visited.extend((0..hops).map(|hop| Url::parse(&format!("https://a.example/hop{hop}")).unwrap()));
        judge(method, &visited, status, &Headers::new([("location", location.as_bytes())]))
    }

    fn reason(redirect: &Redirect) -> Option<Reason> {
        match redirect {
            Redirect::Stop { finding, .. } => finding.reason,
            _ => None,
        }
    }

    #[test]
    fn only_same_origin_307_and_308_are_followed() {
        let followed = |url: &str| Redirect::Follow(Url::parse(url).unwrap());
        assert_eq!(judged(Method::Post, 307, "/mcp/", 0), followed("https://a.example/mcp/"));
        assert_eq!(
            judged(Method::Post, 308, "https://a.example:443/x#y", 0),
            followed("https://a.example/x")
        );
        assert_eq!(judged(Method::Post, 200, "/x", 0), Redirect::No);
        let table = [
            (301, "/mcp/", 0, Reason::MethodChanging),
            (302, "/mcp/", 0, Reason::MethodChanging),
            (303, "/mcp/", 0, Reason::MethodChanging),
            (307, "http://a.example/mcp/", 0, Reason::OffOrigin),
            (308, "https://www.a.example/mcp", 0, Reason::OffOrigin),
            (307, "https://a.example:8443/mcp", 0, Reason::OffOrigin),
            (307, "/mcp", 0, Reason::RedirectLoop),
            (307, "/hop0", 2, Reason::RedirectLoop),
            (307, "/next", 3, Reason::TooManyHops),
            (307, "", 0, Reason::NoLocation),
            (307, "http://[", 0, Reason::NoLocation),
            (302, "https://dev.okta.com/login", 0, Reason::LoginWall),
            (307, "https://dev.okta.com/login", 0, Reason::OffOrigin),
        ];
        for (status, location, hops, expected) in table {
            assert_eq!(
                reason(&judged(Method::Post, status, location, hops)),
                Some(expected),
                "{status} {location}"
            );
        }
        assert!(
            matches!(judged(Method::Post, 307, "/next", 2), Redirect::Follow(_)),
            "three hops are followed"
        );
    }

    #[test]
    fn documents_follow_any_same_origin_redirect_twice() {
        assert!(matches!(judged(Method::Get, 301, "/x", 0), Redirect::Follow(_)));
        assert!(matches!(judged(Method::Get, 303, "/x", 1), Redirect::Follow(_)));
        assert_eq!(reason(&judged(Method::Get, 302, "/x", 2)), Some(Reason::TooManyHops));
    }
}
