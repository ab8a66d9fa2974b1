//! Request bodies: of the right type, and never larger than the caller may send.

use shared::reading::{Fault, Read, document};
use wasm_bindgen::{JsCast, JsValue};
use worker::js_sys::{Reflect, Uint8Array};
use worker::wasm_bindgen_futures::JsFuture;
use worker::web_sys::{ReadableStreamDefaultReader, Request};

use crate::problem::Problem;

/// Reads a JSON body of at most `cap` bytes.
///
/// # Errors
/// 415 for another type, 413 beyond the cap, 400 where the body breaks off.
pub async fn read_json(request: &Request, cap: usize) -> Result<Vec<u8>, Problem> {
    let header = |name: &str| request.headers().get(name).ok().flatten();
    if !header("content-type").is_some_and(|value| is_json(&value)) {
        return Err(Problem::unsupported_media_type());
    }
    if header("content-length")
        .and_then(|length| length.parse().ok())
        .is_some_and(|length: usize| length > cap)
    {
        return Err(Problem::too_large(cap));
    }
    let broken = |_: JsValue| Problem::invalid("body", "The body breaks off.");
    let mut body = Vec::new();
    let Some(stream) = request.body() else {
        return Ok(body);
    };
    let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
    loop {
        let step = JsFuture::from(reader.read()).await.map_err(broken)?;
        let member = |name: &str| Reflect::get(&step, &name.into());
        if member("done").map_err(broken)?.is_truthy() {
            return Ok(body);
        }
        let chunk: Uint8Array = member("value").map_err(broken)?.unchecked_into();
        if body.len().saturating_add(chunk.length() as usize) > cap {
            return Err(Problem::too_large(cap));
        }
        body.append(&mut chunk.to_vec());
    }
}

/// Reads a document whose every member we know.
///
/// # Errors
/// 400 that names the member and its place.
pub fn parse<T: Read>(body: &[u8]) -> Result<T, Problem> {
    document(body).map_err(|Fault { place, rule }| {
        let field = if place.is_empty() { "body".to_owned() } else { place };
        Problem::invalid(field, format!("{rule}."))
    })
}

fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or("").trim();
    media_type.eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_is_json() {
        for (value, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonp", false),
            ("", false),
        ] {
            assert_eq!(is_json(value), expected, "{value}");
        }
    }

    #[test]
    fn an_unknown_member_is_named() {
        let body = br#"{"holder":"a","capacity":1,"extra":true}"#;
        let problem = parse::<shared::vote::ClaimRequest>(body).unwrap_err();
        assert_eq!(problem.status, 400);
        assert!(problem.detail.contains("extra"), "{}", problem.detail);
        assert_eq!(problem.field.as_deref(), Some("extra"));
    }
}
