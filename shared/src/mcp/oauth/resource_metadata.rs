//! Reads protected-resource metadata (RFC 9728).

use serde_json::Value;
use url::Url;

use super::address;
use crate::outcome::FrontDoorNote;

/// What the document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// The first authorization server, as listed and parsed; also where the rest of the document is not valid.
    pub issuer: Option<(String, Url)>,
    /// A client could use it.
    pub valid: bool,
    pub notes: Vec<FrontDoorNote>,
}

/// Reads the document found for `endpoint`. `allow_private`: http on loopback is as good as https.
#[must_use]
pub fn read(document: &Value, endpoint: &Url, allow_private: bool) -> ResourceMetadata {
    let mut notes = Vec::new();
    let resource_fits =
        match document.get("resource").and_then(Value::as_str).and_then(|text| Url::parse(text).ok()) {
            None => {
                notes.push(FrontDoorNote::MetadataInvalid);
                false
            }
            Some(resource) => match compare(&resource, endpoint) {
                Fit::Same => true,
                Fit::Near => {
                    notes.push(FrontDoorNote::ResourceIsPrefix);
                    true
                }
                Fit::Other => {
                    notes.push(FrontDoorNote::ResourceMismatch);
                    false
                }
            },
        };
    let issuer = read_issuer(document, allow_private, &mut notes);
    ResourceMetadata { valid: resource_fits && issuer.is_some(), issuer, notes }
}

/// How the `resource` of a document fits the endpoint it was found for.
enum Fit {
    Same,
    /// Differs by a trailing slash, or is a parent of the endpoint on the same origin: some clients refuse it.
    Near,
    Other,
}

fn compare(resource: &Url, endpoint: &Url) -> Fit {
    if resource == endpoint {
        return Fit::Same;
    }
    let same_place = resource.origin() == endpoint.origin()
        && resource.username().is_empty()
        && resource.password().is_none()
        && resource.fragment().is_none()
        && (resource.query().is_none() || resource.query() == endpoint.query());
    let (parent, path) = (address::without_slash(resource.path()), address::without_slash(endpoint.path()));
    let below = path.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if same_place && below { Fit::Near } else { Fit::Other }
}

/// The first authorization server: like the official clients, we use no other.
fn read_issuer(
    document: &Value,
    allow_private: bool,
    notes: &mut Vec<FrontDoorNote>,
) -> Option<(String, Url)> {
    let listed = document.get("authorization_servers").and_then(Value::as_array).map(Vec::as_slice);
    let Some([first, others @ ..]) = listed else {
        notes.push(FrontDoorNote::NoAuthorizationServer);
        return None;
    };
    if !others.is_empty() {
        notes.push(FrontDoorNote::SeveralAuthorizationServers);
    }
    let issuer = first.as_str().and_then(|text| parse_issuer(text, allow_private));
    if issuer.is_none() {
        notes.push(FrontDoorNote::IssuerInvalid);
    }
    issuer
}

