//! Changes by hand, and the laws of drift.

use proptest::prelude::*;

use super::sightings::{Sighting, Sightings};
use super::{Event, Kind, Standing, detect};
use crate::shape::{Digest, ParameterShape, Shape, ToolContent, ToolShape};

const AS_OF: i64 = 10_000_000;

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn parameter(name: &str, required: bool) -> ParameterShape {
    ParameterShape { id: digest(name), required, kind: digest("string"), rest: digest(""), text: digest("") }
}

fn tool(name: &str) -> ToolShape {
    let parameters = vec![parameter("query", true), parameter("limit", false)];
    let content = ToolContent { text: digest(name), output: digest(""), input: digest("object"), parameters };
    ToolShape { name: name.to_owned(), id: digest(name), content: Some(content) }
}

/// A tool with its content changed.
fn changed(name: &str, change: impl FnOnce(&mut ToolContent)) -> ToolShape {
    let mut tool = tool(name);
    change(tool.content.as_mut().unwrap());
    tool
}

fn shape(tools: Vec<ToolShape>) -> Shape {
    Shape::from_tools(tools).unwrap()
}

/// Listings every 300 s, the last one a minute before [`AS_OF`].
fn listings(shapes: &[Shape]) -> Vec<Sighting<'_>> {
    let count = shapes.len() as i64;
    (0..)
        .zip(shapes)
        .map(|(place, shape)| {
            let at = AS_OF - 60 - 300 * (count - 1 - place);
            Sighting { at, valid_until: at + 3_000, shape }
        })
        .collect()
}

fn of_one(shapes: &[Shape]) -> Vec<Event> {
    detect(&[Sightings { network: "exact", listings: &listings(shapes) }], AS_OF)
}

fn kinds(events: &[Event]) -> Vec<(Kind, &str)> {
    events.iter().map(|event| (event.kind, event.tool.as_str())).collect()
}

/// The tools behind a change, and what it is called.
type Row<'a> = (Vec<ToolShape>, Vec<(Kind, &'a str)>);

#[test]
fn each_kind_of_change() {
    let before = || vec![tool("a"), tool("b")];
    let table: Vec<Row<'_>> = vec![
        (before(), vec![]),
        (vec![tool("b"), tool("a")], vec![]),
        (vec![tool("a")], vec![(Kind::ToolRemoved, "b")]),
        (vec![], vec![(Kind::StoppedOfferingTools, "")]),
        (vec![tool("a"), tool("b"), tool("c")], vec![(Kind::ToolAdded, "c")]),
        (
            vec![tool("a"), ToolShape { content: tool("b").content, ..tool("c") }],
            vec![(Kind::ToolRenamed, "b")],
        ),
        (vec![tool("a"), tool("c")], vec![(Kind::ToolRemoved, "b"), (Kind::ToolAdded, "c")]),
        (
            vec![tool("a"), changed("b", |b| b.parameters.push(parameter("new", true)))],
            vec![(Kind::RequiredParameterAdded, "b")],
        ),
        (
            vec![tool("a"), changed("b", |b| b.parameters.push(parameter("new", false)))],
            vec![(Kind::OptionalParameterAdded, "b")],
        ),
        (
            vec![tool("a"), changed("b", |b| b.parameters.retain(|one| one.required))],
            vec![(Kind::ParameterRemoved, "b")],
        ),
        (
            vec![tool("a"), changed("b", |b| b.parameters[0].kind = digest("number"))],
            vec![(Kind::ParameterTypeChanged, "b")],
        ),
        (
            vec![tool("a"), changed("b", |b| b.parameters[0].rest = digest("x"))],
            vec![(Kind::InputChanged, "b")],
        ),
        (
            vec![tool("a"), changed("b", |b| b.parameters[0].required ^= true)],
            vec![(Kind::InputChanged, "b")],
        ),
        (vec![tool("a"), changed("b", |b| b.input = digest("x"))], vec![(Kind::InputChanged, "b")]),
        (vec![tool("a"), changed("b", |b| b.output = digest("x"))], vec![(Kind::OutputChanged, "b")]),
        (vec![tool("a"), changed("b", |b| b.text = digest("x"))], vec![(Kind::DescriptionChanged, "b")]),
        (
            vec![tool("a"), changed("b", |b| b.parameters[0].text = digest("x"))],
            vec![(Kind::DescriptionChanged, "b")],
        ),
        // A description that changes with something else is no event of its own.
        (
            vec![
                tool("a"),
                changed("b", |b| {
                    b.text = digest("x");
                    b.output = digest("x");
                    b.parameters = vec![parameter("other", true)];
                }),
            ],
            vec![
                (Kind::RequiredParameterAdded, "b"),
                (Kind::ParameterRemoved, "b"),
                (Kind::OutputChanged, "b"),
            ],
        ),
        // What takes no part in drift has not changed.
        (vec![tool("a"), ToolShape { content: None, ..tool("b") }], vec![]),
    ];
    for (after, expected) in table {
        let (before, after) = (shape(before()), shape(after));
        let mut events = of_one(&[before.clone(), after.clone(), after.clone()]);
        events.sort_by_key(|event| (event.tool.clone(), event.kind.code()));
        let mut expected = expected;
        expected.sort_by_key(|(kind, tool)| ((*tool).to_owned(), kind.code()));
        assert_eq!(kinds(&events), expected);
        for event in &events {
            assert_eq!(event.at, AS_OF - 60 - 300, "dated at the first sighting");
            assert_eq!(event.severity(), event.kind.severity());
        }
        assert_eq!(of_one(&[before, after]), [], "a single sighting confirms nothing");
    }
}

