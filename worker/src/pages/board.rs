//! `/`: every listing with the newest vote of each network.

use askama::Template;
use shared::explanation::capitalized;
use shared::listing::{State, Tier};
use shared::mcp::version;
use shared::methodology::OPEN_INTERVAL_MINUTES;
use shared::outcome::Class;
use url::Url;

use super::mark::{self, Mark};
use super::vote::{lister, tools_figure};
use super::{Frame, Key, Site, foreign, format};
use crate::api::timestamp::Timestamp;
use crate::api::tool_document::{BoardDocument, NetworkEntry, ToolEntry};

/// How many listings there are, by tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub open: u32,
    pub gated: u32,
    /// Without a counted success so far.
    pub unknown: u32,
}

impl Totals {
    const fn all(self) -> u32 {
        self.open.saturating_add(self.gated).saturating_add(self.unknown)
    }
}

#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage<'a> {
    frame: Frame<'a>,
    total: String,
    keys: Vec<Key>,
    networks: Vec<(&'a str, &'static str)>,
    blocks: Vec<Block<'a>>,
    /// No listing at all, rather than none on this page.
    nothing_listed: bool,
    first_vote_within: String,
    command: String,
    /// A page that is not the first.
    later_page: bool,
    next: Option<&'a str>,
    legend: Vec<(Mark, String)>,
}

/// The listings of one kind.
struct Block<'a> {
    heading: &'static str,
    sentence: String,
    gated: bool,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    slug: &'a str,
    name: String,
    /// Host and path.
    place: String,
    never_answered: Option<String>,
    /// Why the listing is not simply measured.
    state: Option<(Mark, &'static str)>,
    cells: Vec<Cell<'a>>,
    /// Tools, or the front door of a gated listing.
    content: String,
    era: String,
    revision: Option<&'static str>,
}

struct Cell<'a> {
    network: &'a str,
    sign: Mark,
    words: String,
    why: Option<String>,
    figures: Option<String>,
}

/// The page for one part of the list. `after`: the slug the part begins behind, None for the first.
///
/// # Errors
/// Where the template cannot be written out, which has no cause but a lack of memory.
pub fn board(
    document: &BoardDocument,
    totals: Totals,
    after: Option<&str>,
    site: &Site,
) -> Result<String, askama::Error> {
    BoardPage {
        frame: Frame::of_board(site),
        total: format::number(totals.all()),
        keys: keys(document, totals, site),
        networks: site.networks.iter().map(|(name, precision)| (name.as_str(), precision.word())).collect(),
        blocks: blocks(document),
        nothing_listed: totals.all() == 0,
        first_vote_within: format::duration(i64::from(OPEN_INTERVAL_MINUTES) * 60),
        command: command(site),
        later_page: after.is_some(),
        next: document.next.as_deref(),
        legend: legend(),
    }
    .render()
}

fn keys(document: &BoardDocument, totals: Totals, site: &Site) -> Vec<Key> {
    let names: Vec<&str> = site.networks.iter().map(|(name, _)| name.as_str()).collect();
    let newest =
        document.tools.iter().filter_map(|tool| tool.last_probe.as_ref()).max_by_key(|probe| probe.vote.at);
    let (figure, qualifier) = match newest {
        Some(probe) => {
            let age = format::age(document.as_of.seconds(), probe.vote.at.seconds());
            (format::clock(probe.vote.at.seconds()), format!("{age}, from {}", probe.network))
        }
        None => ("None yet".to_owned(), format!("at {}", format::instant(document.as_of.seconds()))),
    };
    vec![
        Key {
            label: "Endpoints",
            figure: format::number(totals.all()),
            qualifier: format!(
                "{} open, {} gated, {} not known yet",
                format::number(totals.open),
                format::number(totals.gated),
                format::number(totals.unknown)
            ),
        },
        Key {
            label: "Networks",
            figure: format::number(names.len() as u64),
            qualifier: if names.is_empty() { "none configured".to_owned() } else { names.join(", ") },
        },
        Key { label: "Newest vote", figure, qualifier },
    ]
}