/// An issuer has neither query nor fragment (RFC 8414 section 2).
fn parse_issuer(text: &str, allow_private: bool) -> Option<(String, Url)> {
    let url = address::parse(text, allow_private)?;
    (url.query().is_none() && url.fragment().is_none()).then(|| (text.to_owned(), url))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://login.example/t";

    fn read_for(document: &Value, endpoint: &str) -> ResourceMetadata {
        read(document, &Url::parse(endpoint).unwrap(), false)
    }

    #[test]
    fn the_resource_is_the_endpoint_or_a_parent_on_its_origin() {
        use FrontDoorNote::{MetadataInvalid, ResourceIsPrefix, ResourceMismatch};
        let endpoint = "https://a.example/v1/mcp";
        let table: &[(Value, &str, bool, &[FrontDoorNote])] = &[
            (json!("https://a.example/v1/mcp"), endpoint, true, &[]),
            (json!("https://A.example:443/v1/mcp"), endpoint, true, &[]),
            (json!("https://a.example"), "https://a.example/", true, &[]),
            (json!("https://a.example/v1/mcp/"), endpoint, true, &[ResourceIsPrefix]),
            (json!("https://a.example/v1/mcp"), "https://a.example/v1/mcp/", true, &[ResourceIsPrefix]),
            (json!("https://a.example/v1"), endpoint, true, &[ResourceIsPrefix]),
            (json!("https://a.example/v1/"), endpoint, true, &[ResourceIsPrefix]),
            (json!("https://a.example"), endpoint, true, &[ResourceIsPrefix]),
            (json!("https://a.example/v1/mcp"), "https://a.example/v1/mcp?k=v", true, &[ResourceIsPrefix]),
            (json!("https://a.example/v1/mcp?k=v"), "https://a.example/v1/mcp?k=v", true, &[]),
            (json!("https://a.example/v1/mcp?k=v"), endpoint, false, &[ResourceMismatch]),
            (json!("https://a.example/v1/mcp#f"), endpoint, false, &[ResourceMismatch]),
            (json!("https://a.example/v1/mc"), endpoint, false, &[ResourceMismatch]),
            (json!("https://a.example/v1/mcp//"), endpoint, false, &[ResourceMismatch]),
            (json!("https://a.example/v1/mcp/more"), endpoint, false, &[ResourceMismatch]),
            (json!("https://b.example/v1/mcp"), endpoint, false, &[ResourceMismatch]),
            (json!("http://a.example/v1/mcp"), endpoint, false, &[ResourceMismatch]),
            (json!("https://a.example:8443/v1/mcp"), endpoint, false, &[ResourceMismatch]),
            (json!("https://user@a.example/v1"), endpoint, false, &[ResourceMismatch]),
            (json!("urn:a:b"), endpoint, false, &[ResourceMismatch]),
            (json!("/v1/mcp"), endpoint, false, &[MetadataInvalid]),
            (json!(null), endpoint, false, &[MetadataInvalid]),
            (json!(["https://a.example/v1/mcp"]), endpoint, false, &[MetadataInvalid]),
        ];
        for (resource, endpoint, valid, notes) in table {
            let read = read_for(&json!({"resource": resource, "authorization_servers": [ISSUER]}), endpoint);
            assert_eq!((read.valid, read.notes.as_slice()), (*valid, *notes), "{resource} for {endpoint}");
            assert_eq!(read.issuer.unwrap().0, ISSUER, "the issuer is worth a look all the same");
        }
    }

    #[test]
    fn the_first_authorization_server_counts() {
        use FrontDoorNote::{IssuerInvalid, NoAuthorizationServer, SeveralAuthorizationServers};
        let long = format!("https://a.example/{}", "x".repeat(600));
        let table: &[(Value, bool, &[FrontDoorNote])] = &[
            (json!([ISSUER]), true, &[]),
            (json!([ISSUER, "nonsense"]), true, &[SeveralAuthorizationServers]),
            (json!(["nonsense", ISSUER]), false, &[SeveralAuthorizationServers, IssuerInvalid]),
            (json!([]), false, &[NoAuthorizationServer]),
            (json!(null), false, &[NoAuthorizationServer]),
            (json!(ISSUER), false, &[NoAuthorizationServer]),
            (json!([5]), false, &[IssuerInvalid]),
            (json!(["127.0.0.1:3000"]), false, &[IssuerInvalid]),
            (json!(["http://login.example"]), false, &[IssuerInvalid]),
            (json!(["http://127.0.0.1:3000"]), false, &[IssuerInvalid]),
            (json!(["https://login.example/?t=1"]), false, &[IssuerInvalid]),
            (json!(["https://login.example/#t"]), false, &[IssuerInvalid]),
            (json!([long]), false, &[IssuerInvalid]),
        ];
        for (servers, valid, notes) in table {
            let document = json!({"resource": "https://a.example/mcp", "authorization_servers": servers});
            let read = read_for(&document, "https://a.example/mcp");
            assert_eq!((read.valid, read.notes.as_slice()), (*valid, *notes), "{servers}");
            assert_eq!(read.issuer.is_some(), *valid, "{servers}");
        }
    }

    #[test]
    fn loopback_counts_where_private_targets_are_allowed() {
        let document = json!({
            "resource": "http://localhost:43010/mcp", "authorization_servers": ["http://localhost:43011/"],
        });
        let endpoint = Url::parse("http://localhost:43010/mcp").unwrap();
        let found = read(&document, &endpoint, true);
        assert_eq!((found.valid, found.notes), (true, vec![]));
        assert_eq!(
            found.issuer.unwrap().0,
            "http://localhost:43011/",
            "as listed, to compare with the document"
        );
        assert!(!read(&document, &endpoint, false).valid);
    }

    #[test]
    fn what_is_no_object_is_invalid() {
        for document in [json!(null), json!([]), json!("x"), json!({})] {
            let read = read_for(&document, "https://a.example/mcp");
            assert!(
                !read.valid && read.issuer.is_none() && read.notes.contains(&FrontDoorNote::MetadataInvalid)
            );
        }
    }
}