#[test]
fn what_comes_back_before_it_is_confirmed_was_no_change() {
    let (one, other) = (shape(vec![tool("a"), tool("b")]), shape(vec![tool("a")]));
    let shapes = [one.clone(), other.clone(), one.clone(), other, one];
    assert_eq!(of_one(&shapes), []);
}

#[test]
fn a_change_there_and_back_is_two_events_and_again_no_more() {
    let one = shape(vec![tool("a")]);
    let other = shape(vec![changed("a", |a| a.output = digest("x"))]);
    let mut shapes = vec![one.clone()];
    for _ in 0..4 {
        shapes.extend([other.clone(), other.clone(), one.clone(), one.clone()]);
    }
    assert_eq!(kinds(&of_one(&shapes)), [(Kind::OutputChanged, "a"); 2]);
}

#[test]
fn a_listing_that_changes_each_time_has_no_event() {
    let shapes: Vec<Shape> = (0..20)
        .map(|place| shape(vec![tool("a"), changed("b", |b| b.text = digest(&place.to_string()))]))
        .collect();
    assert_eq!(of_one(&shapes), []);
}

#[test]
fn a_description_that_changes_by_itself_is_muted() {
    let shapes = |times: usize| -> Vec<Shape> {
        (0..=times)
            .flat_map(|place| {
                let shape = shape(vec![tool("a"), changed("b", |b| b.text = digest(&place.to_string()))]);
                [shape.clone(), shape]
            })
            .collect()
    };
    let standings =
        |times| -> Vec<Standing> { of_one(&shapes(times)).iter().map(|event| event.standing).collect() };
    assert_eq!(standings(3), [Standing::Scored; 3]);
    assert_eq!(standings(4), [Standing::SelfChanging; 4]);
}

