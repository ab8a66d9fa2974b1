//! What the event-stream reader delivers, and that chunking never matters.

use proptest::prelude::*;

use super::*;

type Seen = (String, String, bool);

/// Everything delivered, the last progress, and whether the end found a pending event.
fn read_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, cap: usize) -> (Vec<Seen>, Progress, bool) {
    let mut seen = Vec::new();
    let mut take = |event: Event<'_>| {
        seen.push((event.name.to_owned(), event.data.to_owned(), event.invalid_unicode));
        ControlFlow::Continue(())
    };
    let mut reader = SseReader::new(cap);
    let mut progress = Progress::More;
    for chunk in chunks {
        progress = reader.push(chunk, &mut take);
    }
    let pending = reader.finish(&mut take);
    (seen, progress, pending)
}

fn read(stream: &[u8]) -> (Vec<Seen>, bool) {
    let (seen, _, pending) = read_chunks([stream], 1 << 20);
    (seen, pending)
}

#[test]
fn events_of_finished_streams() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("", &[]),
        ("data: x\n\n", &[("message", "x")]),
        ("data:x\n\n", &[("message", "x")]),
        ("data:  x\n\n", &[("message", " x")]),
        ("event: endpoint\ndata: /m?s=1\n\n", &[("endpoint", "/m?s=1")]),
        ("event:\ndata: x\n\n", &[("message", "x")]),
        ("event: a\nevent: b\ndata: x\n\n", &[("b", "x")]),
        ("event: a\n\ndata: x\n\n", &[("message", "x")]),
        ("data: {\ndata: }\n\n", &[("message", "{\n}")]),
        ("data: x\n\n\n\ndata: y\n\n", &[("message", "x"), ("message", "y")]),
        // Priming events, as three families of servers send them.
        ("id: 0\nretry: 3000\ndata:\n\ndata: x\n\n", &[("message", ""), ("message", "x")]),
        ("data: \nid: 0\nretry: 3000\n\n", &[("message", "")]),
        ("data\n\n", &[("message", "")]),
        ("data\ndata\n\n", &[("message", "\n")]),
        // Blocks without data are no events.
        (": keep-alive\n\n:\n\nretry: 2000\n\nid: 7\n\n", &[]),
        (": ping\ndata: x\n: pong\n\n", &[("message", "x")]),
        // Fields are matched exactly.
        ("Data: x\n data: x\ndata : x\ndatax: x\n\n", &[]),
        ("data: a: b\n\n", &[("message", "a: b")]),
        ("data: x\r\n\r\n", &[("message", "x")]),
        ("data: x\r\r", &[("message", "x")]),
        ("data: x\r\ndata: y\rdata: z\n\r\n", &[("message", "x\ny\nz")]),
        ("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", &[("message", "a"), ("message", "b"), ("message", "c")]),
        ("\u{feff}data: x\n\n", &[("message", "x")]),
        ("\u{feff}\u{feff}data: x\n\n", &[]),
        ("\ndata: x\n\n", &[("message", "x")]),
        // The mark counts at the start of the stream alone.
        ("\n\u{feff}data: x\n\n", &[]),
        ("data: \u{2028}\u{85}\u{c}\n\n", &[("message", "\u{2028}\u{85}\u{c}")]),
    ];
    for (stream, expected) in table {
        let expected: Vec<Seen> =
            expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned(), false)).collect();
        assert_eq!(read(stream.as_bytes()), (expected, false), "{stream:?}");
    }
}

#[test]
fn what_is_pending_at_the_end_is_delivered_and_named() {
    for stream in
        ["data: x", "data: x\n", "data: x\r", "data: x\r\n", "data: x\nid: 7", "data: x\nevent: message"]
    {
        assert_eq!(
            read(stream.as_bytes()),
            (vec![("message".into(), "x".into(), false)], true),
            "{stream:?}"
        );
    }
    for stream in ["data: x\n\n", "data: x\n\n: bye", "data: x\n\nid: 8\n", "data: x\n\nevent: y"] {
        let (seen, pending) = read(stream.as_bytes());
        assert_eq!((seen.len(), pending), (1, false), "{stream:?}");
    }
}

#[test]
fn an_event_is_delivered_before_the_stream_goes_on() {
    for blank in ["\n\n", "\r\r", "\r\n\r"] {
        let mut reader = SseReader::new(1000);
        let mut count = 0;
        reader.push(format!("data: x{blank}").as_bytes(), &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 1, "{blank:?}");
    }
}

