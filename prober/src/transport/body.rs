//! Reads a response body through the machine's `Intake`, decoding gzip and brotli on the way, in small pieces: what
//! is held never exceeds the intake's cap by more than one piece, however well a bomb is packed.

use std::io;
use std::sync::{Arc, Mutex};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use shared::probe::{Body, BodyEnd, Flow, Headers, Intake};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::time::{Instant, timeout_at};
use tokio_util::io::StreamReader;

/// Decoded bytes taken at a time.
const PIECE_BYTES: usize = 16 * 1024;

/// Encoded bytes beyond the cap on decoded ones that an encoding may need. More of them decode to nothing, such as
/// empty members of gzip, each of which costs far more than its twenty bytes.
const ENCODING_OVERHEAD_BYTES: usize = 16 * 1024;

/// What a `Content-Encoding` asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Identity,
    Gzip,
    Brotli,
    /// One we did not ask for.
    Other,
}

/// The body, and its unread rest where reading stopped before its end.
pub(super) async fn read(
    mut body: Incoming,
    headers: &Headers,
    mut intake: Intake,
    deadline: Instant,
) -> (Body, Option<Incoming>) {
    if intake.flow() == Flow::Enough {
        let rest = (!body.is_end_stream()).then_some(body);
        return (intake.finish(BodyEnd::Enough), rest);
    }
    match encoding(headers) {
        Encoding::Identity => {
            let end = read_plain(&mut body, &mut intake, deadline).await;
            let rest = (end == BodyEnd::Enough).then_some(body);
            (intake.finish(end), rest)
        }
        encoding => {
            let end = read_encoded(body, encoding, &mut intake, deadline).await;
            (intake.finish(end), None)
        }
    }
}

fn encoding(headers: &Headers) -> Encoding {
    let mut found = Encoding::Identity;
    for word in headers.all("content-encoding").flat_map(|value| value.split(',')) {
        let next = match word.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => continue,
            "gzip" | "x-gzip" => Encoding::Gzip,
            "br" => Encoding::Brotli,
            "deflate" | "zstd" | "compress" | "x-compress" => Encoding::Other,
            // No encoding at all, such as a character set: clients leave the body as it is (Fetch, "handle content
            // codings").
            _ => continue,
        };
        // Layers of encodings are nothing we asked for either.
        found = if found == Encoding::Identity { next } else { Encoding::Other };
    }
    found
}

async fn read_plain(body: &mut Incoming, intake: &mut Intake, deadline: Instant) -> BodyEnd {
    loop {
        match timeout_at(deadline, body.frame()).await {
            Err(_) => return BodyEnd::TimedOut,
            Ok(None) => return BodyEnd::Complete,
            Ok(Some(Err(error))) => return ended_by(&error),
            Ok(Some(Ok(frame))) => {
                if let Some(bytes) = frame.data_ref()
                    && intake.push(bytes) == Flow::Enough
                {
                    return BodyEnd::Enough;
                }
            }
        }
    }
}

/// How a body ended that HTTP itself did not end.
fn ended_by(error: &hyper::Error) -> BodyEnd {
    match super::fault::find::<io::Error>(error).map(io::Error::kind) {
        // A chunk's length that is none: the bytes are there and cannot be told apart.
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => BodyEnd::Undecodable,
        _ => BodyEnd::Broken,
    }
}

async fn read_encoded(body: Incoming, encoding: Encoding, intake: &mut Intake, deadline: Instant) -> BodyEnd {
    let broken = Arc::new(Mutex::new(None));
    let room = intake.cap() + ENCODING_OVERHEAD_BYTES;
    let pieces = pieces(body, room, broken.clone());
    let mut encoded = BufReader::with_capacity(PIECE_BYTES, StreamReader::new(Box::pin(pieces)));
    // An answer without a body may carry the header all the same.
    match timeout_at(deadline, encoded.fill_buf()).await {
        Err(_) => return BodyEnd::TimedOut,
        Ok(Ok([])) => return BodyEnd::Complete,
        Ok(Ok([first, ..])) if encoding == Encoding::Brotli && is_large_window(*first) => {
            return BodyEnd::Undecodable;
        }
        Ok(_) => {}
    }
    let end = match encoding {
        Encoding::Gzip => {
            let mut decoder = GzipDecoder::new(encoded);
            // Files may be joined, and so may bodies.
            decoder.multiple_members(true);
            read_decoded(decoder, intake, deadline).await
        }
        Encoding::Brotli => read_decoded(BrotliDecoder::new(encoded), intake, deadline).await,
        Encoding::Identity | Encoding::Other => BodyEnd::Undecodable,
    };
    let connection = broken.lock().ok().and_then(|mut broken| broken.take());
    match (end, connection) {
        (BodyEnd::Undecodable, Some(connection)) => connection,
        (end, _) => end,
    }
}

/// Whether a brotli stream begins as "large window brotli" does. The content encoding has no such windows (RFC 7932,
/// section 9.1), but the decoder takes them: a few bytes would have it hold up to 1 GiB.
const fn is_large_window(first: u8) -> bool {
    first & 0x7f == 0x11
}

async fn read_decoded(
    mut decoded: impl AsyncRead + Unpin,
    intake: &mut Intake,
    deadline: Instant,
) -> BodyEnd {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match timeout_at(deadline, decoded.read(&mut piece)).await {
            Err(_) => return BodyEnd::TimedOut,
            Ok(Err(_)) => return BodyEnd::Undecodable,
            Ok(Ok(0)) => return BodyEnd::Complete,
            Ok(Ok(length)) => {
                if intake.push(&piece[..length]) == Flow::Enough {
                    return BodyEnd::Enough;
                }
            }
        }
    }
}

/// The body's data as a stream of pieces, `room` bytes of it at most; how it broke off, if it did, is noted aside, since
/// a decoder hands on every error alike.
fn pieces(
    body: Incoming,
    room: usize,
    broken: Arc<Mutex<Option<BodyEnd>>>,
) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold((body, room, broken), |(mut body, room, broken)| async move {
        loop {
            // Bytes that decode to nothing keep a decoder busy within one poll: only here the deadline gets a look.
            tokio::task::yield_now().await;
            let end = match body.frame().await? {
                Ok(frame) => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    if let Some(room) = room.checked_sub(bytes.len()) {
                        return Some((Ok(bytes), (body, room, broken)));
                    }
                    BodyEnd::Capped
                }
                Err(error) => ended_by(&error),
            };
            if let Ok(mut broken) = broken.lock() {
                *broken = Some(end);
            }
            return Some((Err(io::ErrorKind::ConnectionAborted.into()), (body, room, broken)));
        }
    })
}
