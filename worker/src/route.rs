//! Which address and method means what: pure and exhaustive.

use shared::listing::Slug;

use crate::problem::Problem;

/// Everything we answer. Methods are settled here; HEAD arrives as GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// `/`
    Board,
    /// `/tools/{slug}`
    Listing(Slug),
    /// `/probe.txt`
    ProbeText,
    /// `/robots.txt`
    RobotsText,
    /// `/assets/{name}`: style sheet, icons.
    Asset,
    /// `/api/v2/tools.json`
    ToolsJson,
    /// `/api/v2/tools/{slug}/tool.json`
    ToolJson(Slug),
    /// `POST /api/v2/claims`
    Claims,
    /// `POST /api/v2/votes`
    Votes,
    /// `GET /api/admin/listings`
    AdminList,
    /// `POST /api/admin/listings`
    AdminChange,
}

/// Finds the route, or says why there is none.
///
/// # Errors
/// 400 for a slug that breaks its rules, 404 for an unknown path, 405 for a method the path does not answer.
pub fn route(method: &str, path: &str) -> Result<Route, Problem> {
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let page = |route: Route| match method {
        "GET" | "HEAD" => Ok(route),
        _ => Err(Problem::method_not_allowed("GET, HEAD")),
    };
    let post = |route: Route| match method {
        "POST" => Ok(route),
        _ => Err(Problem::method_not_allowed("POST")),
    };
    match segments.as_slice() {
        [""] => page(Route::Board),
        ["tools", slug] => page(Route::Listing(parse_slug(slug)?)),
        ["probe.txt"] => page(Route::ProbeText),
        ["robots.txt"] => page(Route::RobotsText),
        ["assets", _] => page(Route::Asset),
        ["api", "v2", "tools.json"] => page(Route::ToolsJson),
        ["api", "v2", "tools", slug, "tool.json"] => page(Route::ToolJson(parse_slug(slug)?)),
        ["api", "v2", "claims"] => post(Route::Claims),
        ["api", "v2", "votes"] => post(Route::Votes),
        ["api", "admin", "listings"] => match method {
            "GET" | "HEAD" => Ok(Route::AdminList),
            "POST" => Ok(Route::AdminChange),
            _ => Err(Problem::method_not_allowed("GET, HEAD, POST")),
        },
        _ => Err(Problem::not_found("There is nothing at this address.")),
    }
}

fn parse_slug(text: &str) -> Result<Slug, Problem> {
    Slug::parse(text).map_err(|fault| Problem::invalid("slug", format!("{fault}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_answer() {
        let slug = || Slug::parse("tidewater-docs").unwrap();
        for (method, path, expected) in [
            ("GET", "/", Ok(Route::Board)),
            ("HEAD", "/", Ok(Route::Board)),
            ("GET", "/tools/tidewater-docs", Ok(Route::Listing(slug()))),
            ("GET", "/probe.txt", Ok(Route::ProbeText)),
            ("GET", "/robots.txt", Ok(Route::RobotsText)),
            ("GET", "/assets/style.css", Ok(Route::Asset)),
            ("GET", "/api/v2/tools.json", Ok(Route::ToolsJson)),
            ("GET", "/api/v2/tools/tidewater-docs/tool.json", Ok(Route::ToolJson(slug()))),
            ("POST", "/api/v2/claims", Ok(Route::Claims)),
            ("POST", "/api/v2/votes", Ok(Route::Votes)),
            ("GET", "/api/admin/listings", Ok(Route::AdminList)),
            ("POST", "/api/admin/listings", Ok(Route::AdminChange)),
            ("POST", "/", Err(405)),
            ("DELETE", "/tools/tidewater-docs", Err(405)),
            ("GET", "/api/v2/votes", Err(405)),
            ("PUT", "/api/admin/listings", Err(405)),
            ("GET", "/tools/No", Err(400)),
            ("GET", "/api/v2/tools/a--b/tool.json", Err(400)),
            ("GET", "/tools/tidewater-docs/", Err(404)),
            ("GET", "//", Err(404)),
            ("GET", "/api/v2/nothing", Err(404)),
            ("GET", "", Ok(Route::Board)),
        ] {
            assert_eq!(route(method, path).map_err(|problem| problem.status), expected, "{method} {path}");
        }
    }

    #[test]
    fn a_wrong_method_is_told_the_right_ones() {
        assert_eq!(route("GET", "/api/v2/claims").unwrap_err().allow, Some("POST"));
        assert_eq!(route("PATCH", "/probe.txt").unwrap_err().allow, Some("GET, HEAD"));
    }
}
