//! HTTP/2 by the frame (RFC 9113), as the server, over TLS that agreed on it: what no library would send.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::certificates::{Secure, accept, good_config};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// `:status: 200` (RFC 7541, appendix A).
pub const STATUS_200: u8 = 0x88;
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection on which our client has said hello.
pub struct Http2 {
    stream: Secure,
}

/// One request of our client.
pub struct Asked {
    pub stream: u32,
    /// The JSON-RPC message in its body.
    pub message: Value,
}

/// One frame of our client.
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Http2 {
    /// Shakes hands and reads the preface; sends nothing of its own.
    ///
    /// # Errors
    /// Where the client is gone, as of every method here.
    pub fn accept(stream: TcpStream) -> io::Result<Self> {
        let mut stream = accept(stream, &good_config(&["h2"]))?;
        let mut preface = [0; PREFACE.len()];
        stream.read_exact(&mut preface)?;
        if preface != *PREFACE {
            return Err(io::Error::other("no preface"));
        }
        Ok(Self { stream })
    }

    /// These settings.
    pub fn settings(&mut self, settings: &[(u16, u32)]) -> io::Result<()> {
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        self.frame(SETTINGS, 0, 0, &payload)
    }

    pub fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        self.raw(&frame(kind, flags, stream, payload))
    }

    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    /// The same bytes until the client has enough.
    pub fn endless(&mut self, piece: &[u8]) -> io::Result<()> {
        let many = piece.repeat((16 * 1024 / piece.len().max(1)).max(1));
        loop {
            self.raw(&many)?;
        }
    }

    /// None where the client closes instead.
    fn read(&mut self) -> io::Result<Option<Frame>> {
        let mut head = [0; 9];
        if let Err(error) = self.stream.read_exact(&mut head) {
            let closed = error.kind() == io::ErrorKind::UnexpectedEof;
            return if closed { Ok(None) } else { Err(error) };
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.stream.read_exact(&mut payload)?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Ok(Some(Frame { kind: head[3], flags: head[4], stream, payload }))
    }

    /// Reads up to the end of the next request; None where the client closes instead. Acknowledges settings.
    pub fn request(&mut self) -> io::Result<Option<Asked>> {
        let mut body = Vec::new();
        while let Some(Frame { kind, flags, stream, payload }) = self.read()? {
            match kind {
                SETTINGS if flags & ACK == 0 => self.frame(SETTINGS, ACK, 0, &[])?,
                DATA => body.extend(payload),
                _ => {}
            }
            if matches!(kind, DATA | HEADERS) && flags & END_STREAM != 0 {
                let message = serde_json::from_slice(&body).unwrap_or_default();
                return Ok(Some(Asked { stream, message }));
            }
        }
        Ok(None)
    }

    /// Waits until the client lets more come on this stream; room on the connection alone is not enough.
    pub fn window(&mut self, stream: u32) -> io::Result<()> {
        loop {
            match self.read()? {
                Some(Frame { kind: WINDOW_UPDATE, stream: on, .. }) if on == stream => return Ok(()),
                Some(_) => {}
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// 200 and this JSON.
    pub fn json(&mut self, stream: u32, value: &Value) -> io::Result<()> {
        let mut block = vec![STATUS_200];
        block.extend(field("content-type", "application/json"));
        self.frame(HEADERS, END_HEADERS, stream, &block)?;
        self.frame(DATA, END_STREAM, stream, value.to_string().as_bytes())
    }

    /// 202 and nothing else.
    pub fn accepted(&mut self, stream: u32) -> io::Result<()> {
        self.frame(HEADERS, END_HEADERS | END_STREAM, stream, &field(":status", "202"))
    }

    /// Nothing more, until the client has enough.
    pub fn hang(&mut self) -> io::Result<()> {
        while self.request()?.is_some() {}
        Ok(())
    }
}

/// A frame's bytes.
#[must_use]
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A header field as a literal that is not indexed.
#[must_use]
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        bytes.extend(length(text.len(), 7, 0));
        bytes.extend(text.bytes());
    }
    bytes
}

/// A field that goes into the table at its front (index 62).
#[must_use]
pub fn indexed_field(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = field(name, value);
    bytes[0] = 0x40;
    bytes
}

/// An integer with a prefix of so many bits (RFC 7541, section 5.1).
#[must_use]
pub fn length(value: usize, prefix: u32, flags: u8) -> Vec<u8> {
    let most = (1_usize << prefix) - 1;
    if value < most {
        return vec![flags | u8::try_from(value).unwrap_or(0)];
    }
    let mut bytes = vec![flags | u8::try_from(most).unwrap_or(0)];
    let mut rest = value - most;
    while rest >= 128 {
        bytes.push(u8::try_from(rest % 128).unwrap_or(0) | 0x80);
        rest /= 128;
    }
    bytes.push(u8::try_from(rest).unwrap_or(0));
    bytes
}
