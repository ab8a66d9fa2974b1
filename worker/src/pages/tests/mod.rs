//! Rules every page keeps, and what each looks like.

mod documents;

use self::documents as given;
use super::{Totals, board, listing, probe_text, problem, robots_text};
use crate::assets::{ICON, STYLE};
use crate::problem::Problem;

const TOTALS: Totals = Totals { open: 4, gated: 3, unknown: 2 };

/// Every page of this site, by a name for its snapshot.
fn pages() -> Vec<(String, String)> {
    let site = given::site();
    let mut pages = vec![
        ("board".to_owned(), board(&given::board(given::every_kind(), None), TOTALS, None, &site)),
        ("board-empty".to_owned(), board(&given::board(Vec::new(), None), Totals::default(), None, &site)),
        (
            "board-part".to_owned(),
            board(&given::board(vec![given::open_up()], Some("tidewater-docs")), TOTALS, Some("kiln"), &site),
        ),
        ("board-beyond".to_owned(), board(&given::board(Vec::new(), None), TOTALS, Some("zz"), &site)),
        (
            "problem-404".to_owned(),
            problem(&Problem::not_found("No listing has that slug."), "/tools/tidewater-dosc", &site),
        ),
        ("problem-500".to_owned(), problem(&Problem::internal(), given::HOSTILE, &site)),
    ];
    for tool in given::every_kind() {
        let name = format!("listing-{}", tool.listing.slug);
        pages.push((name, listing(&given::document(tool), &site)));
    }
    // A change of the style sheet is no change of a page.
    let steady = |page: String| {
        page.replace(&STYLE.path(), "/assets/style.css").replace(&ICON.path(), "/assets/icon.svg")
    };
    pages.into_iter().map(|(name, page)| (name, steady(page.unwrap()))).collect()
}

#[test]
fn pages_look_as_agreed() {
    for (name, page) in pages() {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, page) });
    }
    let site = given::site();
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("probe-txt", probe_text(&site).unwrap());
        insta::assert_snapshot!("robots-txt", robots_text().unwrap());
    });
}

#[test]
fn every_page_has_one_heading_a_language_a_title_and_a_skip_link() {
    for (name, page) in pages() {
        assert_eq!(page.matches("<h1").count(), 1, "{name}: h1");
        assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"), "{name}: language");
        assert!(page.contains("<a class=\"skip vh\" href=\"#main\">"), "{name}: skip link");
        assert!(page.contains("<main id=\"main\""), "{name}: main");
        let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
        assert!(title.ends_with(" · IsItStillUp") && !title.starts_with(' '), "{name}: {title:?}");
    }
}

#[test]
fn no_page_has_inline_code_or_fetches_from_elsewhere() {
    for (name, page) in pages() {
        let tags = || page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap());
        for tag in tags() {
            assert!(!tag.starts_with("script") && !tag.starts_with("style"), "{name}: <{tag}>");
            for attribute in [" style=", " onclick", " onload", " onerror", " src=\"http"] {
                assert!(!tag.contains(attribute), "{name}: <{tag}>");
            }
            if let Some(target) = tag.split("href=\"").nth(1) {
                let target = target.split('"').next().unwrap();
                let ours = ["/", "#", "mailto:"].iter().any(|start| target.starts_with(start));
                assert!(ours && !target.starts_with("//"), "{name}: <{tag}>");
            }
        }
    }
}

#[test]
fn anchors_within_a_page_have_a_target_and_ids_are_unique() {
    for (name, page) in pages() {
        let mut ids: Vec<&str> =
            page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{name}: an id stands twice");
        for anchor in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(ids.binary_search(&anchor).is_ok(), "{name}: #{anchor} leads nowhere");
        }
    }
}

#[test]
fn text_of_others_stays_text() {
    for (name, page) in pages() {
        for raw in ["<script", "<em>", "<i>", "<u>", "x=</pre>", "\u{202E}", "\0"] {
            assert!(!page.contains(raw), "{name}: {raw:?}");
        }
        assert!(!page.contains(&"A".repeat(300)), "{name}: endless text");
    }
    let page = listing(&given::document(given::hostile()), &given::site()).unwrap();
    assert!(page.contains("&#60;script&#62;alert(1)"), "the name is shown, escaped");
}

#[test]
fn a_full_board_stays_small() {
    let tools: Vec<_> = (0..100)
        .map(|index| {
            let mut tool = given::every_kind().swap_remove(index % 8);
            tool.listing.slug = format!("listing-{index}");
            tool.listing.name = format!("Listing number {index}");
            tool
        })
        .collect();
    let page = board(&given::board(tools, None), TOTALS, None, &given::site()).unwrap();
    assert_eq!(page.matches("<tr role=\"row\"><th role=\"rowheader\"").count(), 100);
    // Rows are alike: text of this length compresses to less than a tenth.
    assert!(page.len() < 200_000, "{} bytes for 100 rows", page.len());
}
