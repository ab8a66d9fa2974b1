//! How a prober proves which network it speaks for: HMAC-SHA-256 over everything that matters of a request.
//!
//! The signed text is six lines: `v1`, network, method, path with query, unix milliseconds, and the SHA-256 of the body
//! in hexadecimal. None of the first five can contain a line feed in a valid request, so no two requests share a text.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// Request header: the network's name.
pub const HEADER_NETWORK: &str = "isu-network";
/// Request header: unix milliseconds by the Worker's clock.
pub const HEADER_TIME: &str = "isu-time";
/// Request header: what [`sign`] returns.
pub const HEADER_SIGNATURE: &str = "isu-signature";
/// Header of every answer of the Worker to a prober: its clock in unix milliseconds.
pub const HEADER_NOW: &str = "isu-now";
/// A signature is good for this many milliseconds before and after its time.
pub const WINDOW_MS: i64 = 120_000;
/// A key is a text of at least this many characters.
pub const KEY_CHARACTERS: usize = 32;
/// Keys a network may have at a time: the one in use and its successor.
pub const KEYS_PER_NETWORK: usize = 2;

const VERSION: &str = "v1";

/// What is signed.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    pub network: &'a str,
    /// In capitals, as HTTP sends it.
    pub method: &'a str,
    /// As in the request line.
    pub path_and_query: &'a str,
    pub time_ms: i64,
    pub body: &'a [u8],
}

/// Why a signature is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    #[error("the signature is not \"v1=\" and 64 lower-case hexadecimal digits")]
    Malformed,
    #[error("no active key of the network gives this signature")]
    Mismatch,
    #[error("the signature's time is more than {} s from the Worker's clock", WINDOW_MS / 1_000)]
    Expired,
}

/// The value of [`HEADER_SIGNATURE`]: `v1=` and 64 hexadecimal digits.
#[must_use]
pub fn sign(key: &[u8], signed: &Signed<'_>) -> String {
    let tag = mac(key, &signed.text()).map(|mac| mac.finalize().into_bytes()).unwrap_or_default();
    format!("{VERSION}={}", hexadecimal(&tag))
}

/// Checks a signature against each active key in constant time, then its age.
///
/// # Errors
/// [`SignatureFault::Expired`] is only given to somebody who holds a key.
pub fn verify(
    keys: &[&[u8]],
    signed: &Signed<'_>,
    signature: &str,
    now_ms: i64,
) -> Result<(), SignatureFault> {
    let tag = read_tag(signature).ok_or(SignatureFault::Malformed)?;
    let text = signed.text();
    // Every key is tried, whichever fits.
    let fits = keys.iter().fold(false, |fits, key| fits | is_tag(key, &text, &tag));
    if !fits {
        return Err(SignatureFault::Mismatch);
    }
    if now_ms.abs_diff(signed.time_ms) > WINDOW_MS.unsigned_abs() {
        return Err(SignatureFault::Expired);
    }
    Ok(())
}

/// Compares two secrets without telling by its duration where they differ.
#[must_use]
pub fn secrets_equal(left: &[u8], right: &[u8]) -> bool {
    let text = "compare";
    let tag = mac(left, text).map(|mac| mac.finalize().into_bytes()).unwrap_or_default();
    !left.is_empty() && is_tag(right, text, &tag)
}

impl Signed<'_> {
    fn text(&self) -> String {
        let Self { network, method, path_and_query, time_ms, body } = self;
        let digest = hexadecimal(&Sha256::digest(body));
        format!("{VERSION}\n{network}\n{method}\n{path_and_query}\n{time_ms}\n{digest}")
    }
}

fn mac(key: &[u8], text: &str) -> Option<Hmac<Sha256>> {
    // HMAC takes keys of any length; there is no error to meet.
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok()?;
    mac.update(text.as_bytes());
    Some(mac)
}

fn is_tag(key: &[u8], text: &str, tag: &[u8]) -> bool {
    mac(key, text).is_some_and(|mac| mac.verify_slice(tag).is_ok())
}

fn read_tag(signature: &str) -> Option<[u8; 32]> {
    let digits = signature.strip_prefix(VERSION)?.strip_prefix('=')?;
    if digits.len() != 64 || !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut tag = [0; 32];
    for (index, byte) in tag.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(tag)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"0123456789abcdef0123456789abcdef";
    const NEXT_KEY: &[u8] = b"fedcba9876543210fedcba9876543210";

    fn signed(time_ms: i64) -> Signed<'static> {
        Signed { network: "n1", method: "POST", path_and_query: "/api/v2/votes?x=1", time_ms, body: b"{}" }
    }

    /// Computed with `openssl dgst -sha256 -hmac` over the six lines.
    #[test]
    fn the_signed_text_is_a_contract() {
        assert_eq!(
            sign(KEY, &signed(1_796_060_218_000)),
            "v1=e2455ea3e85fcf0f54721db2d90b17c41bfa447927be1c7537caac37ccbf02cf"
        );
    }

    #[test]
    fn either_active_key_is_good_and_no_other() {
        let request = signed(1_000_000);
        for key in [KEY, NEXT_KEY] {
            assert_eq!(verify(&[KEY, NEXT_KEY], &request, &sign(key, &request), 1_000_000), Ok(()));
        }
        let foreign = sign(b"another key of thirty-two bytes!", &request);
        assert_eq!(verify(&[KEY, NEXT_KEY], &request, &foreign, 1_000_000), Err(SignatureFault::Mismatch));
        assert_eq!(verify(&[], &request, &foreign, 1_000_000), Err(SignatureFault::Mismatch));
    }

    #[test]
    fn each_signed_part_matters() {
        let request = signed(1_000_000);
        let signature = sign(KEY, &request);
        for other in [
            Signed { network: "n2", ..request },
            Signed { method: "GET", ..request },
            Signed { path_and_query: "/api/v2/votes", ..request },
            Signed { time_ms: 1_000_001, ..request },
            Signed { body: b"{} ", ..request },
        ] {
            assert_eq!(verify(&[KEY], &other, &signature, 1_000_000), Err(SignatureFault::Mismatch));
        }
    }

    #[test]
    fn the_window_is_two_minutes_either_way() {
        let request = signed(1_000_000);
        let signature = sign(KEY, &request);
        for (now_ms, expected) in [
            (1_000_000 + WINDOW_MS, Ok(())),
            (1_000_000 - WINDOW_MS, Ok(())),
            (1_000_001 + WINDOW_MS, Err(SignatureFault::Expired)),
            (999_999 - WINDOW_MS, Err(SignatureFault::Expired)),
            (i64::MIN, Err(SignatureFault::Expired)),
        ] {
            assert_eq!(verify(&[KEY], &request, &signature, now_ms), expected, "{now_ms}");
        }
    }

    #[test]
    fn a_signature_of_another_form_is_malformed() {
        let signature = sign(KEY, &signed(0));
        for text in [
            "",
            "v1=",
            "v2=00",
            &signature.to_uppercase(),
            &signature[..66],
            &format!("{signature}0"),
            "v1=é",
        ] {
            assert_eq!(verify(&[KEY], &signed(0), text, 0), Err(SignatureFault::Malformed), "{text:?}");
        }
    }

    #[test]
    fn secrets() {
        assert!(secrets_equal(b"token", b"token"));
        assert!(!secrets_equal(b"token", b"token "));
        assert!(!secrets_equal(b"", b""), "an empty secret opens nothing");
    }
}
