//! Which network a request speaks for, by its signature.

use shared::signature::{self, HEADER_NETWORK, HEADER_SIGNATURE, HEADER_TIME, Signed};
use shared::table::Table;

use crate::problem::Problem;

/// How a prober authenticates, by the name of the header that proves it.
const SCHEME: &str = HEADER_SIGNATURE;

/// The three headers of a signed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub network: String,
    time_ms: i64,
    signature: String,
}

/// What else is signed.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub method: &'a str,
    pub path_and_query: &'a str,
}

impl Credentials {
    /// Takes the headers, `get` looking one up by name.
    ///
    /// # Errors
    /// 401 that names the header which is missing or of another form.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, Problem> {
        let header = |name: &'static str| {
            get(name).ok_or_else(|| Problem::unauthorized(SCHEME, format!("The header {name} is missing.")))
        };
        let time = header(HEADER_TIME)?;
        let time_ms = time.parse().map_err(|_| {
            Problem::unauthorized(
                SCHEME,
                format!("The header {HEADER_TIME} is not a number of unix milliseconds."),
            )
        })?;
        Ok(Self { network: header(HEADER_NETWORK)?, time_ms, signature: header(HEADER_SIGNATURE)? })
    }

    /// Checks the signature over the request.
    ///
    /// # Errors
    /// 401 that says why.
    pub fn verify(
        &self,
        keys: &Table<String, Vec<String>>,
        target: Target<'_>,
        body: &[u8],
        now_ms: i64,
    ) -> Result<(), Problem> {
        let keys: Vec<&[u8]> = keys.get(&self.network).into_iter().flatten().map(String::as_bytes).collect();
        let Target { method, path_and_query } = target;
        let signed = Signed { network: &self.network, method, path_and_query, time_ms: self.time_ms, body };
        signature::verify(&keys, &signed, &self.signature, now_ms)
            .map_err(|fault| Problem::unauthorized(SCHEME, format!("{HEADER_SIGNATURE}: {fault}.")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";
    const TARGET: Target<'static> = Target { method: "POST", path_and_query: "/api/v2/votes" };

    fn headers(signature: &str) -> BTreeMap<String, String> {
        [(HEADER_NETWORK, "native"), (HEADER_TIME, "1000"), (HEADER_SIGNATURE, signature)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    #[test]
    fn a_good_signature_of_a_known_network_passes_and_nothing_else() {
        let keys = Table::from_iter([("native".to_owned(), vec![KEY.to_owned()])]);
        let signed = Signed {
            network: "native",
            method: "POST",
            path_and_query: "/api/v2/votes",
            time_ms: 1_000,
            body: b"{}",
        };
        let headers = headers(&signature::sign(KEY.as_bytes(), &signed));
        let credentials = Credentials::read(|name| headers.get(name).cloned()).unwrap();
        assert_eq!(credentials.verify(&keys, TARGET, b"{}", 1_000), Ok(()));
        for (keys, body, now_ms, part) in [
            (&keys, &b"{ }"[..], 1_000, "no active key"),
            (&keys, b"{}", 121_001, "clock"),
            (&Table::new(), b"{}", 1_000, "no active key"),
        ] {
            let problem = credentials.verify(keys, TARGET, body, now_ms).unwrap_err();
            assert_eq!(problem.status, 401);
            assert!(problem.detail.contains(part), "{}", problem.detail);
        }
    }

    #[test]
    fn a_missing_or_odd_header_is_named() {
        for name in [HEADER_NETWORK, HEADER_TIME, HEADER_SIGNATURE] {
            let mut headers = headers("v1=00");
            headers.remove(name);
            let problem = Credentials::read(|name| headers.get(name).cloned()).unwrap_err();
            assert!(problem.detail.contains(name), "{}", problem.detail);
        }
        let mut headers = headers("v1=00");
        headers.insert(HEADER_TIME.to_owned(), "soon".to_owned());
        assert!(
            Credentials::read(|name| headers.get(name).cloned()).unwrap_err().detail.contains(HEADER_TIME)
        );
    }
}