#[test]
fn networks_must_agree_before_it_is_scored() {
    let (one, other) = (shape(vec![tool("a"), tool("b")]), shape(vec![tool("a")]));
    let told = |exact: &[Shape], edge: &[Shape], as_of: i64| {
        let (exact, edge) = (listings(exact), listings(edge));
        let networks = [
            Sightings { network: "edge", listings: &edge },
            Sightings { network: "exact", listings: &exact },
        ];
        let events = detect(&networks, as_of);
        events.iter().map(|event| (event.kind, event.standing, event.networks.len())).collect::<Vec<_>>()
    };
    let gone = [one.clone(), other.clone(), other.clone()];
    let still = [one.clone(), one.clone(), one.clone()];
    let seen_once = [one.clone(), one, other];
    let removed = Kind::ToolRemoved;
    assert_eq!(told(&gone, &still, AS_OF), [(removed, Standing::DiffersByVantage, 1)]);
    assert_eq!(told(&gone, &seen_once, AS_OF), [(removed, Standing::Scored, 1)]);
    assert_eq!(told(&gone, &gone, AS_OF), [(removed, Standing::Scored, 2)]);
    assert_eq!(told(&gone, &[], AS_OF), [(removed, Standing::Scored, 1)]);
    // A network whose last listing is no longer valid has no say.
    assert_eq!(told(&gone, &still, AS_OF + 3_000), [(removed, Standing::Scored, 1)]);
}

#[test]
fn tools_that_come_back_after_none_were_offered_are_added() {
    let (some, none) = (shape(vec![tool("a"), tool("b")]), Shape::default());
    let events = of_one(&[some.clone(), none.clone(), none, some.clone(), some]);
    assert_eq!(
        kinds(&events),
        [(Kind::StoppedOfferingTools, ""), (Kind::ToolAdded, "a"), (Kind::ToolAdded, "b")]
    );
}

fn any_tool() -> impl Strategy<Value = ToolShape> {
    (0..4_u8, 0..3_u8, prop::option::of(0..2_u8), any::<bool>()).prop_map(|(name, text, more, takes_part)| {
        let mut tool = changed(&name.to_string(), |content| {
            content.text = digest(&text.to_string());
            content.parameters.extend(more.map(|more| parameter(&more.to_string(), more == 0)));
            content.parameters.sort_by_key(|one| one.id);
        });
        tool.content = tool.content.filter(|_| takes_part);
        tool
    })
}

fn any_shapes() -> impl Strategy<Value = Vec<Shape>> {
    let tools = prop::collection::vec(any_tool(), 0..4).prop_map(|mut tools| {
        tools.sort_by_key(|tool| tool.id);
        tools.dedup_by_key(|tool| tool.id);
        shape(tools)
    });
    // Each shape is seen once to three times.
    prop::collection::vec((tools, 1..4_usize), 0..8).prop_map(|runs| {
        runs.into_iter().flat_map(|(shape, times)| std::iter::repeat_n(shape, times)).collect()
    })
}

proptest! {
    #[test]
    fn the_order_of_networks_does_not_matter(one in any_shapes(), other in any_shapes()) {
        let (one, other) = (listings(&one), listings(&other));
        let a = Sightings { network: "a", listings: &one };
        let b = Sightings { network: "b", listings: &other };
        let told = |networks: &[Sightings<'_>]| {
            let mut events: Vec<_> = detect(networks, AS_OF)
                .into_iter()
                .map(|mut event| {
                    event.networks.sort();
                    (event.at, event.kind, event.tool_id, event.before, event.after, event.networks, event.standing)
                })
                .collect();
            events.sort();
            events
        };
        prop_assert_eq!(told(&[a, b]), told(&[b, a]));
    }

    #[test]
    fn seeing_the_same_once_more_changes_nothing(shapes in any_shapes()) {
        let mut more = shapes.clone();
        more.extend(shapes.last().cloned().into_iter().chain(shapes.last().cloned()));
        let (now, later) = (of_one(&shapes), of_one(&more));
        prop_assert!(later.len() >= now.len());
        let mut most = more.clone();
        most.extend(more.last().cloned());
        prop_assert_eq!(of_one(&most).len(), later.len());
    }

    #[test]
    fn no_change_is_told_twice(shapes in any_shapes()) {
        let mut keys: Vec<_> = of_one(&shapes)
            .into_iter()
            .map(|event| (event.kind, event.tool_id, event.before, event.after))
            .collect();
        let all = keys.len();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), all);
    }
}
