//! Every published constant of the method, once. The pages, the JSON and the code read it from here.

pub mod score;

/// The formula version (semver): what moves a published number bumps minor, wording bumps patch.
pub const FORMULA_VERSION: &str = "1.0.0";

/// The User-Agent of every request a probe sends (section 10).
pub const USER_AGENT: &str = "IsItStillUp-Probe/1.0 (+https://www.isitstillup.com/probe.txt)";
/// The client name in `clientInfo`.
pub const CLIENT_NAME: &str = "IsItStillUp-Probe";
/// The client version in `clientInfo`.
pub const CLIENT_VERSION: &str = "1.0";

/// Minutes between slots of an open listing, and of one whose tier is not known yet (section 2).
pub const OPEN_INTERVAL_MINUTES: u32 = 5;
/// Minutes between slots of a gated listing (section 2).
pub const GATED_INTERVAL_MINUTES: u32 = 30;
/// A vote is valid for this many intervals (section 2).
pub const VALIDITY_INTERVALS: u32 = 10;
/// A vote is never valid for less than this, in seconds (section 2).
pub const VALIDITY_FLOOR_S: u32 = 600;
/// The two failures of a network that accuse an endpoint started at least this many seconds apart (section 2).
pub const UNREACHABLE_APART_S: i64 = 60;
/// The jitter of a slot's due time, in thousandths of the interval, either way (section 2).
pub const JITTER_THOUSANDTHS: u32 = 100;
/// A vote later than slot + this many intervals is rejected (section 2).
pub const LATEST_START_INTERVALS: u32 = 2;
/// A vote this far in the Worker's future, in seconds, is rejected (section 2).
pub const FUTURE_TOLERANCE_S: i64 = 120;
/// A vote this old, in seconds, is still accepted (section 2).
pub const OLDEST_VOTE_S: i64 = 7 * 24 * 3600;
/// Listings to a shard; a lease holds one shard of one network (section 2).
pub const SHARD_LISTINGS: u32 = 256;
/// A lease not renewed for this long, in seconds, is free (section 2).
pub const LEASE_S: i64 = 120;
/// Slots in one claim, at most.
pub const CLAIM_SLOTS: u32 = 1_000;
/// Characters of a prober's name among its network's.
pub const HOLDER_CHARACTERS: std::ops::RangeInclusive<usize> = 1..=64;
/// Days that per-probe results are kept (section 11).
pub const PROBE_DAYS: u32 = 35;
/// Identities kept of one listing, at most: a server that invents one for every probe cannot fill the database.
pub const IDENTITIES_PER_LISTING: u32 = 1_000;
/// Shapes kept of one listing, at most, for the same reason.
pub const SHAPES_PER_LISTING: u32 = 200;
/// Bytes of a shape's JSON that is kept, at most. Votes with a larger one count; its content is not known later.
pub const SHAPE_BYTES: usize = 512 * 1024;
/// Bytes of an endpoint URL after normalisation, at most.
pub const ENDPOINT_BYTES: usize = 1_024;
/// Characters of a slug.
pub const SLUG_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=64;
/// Characters of a listing's display name, at most.
pub const NAME_CHARACTERS: usize = 80;
/// Milliseconds between two probes to one host within a network (section 10).
pub const HOST_GAP_MS: u64 = 600;

/// The fuse on our DELETE stays armed until a listing has survived this many (section 2).
pub const FUSE_SURVIVALS: u8 = 3;
/// After the fuse has blown, failures that start within this many minutes of the DELETE are our fault (section 2).
pub const FUSE_BLAME_MINUTES: u32 = 30;

/// Deadlines and caps of one probe (section 4 and the issue that set them), in milliseconds and bytes.
pub mod limits {
    /// To connect, name resolution and TLS included.
    pub const CONNECT_MS: u32 = 10_000;
    /// For the handshake answer.
    pub const HANDSHAKE_MS: u32 = 20_000;
    /// For each other request.
    pub const REQUEST_MS: u32 = 15_000;
    /// For `notifications/initialized`, headers only.
    pub const INITIALIZED_MS: u32 = 5_000;
    /// For the session's `DELETE`, whose answer is ignored.
    pub const END_SESSION_MS: u32 = 2_000;
    /// For the whole probe.
    pub const TOTAL_MS: u32 = 45_000;
    /// A latency beyond this cannot have been measured within the budget.
    pub const LATENCY_MS: u32 = 2 * TOTAL_MS;
    /// Handshake and metadata bodies.
    pub const HANDSHAKE_BYTES: usize = 256 * 1024;
    /// All pages of tools/list together.
    pub const TOOLS_BYTES: usize = 4 * 1024 * 1024;
    /// Bodies under an error status.
    pub const ERROR_BYTES: usize = 64 * 1024;
    /// Nesting of a JSON text.
    pub const JSON_DEPTH: usize = 64;
    /// Values of a JSON text, an object counted twice: what is read from a text takes far more memory than the text
    /// when its values are tiny.
    pub const JSON_VALUES: usize = 128 * 1024;
    /// One header value.
    pub const HEADER_BYTES: usize = 8 * 1024;
    /// Pages of tools/list.
    pub const TOOL_PAGES: usize = 10;
    /// Tools taken from one listing.
    pub const TOOLS: usize = 1_000;
    /// Top-level parameters taken from one listing, all tools together: a shape must fit one stored row (2 MB).
    pub const PARAMETERS: usize = 10_000;
    /// A cursor of tools/list that we send back.
    pub const CURSOR_BYTES: usize = 8 * 1024;
    /// Same-origin redirects of one request.
    pub const REDIRECT_HOPS: usize = 3;
    /// Same-origin redirects of a metadata document.
    pub const DOCUMENT_REDIRECT_HOPS: usize = 2;
    /// GETs of metadata documents in one probe.
    pub const DOCUMENT_GETS: usize = 5;
}

/// Hosts (and their subdomains) a browser is sent to in order to sign in: a redirect there is `refused`, reason
/// `login_wall` (section 4).
pub const LOGIN_HOSTS: &[&str] = &[
    "cloudflareaccess.com",
    "login.microsoftonline.com",
    "login.live.com",
    "accounts.google.com",
    "okta.com",
    "auth0.com",
    "onelogin.com",
];
/// The path of Cloudflare Access's sign-in page, on whatever host (section 4).
pub const LOGIN_PATH: &str = "/cdn-cgi/access/login";
/// A `Retry-After` postpones slots by at most this, in seconds (section 4).
pub const RETRY_AFTER_CAP_S: u32 = 24 * 3600;

/// Lengths, in bytes of UTF-8, at which text from a server is cut (section 10).
pub mod cuts {
    pub const SERVER_NAME: usize = 128;
    pub const SERVER_VERSION: usize = 64;
    pub const PROTOCOL_VERSION: usize = 16;
    pub const TOOL_NAME: usize = 128;
    pub const REDIRECT_HOST: usize = 253;
    pub const FRONT_DOOR_URL: usize = 512;

    /// The longest prefix of `text` of at most `bytes` bytes that ends on a character boundary.
    #[must_use]
    pub fn cut(text: &str, bytes: usize) -> &str {
        if text.len() <= bytes {
            return text;
        }
        let mut end = bytes;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.get(..end).unwrap_or("")
    }
}

const _: () = assert!(OPEN_INTERVAL_MINUTES * 60 * VALIDITY_INTERVALS >= VALIDITY_FLOOR_S);
const _: () = assert!(limits::CONNECT_MS <= limits::HANDSHAKE_MS && limits::HANDSHAKE_MS <= limits::TOTAL_MS);