fn blocks(document: &BoardDocument) -> Vec<Block<'_>> {
    let rows = |gated: bool| -> Vec<Row<'_>> {
        let tools = document.tools.iter().filter(|tool| (tool.tier == Tier::Gated) == gated);
        tools.map(|tool| row(tool, document.as_of)).collect()
    };
    let count = |rows: &[Row<'_>]| format::counted(rows.len() as u64, "endpoint", "endpoints");
    let (open, gated) = (rows(false), rows(true));
    let blocks = [
        Block {
            heading: "Open endpoints",
            sentence: format!("{} on this page, in order of address", count(&open)),
            gated: false,
            rows: open,
        },
        Block {
            heading: "Gated front doors",
            sentence: format!("{} on this page; only the front door is measured", count(&gated)),
            gated: true,
            rows: gated,
        },
    ];
    blocks.into_iter().filter(|block| !block.rows.is_empty()).collect()
}

fn row(tool: &ToolEntry, as_of: Timestamp) -> Row<'_> {
    let era = tool.networks.iter().find_map(|network| network.era);
    Row {
        slug: &tool.listing.slug,
        name: foreign::line(&tool.listing.name),
        place: place(&tool.listing.url),
        never_answered: never_answered(tool),
        state: (tool.state != State::Active).then(|| (Mark::of_state(tool.state), tool.state.label())),
        cells: tool.networks.iter().map(|network| cell(network, as_of)).collect(),
        content: content(tool),
        era: era.map_or_else(|| "not known".to_owned(), |era| capitalized(era.word())),
        revision: revision(tool),
    }
}

/// The revision of MCP in use, where it is one that exists: what a server claims besides is shown as self-reported.
pub(super) fn revision(tool: &ToolEntry) -> Option<&'static str> {
    let claimed = tool.networks.iter().find_map(|network| network.protocol_version.as_deref())?;
    version::LEGACY.iter().copied().chain([version::MODERN]).find(|known| *known == claimed)
}

/// Said of a listing that was asked and never gave a counted success: that is no outage.
pub(super) fn never_answered(tool: &ToolEntry) -> Option<String> {
    let asked = tool.tier == Tier::Unknown && tool.last_probe.is_some();
    asked.then(|| format!("never answered as MCP since {}", format::day(tool.listing.listed_at.seconds())))
}

fn cell(network: &NetworkEntry, as_of: Timestamp) -> Cell<'_> {
    match network.latest() {
        Some(vote) => Cell {
            network: &network.network,
            sign: vote.mark(),
            words: capitalized(vote.class.label()),
            why: vote.why(),
            figures: Some(vote.figures(as_of)),
        },
        None => Cell {
            network: &network.network,
            sign: mark::UNKNOWN,
            words: "No vote yet".to_owned(),
            why: None,
            figures: None,
        },
    }
}

/// The last column but one: tools of an open listing, the front door of a gated one.
fn content(tool: &ToolEntry) -> String {
    if tool.tier == Tier::Gated {
        return match tool.networks.iter().find_map(|network| network.front_door) {
            Some(door) => capitalized(door.label()),
            None => "Not observed yet".to_owned(),
        };
    }
    let mut shapes: Vec<_> = tool.networks.iter().filter_map(|network| network.tools.as_ref()).collect();
    shapes.dedup_by_key(|tools| tools.shape);
    if shapes.len() > 1 {
        return "differ by network".to_owned();
    }
    let shown = lister(tool).map(|(network, _)| network).or_else(|| tool.networks.first());
    shown.map_or_else(|| "none yet".to_owned(), tools_figure)
}

/// Host and path of a URL: what tells two endpoints of one host apart.
pub(super) fn place(url: &str) -> String {
    let place = Url::parse(url).ok().map(|parsed| {
        let port = parsed.port().map(|port| format!(":{port}")).unwrap_or_default();
        let path = if parsed.path() == "/" { "" } else { parsed.path() };
        format!("{}{port}{path}", parsed.host_str().unwrap_or_default())
    });
    foreign::line(place.as_deref().unwrap_or(url))
}

fn legend() -> Vec<(Mark, String)> {
    [
        Class::Up,
        Class::Degraded,
        Class::AuthRequired,
        Class::Timeout,
        Class::RateLimited,
        Class::VantageUnclear,
    ]
    .into_iter()
    .map(|class| (Mark::of_class(class), capitalized(class.label())))
    .collect()
}

fn command(site: &Site) -> String {
    format!(
        "curl -sS {}/api/admin/listings \\\n  -H \"Authorization: Bearer $ADMIN_TOKEN\" \\\n  \
         -H 'Content-Type: application/json' \\\n  \
         -d '{{\"slug\":\"example-docs\",\"name\":\"Example Docs\",\"url\":\"https://mcp.example.com/mcp\"}}'",
        site.origin
    )
}
