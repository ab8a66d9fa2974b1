//! Content encodings: bombs, lies and layers.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use shared::outcome::{Class, Reason};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::{Behaviour, Expected};

pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

fn brotli(text: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    let _ = brotli::CompressorWriter::new(&mut encoded, 4_096, 5, 22).write_all(text);
    encoded
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

/// Blanks, packed a thousand times smaller.
static BLANKS: LazyLock<Vec<u8>> = LazyLock::new(|| vec![b' '; 64 * 1024 * 1024]);
pub(super) static GZIP_BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| gzip(&BLANKS));
pub(super) static BROTLI_BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| brotli(&BLANKS));

type Encode = fn(&[u8]) -> Vec<u8>;

/// The good answer as `encode` makes it, under this content encoding.
fn encoded(name: &str, says: &str, expected: Expected, word: &'static str, encode: Encode) -> Behaviour {
    Behaviour::at_handshake(name, says, expected, move |exchange| {
        let body = encode(exchange.good_answer().to_string().as_bytes());
        exchange.answer(200, &[JSON, ("Content-Encoding", word)], body)
    })
}

fn plain(text: &[u8]) -> Vec<u8> {
    text.to_vec()
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = bombs();
    all.extend(fine());
    all.extend(broken());
    all
}

fn bombs() -> Vec<Behaviour> {
    let bomb = |name: &str, says: &str, word: &'static str, bytes: fn() -> &'static [u8]| {
        Behaviour::at_handshake(name, says, Expected::too_large(), move |exchange: &mut Exchange<'_>| {
            exchange.answer(200, &[JSON, ("Content-Encoding", word)], bytes())
        })
    };
    let endless = |name: &str, says: &str, word: &'static str, start: &'static [u8], piece: Arc<[u8]>| {
        Behaviour::at_handshake(name, says, Expected::too_large(), move |exchange: &mut Exchange<'_>| {
            exchange.open(200, &[JSON, ("Content-Encoding", word)])?;
            exchange.raw(start)?;
            exchange.endless(&piece)
        })
    };
    vec![
        bomb("gzip-bomb", "64 MiB in 64 KiB of gzip.", "gzip", || &GZIP_BOMB),
        bomb("brotli-bomb", "64 MiB in some bytes of brotli.", "br", || &BROTLI_BOMB),
        endless(
            "gzip-of-nothing-for-ever",
            "Members of gzip that decode to nothing, without end.",
            "gzip",
            b"",
            gzip(b"").into(),
        ),
        endless(
            "gzip-with-an-endless-file-name",
            "A gzip header whose file name never ends.",
            "gzip",
            b"\x1f\x8b\x08\x08\0\0\0\0\0\x03",
            b"name".as_slice().into(),
        ),
        endless(
            "gzip-bomb-behind-gzip-bomb",
            "Members of gzip without end, each a bomb.",
            "gzip",
            b"",
            gzip(&[b' '; 64 * 1024]).into(),
        ),
        Behaviour::at_handshake(
            "gzip-bomb-in-an-event",
            "64 MiB of one event in 64 KiB of gzip.",
            Expected::too_large(),
            |exchange| {
                let body = [gzip(b"data: "), GZIP_BOMB.clone()].concat();
                exchange.answer(
                    200,
                    &[("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")],
                    body,
                )
            },
        ),
        Behaviour::at_tools(
            "gzip-bomb-of-tools",
            "64 MiB in 64 KiB of gzip as the list of tools.",
            Expected::up().because(Reason::ToolsTruncated),
            |exchange| exchange.answer(200, &[JSON, ("Content-Encoding", "gzip")], &*GZIP_BOMB),
        ),
        Behaviour::at_tools(
            "brotli-bomb-of-tools",
            "64 MiB in some bytes of brotli as the list of tools.",
            Expected::up().because(Reason::ToolsTruncated),
            |exchange| exchange.answer(200, &[JSON, ("Content-Encoding", "br")], &*BROTLI_BOMB),
        ),
    ]
}

fn fine() -> Vec<Behaviour> {
    let up = Expected::up;
    vec![
        encoded("gzip", "gzip.", up(), "gzip", gzip),
        encoded("gzip-in-capitals", "gzip, named GZIP.", up(), "GZIP", gzip),
        encoded("gzip-by-its-old-name", "gzip, named x-gzip.", up(), "x-gzip", gzip),
        encoded("gzip-and-identity", "gzip, identity.", up(), "identity, gzip", gzip),
        encoded("gzip-in-two-members", "gzip in two members.", up(), "gzip", |text| {
            let (one, other) = text.split_at(text.len() / 2);
            [gzip(one), gzip(other)].concat()
        }),
        encoded("brotli", "brotli.", up(), "br", brotli),
        encoded("identity", "identity.", up(), "identity", plain),
        encoded("encoding-without-a-name", "An empty Content-Encoding.", up(), "", plain),
        encoded(
            "charset-as-encoding",
            "Content-Encoding: utf-8, which clients pass over.",
            up(),
            "utf-8",
            plain,
        ),
        encoded("encoding-nobody-knows", "A content encoding that does not exist.", up(), "hostile", plain),
        encoded("encoding-none", "Content-Encoding: none.", up(), "none", plain),
    ]
}

fn cut_short(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 10);
    bytes
}

fn broken() -> Vec<Behaviour> {
    let encoding = || Expected::body(Class::Malformed, Reason::Encoding);
    vec![
        encoded("gzip-named-and-not-applied", "gzip named, and not applied.", encoding(), "gzip", plain),
        encoded("brotli-named-and-not-applied", "brotli named, and not applied.", encoding(), "br", plain),
        encoded(
            "gzip-applied-and-not-named",
            "gzip applied, and not named.",
            Expected::body(Class::Malformed, Reason::NotJson),
            "identity",
            gzip,
        ),
        encoded("gzip-cut-short", "gzip without its last bytes.", encoding(), "gzip", |text| {
            cut_short(gzip(text))
        }),
        encoded("gzip-with-a-wrong-checksum", "gzip whose checksum is wrong.", encoding(), "gzip", |text| {
            let mut bytes = gzip(text);
            let checksum = bytes.len() - 8;
            bytes[checksum] ^= 1;
            bytes
        }),
        encoded(
            "gzip-with-rubbish-behind-it",
            "gzip, and other bytes behind it.",
            encoding(),
            "gzip",
            |text| [gzip(text), b"rubbish behind it".to_vec()].concat(),
        ),
        encoded("brotli-cut-short", "brotli without its last bytes.", encoding(), "br", |text| {
            cut_short(brotli(text))
        }),
        encoded(
            "brotli-under-the-name-of-gzip",
            "brotli under the name of gzip.",
            encoding(),
            "gzip",
            brotli,
        ),
        encoded("deflate", "deflate, which we did not ask for.", encoding(), "deflate", zlib),
        encoded("deflate-without-its-wrapper", "Raw deflate.", encoding(), "deflate", deflate),
        encoded("zstd", "zstd, which we did not ask for.", encoding(), "zstd", |_| {
            b"\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00".to_vec()
        }),
        encoded("gzip-of-gzip", "Two layers of gzip.", encoding(), "gzip, gzip", |text| gzip(&gzip(text))),
        encoded("brotli-of-gzip", "brotli around gzip.", encoding(), "gzip, br", |text| brotli(&gzip(text))),
        encoded("gzip-named-eighteen-times", "gzip, named eighteen times.", encoding(), EIGHTEEN, gzip),
    ]
}

const EIGHTEEN: &str = "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, \
    gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip";
