//! Off the origin: nobody follows, whatever the method and wherever it leads.

use shared::outcome::{Class, Reason};

use super::{leads, stopped};
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let targets = [
        ("another-address", "http://{trap}/{astray}"),
        ("another-address-in-decimal", "http://2130706441:{port}/{astray}"),
        ("another-address-in-octal", "http://0177.0.0.011:{port}/{astray}"),
        ("another-address-in-hexadecimal", "http://0x7f000009:{port}/{astray}"),
        ("another-address-in-short", "http://127.9:{port}/{astray}"),
        ("another-address-escaped", "http://%31%32%37.0.0.9:{port}/{astray}"),
        ("another-address-in-ipv6", "http://[::ffff:127.0.0.9]:{port}/{astray}"),
        ("another-address-with-a-password", "http://{host}@{trap}/{astray}"),
        ("another-address-without-a-scheme", "//{trap}/{astray}"),
        ("another-address-with-backslashes", "/\\{trap}/{astray}"),
        ("another-address-with-a-tab", "/\t/{trap}/{astray}"),
        ("a-name-of-this-machine", "http://localhost:{port}/{astray}"),
        ("the-address-of-no-address", "http://0.0.0.0:{port}/{astray}"),
        ("ipv6-of-this-machine", "http://[::1]:{port}/{astray}"),
        ("this-machine-mapped-into-ipv6", "http://[::ffff:7f00:1]:{port}/{astray}"),
        ("another-port", "http://127.0.0.1:1/{astray}"),
        ("the-usual-port", "http://127.0.0.1/{astray}"),
        ("another-scheme", "https://{host}/{astray}"),
        ("the-metadata-service", "http://169.254.169.254/latest/meta-data/"),
        ("a-link-local-address", "http://[fe80::1]:{port}/{astray}"),
        ("a-private-address", "http://10.0.0.1:{port}/{astray}"),
        ("a-name-of-a-cloud", "http://metadata.google.internal/computeMetadata/v1/"),
        ("a-name-that-is-not", "http://nowhere.invalid/{astray}"),
        ("a-script", "javascript:alert(1)"),
        ("data", "data:application/json,{}"),
        ("a-file", "file:///etc/passwd"),
        ("ftp", "ftp://{trap}/{astray}"),
        ("gopher", "gopher://{trap}/_POST"),
        ("a-mailbox", "mailto:a@b.example"),
    ];
    let mut all: Vec<Behaviour> = targets
        .into_iter()
        .map(|(name, location)| {
            let shown =
                location.replace("{astray}", "x").replace("{trap}", "127.0.0.9:1").replace("{port}", "1");
            let says = format!("307 to {}.", shown.replace("{host}", "127.0.0.1:1").escape_debug());
            leads(format!("redirect-to-{name}"), says, stopped(Reason::OffOrigin), 307, location)
        })
        .collect();
    all.extend([301, 302, 303, 308].map(|status| {
        leads(
            format!("redirect-elsewhere-with-{status}"),
            format!("{status} to another address."),
            stopped(Reason::OffOrigin),
            status,
            "http://{trap}/{astray}",
        )
    }));
    all.extend([
        leads(
            "redirect-to-a-login-path",
            "302 to where people sign in to what stands behind Cloudflare Access.",
            Expected::headers(Class::Refused, Reason::LoginWall),
            302,
            "http://{trap}/cdn-cgi/access/login/{astray}",
        ),
        leads(
            "redirect-to-a-login-host",
            "302 to a known host where people sign in.",
            Expected::headers(Class::Refused, Reason::LoginWall),
            302,
            "https://tenant.okta.com/authorize?x=y",
        ),
        leads(
            "redirect-to-a-login-page",
            "302 to a page of another host that may be one where people sign in.",
            stopped(Reason::OffOrigin),
            302,
            "http://{trap}/login/{astray}",
        ),
    ]);
    all
}
