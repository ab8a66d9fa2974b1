//! A request as a server gets it: read whole, and told apart by what it is for.

use std::io::{self, Read};

use serde_json::Value;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// As sent, in order.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Initialize,
    Discover,
    Initialized,
    ToolsList,
    EndSession,
    ResourceMetadata,
    AuthorizationServer,
    Other,
}

/// Bytes of a request; ours are far smaller.
const MOST: usize = 1024 * 1024;
const WELL_KNOWN: &str = "/.well-known/";

impl Request {
    /// Reads one; None where the client closed instead.
    ///
    /// # Errors
    /// Where the connection breaks or what came is no request.
    pub fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 * 1024];
        loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                let mut request = Self::head(&bytes[..end])?;
                let length = request.header("content-length").map_or(Ok(0), str::parse).map_err(invalid)?;
                let body = &bytes[end + 4..];
                if body.len() >= length {
                    request.body = body[..length].to_vec();
                    return Ok(Some(request));
                }
            }
            match stream.read(&mut piece)? {
                0 if bytes.is_empty() => return Ok(None),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length if bytes.len() > MOST => return Err(invalid(format!("{length} bytes too many"))),
                length => bytes.extend_from_slice(&piece[..length]),
            }
        }
    }

    fn head(bytes: &[u8]) -> io::Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(invalid)?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(invalid(format!("no request line: {text:?}")));
        };
        let fields = lines.map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| invalid(format!("no field: {line:?}")))?;
            Ok((name.to_owned(), value.trim().to_owned()))
        });
        Ok(Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: fields.collect::<io::Result<_>>()?,
            body: Vec::new(),
        })
    }

    /// The first value of a header, by any spelling of its name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null where it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The id of the JSON-RPC request.
    #[must_use]
    pub fn id(&self) -> Value {
        self.json().get("id").cloned().unwrap_or_default()
    }

    /// The path without its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// What it is for.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let body = self.json();
        match (self.method.as_str(), body.get("method").and_then(Value::as_str)) {
            ("POST", Some("initialize")) => Kind::Initialize,
            ("POST", Some("server/discover")) => Kind::Discover,
            ("POST", Some("notifications/initialized")) => Kind::Initialized,
            ("POST", Some("tools/list")) => Kind::ToolsList,
            ("DELETE", None) => Kind::EndSession,
            ("GET", None) if self.path().contains("/.well-known/oauth-protected-resource") => {
                Kind::ResourceMetadata
            }
            ("GET", None) if self.path().contains(WELL_KNOWN) => Kind::AuthorizationServer,
            _ => Kind::Other,
        }
    }

    /// The behaviour it is for: the first part of its path, that of a well-known document apart.
    #[must_use]
    pub fn behaviour(&self) -> &str {
        let path = self.path();
        let rest = match path.strip_prefix(WELL_KNOWN) {
            Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest),
            None => path.strip_prefix('/').unwrap_or(path),
        };
        rest.split('/').next().unwrap_or_default()
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