#[test]
fn the_caller_stops_it_for_good() {
    let mut reader = SseReader::new(1000);
    let mut seen = Vec::new();
    let mut take = |event: Event<'_>| {
        seen.push(event.data.to_owned());
        ControlFlow::Break(())
    };
    assert_eq!(reader.push(b"data: a\n\ndata: b\n\n", &mut take), Progress::Stopped);
    assert_eq!(reader.push(b"data: c\n\n", &mut take), Progress::Stopped);
    assert!(!reader.finish(&mut take));
    assert_eq!(seen, ["a"]);
}

#[test]
fn invalid_utf8_is_replaced_and_named_on_its_event_alone() {
    let (seen, _) = read(b": \xff\ndata: a\n\ndata: b\xffc\n\ndata: d\n\nevent: \xc3\ndata: \xe2\x82\n\n");
    let expected: Vec<Seen> = [
        ("message", "a", false),
        ("message", "b\u{fffd}c", true),
        ("message", "d", false),
        ("\u{fffd}", "\u{fffd}", true),
    ]
    .map(|(name, data, invalid)| (name.to_owned(), data.to_owned(), invalid))
    .to_vec();
    assert_eq!(seen, expected);
}

#[test]
fn an_unfinished_event_is_capped_and_finished_ones_are_not() {
    let small = b"data: 0123456789\n\n".repeat(1000);
    assert_eq!(read_chunks([small.as_slice()], 20).0.len(), 1000);

    let too_large: [&[u8]; 4] = [
        b"data: 0123456789012345",
        b"data: 01234\ndata: 56789\ndata: abcde\n",
        b": a comment that never ends ...",
        b"event: aaaaaaaa\ndata: bbbbbbbbb\n",
    ];
    for stream in too_large {
        let whole = read_chunks([stream, b"\n\ndata: y\n\n"], 20);
        assert_eq!(whole, (Vec::new(), Progress::TooLarge, false), "{:?}", String::from_utf8_lossy(stream));
    }
}

/// U+FFFD is three bytes where the one that it replaces was one: the cap is one of what is kept and delivered.
#[test]
fn text_that_grows_by_its_repair_is_capped_as_it_is_delivered() {
    for (invalid, delivered) in [(4, true), (5, false), (14, false)] {
        let line = [b"data: ".to_vec(), vec![0xFF; invalid]].concat();
        for end in ["", "\n", "\n\n"] {
            let (seen, _, _) = read_chunks([line.as_slice(), end.as_bytes()], 14);
            assert_eq!(!seen.is_empty(), delivered, "{invalid} bytes, then {end:?}");
        }
    }
}

/// A step that looks at the whole line again for each chunk would take hours on this.
#[test]
fn megabytes_in_single_bytes_take_linear_time() {
    let stream = [b"data: ".to_vec(), vec![b'x'; 4 << 20], b"\n\n".to_vec()].concat();
    let (seen, _, _) = read_chunks(stream.chunks(1), 8 << 20);
    assert_eq!(seen.len(), 1);
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_the_chunking(
        stream in stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        cap in prop_oneof![Just(12_usize), Just(40), Just(1 << 20)],
    ) {
        let whole = read_chunks([stream.as_slice()], cap);
        let bytewise = read_chunks(stream.chunks(1), cap);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = read_chunks(cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]), cap);
        prop_assert_eq!(&whole, &bytewise);
        prop_assert_eq!(&whole, &pieces);
    }

    #[test]
    fn data_written_line_by_line_comes_back(lines in prop::collection::vec("[^\r\n]*", 1..6), end in "\n|\r|\r\n") {
        let mut stream = String::new();
        for line in &lines {
            stream.push_str(&format!("data: {line}{end}"));
        }
        stream.push_str(&end);
        let (seen, pending) = read(stream.as_bytes());
        prop_assert_eq!(seen, vec![("message".to_owned(), lines.join("\n"), false)]);
        prop_assert!(!pending);
    }
}

/// Streams built of the pieces that matter, valid or not.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        b"data: {\"a\":1}".as_slice(),
        b"data:",
        b"data",
        b"event: endpoint",
        b"event:",
        b": keep-alive",
        b"id: 7",
        b"retry: 1",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\n\n",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\xE2\x82\xAC",
        b"\xFF",
        b" ",
        b":",
        b"x",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
