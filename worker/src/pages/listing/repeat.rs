//! A command line that sends our first request again.

use shared::methodology::USER_AGENT;
use shared::outcome::Era;
use shared::probe;
use url::Url;

use crate::api::tool_document::ToolEntry;

/// `curl` with the method, headers and body of the first request we send to this listing now.
pub(super) fn curl(tool: &ToolEntry) -> String {
    let era = tool.networks.iter().find_map(|network| network.era).unwrap_or(Era::Legacy);
    let Ok(url) = Url::parse(&tool.listing.url) else { return String::new() };
    let (headers, body) = probe::opening(&url, era, 1);
    let mut command = format!("curl -sS -i {} \\\n  -A {}", quoted(url.as_str()), quoted(USER_AGENT));
    for (name, value) in headers {
        command.push_str(&format!(" \\\n  -H {}", quoted(&format!("{name}: {value}"))));
    }
    command.push_str(&format!(" \\\n  -d {}", quoted(&body)));
    command
}

/// One word of a POSIX shell, whatever the text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_gets_out_of_its_quotes() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("https://e.example/'; rm -rf ~ #"), r"'https://e.example/'\''; rm -rf ~ #'");
    }
}
