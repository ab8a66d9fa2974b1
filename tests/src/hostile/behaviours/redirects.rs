//! Answers that send elsewhere: loops, chains, changed methods, and addresses where no probe may go.

use shared::outcome::{Class, Phase, Reason};

use crate::hostile::exchange::{Exchange, JSON};
use crate::hostile::request::Kind;
use crate::hostile::{Behaviour, Expected};

pub(super) fn behaviours() -> Vec<Behaviour> {
    let mut all = kept_methods();
    all.extend(changed_methods());
    all.extend(chains());
    all.extend(elsewhere());
    all.extend(odd_locations());
    all.extend(odd_answers());
    all.extend(after_the_handshake());
    all
}

fn stopped(reason: Reason) -> Expected {
    Expected::headers(Class::Redirect, reason)
}

/// Sends its own URL elsewhere by this status and these header lines, in which [`Exchange::fill`] fills in; is honest
/// below.
fn leads(
    name: impl Into<String>,
    says: impl Into<String>,
    expected: Expected,
    status: u16,
    fields: impl Into<Vec<u8>>,
) -> Behaviour {
    let fields = fields.into();
    Behaviour::new(name, says, expected, move |exchange| {
        if exchange.request.path() == format!("/{}", exchange.request.behaviour()) {
            send_away(exchange, status, &fields)
        } else {
            exchange.good()
        }
    })
}

fn send_away(exchange: &mut Exchange<'_>, status: u16, fields: &[u8]) -> std::io::Result<()> {
    exchange.raw(format!("HTTP/1.1 {status} Hostile\r\nContent-Length: 0\r\n"))?;
    // Bytes beyond ASCII stay what they are.
    match std::str::from_utf8(fields) {
        Ok(text) => exchange.raw(exchange.fill(text))?,
        Err(_) => exchange.raw(fields)?,
    }
    exchange.raw("\r\n")
}

fn kept_methods() -> Vec<Behaviour> {
    let table = [
        ("relative", "a path", "{path}/moved"),
        ("absolute", "a whole URL", "http://{host}{path}/moved"),
        ("with-dots", "a path with dots in it", "{path}/../a/.././{path}/moved"),
        ("with-a-query", "a query", "{path}/moved?a=b&c=%20d"),
        ("with-a-fragment", "a fragment, which is not sent", "{path}/moved#top"),
        (
            "with-user-and-password",
            "a user and a password, which are not sent",
            "http://me:secret@{host}{path}/moved",
        ),
        ("in-another-notation", "the same address as one number", "http://2130706433:{port}{path}/moved"),
        ("in-octal", "the same address in octal", "http://0177.0.0.1:{port}{path}/moved"),
        ("with-a-scheme-in-capitals", "a scheme in capitals", "HTTP://{host}{path}/moved"),
        ("with-a-backslash", "a backslash for a slash", "{path}\\moved"),
        ("with-blanks-around", "blanks around the address", "  {path}/moved  "),
    ];
    let mut all: Vec<Behaviour> = table
        .into_iter()
        .map(|(name, what, location)| {
            let says = format!("307 on its own origin; the address has {what}.");
            leads(format!("redirect-{name}"), says, Expected::up(), 307, format!("Location: {location}\r\n"))
        })
        .collect();
    all.push(leads(
        "redirect-with-308",
        "308 on its own origin.",
        Expected::up(),
        308,
        "Location: {path}/moved\r\n",
    ));
    let long = format!("Location: {{path}}/{}\r\n", "moved".repeat(1_000));
    all.push(leads("redirect-of-five-kilobytes", "307 to a path of 5,000 bytes.", Expected::up(), 307, long));
    all
}

fn changed_methods() -> Vec<Behaviour> {
    [300, 301, 302, 303, 304, 305, 306, 399]
        .into_iter()
        .map(|status| {
            leads(
                format!("redirect-with-{status}"),
                format!("{status} on its own origin, which keeps no method or is no redirect to follow."),
                stopped(Reason::MethodChanging),
                status,
                "Location: {path}/{astray}\r\n",
            )
        })
        .collect()
}

/// Each address leads to the next, up to the last of `hops`, which is honest.
fn chain(name: &str, says: &str, expected: Expected, hops: usize) -> Behaviour {
    Behaviour::new(name, says, expected, move |exchange| {
        let at: usize =
            exchange.request.path().rsplit_once("/hop").map_or(0, |(_, hop)| hop.parse().unwrap_or(0));
        if at < hops {
            send_away(exchange, 307, format!("Location: {{path}}/hop{}\r\n", at + 1).as_bytes())
        } else {
            exchange.good()
        }
    })
}

fn chains() -> Vec<Behaviour> {
    let looped = || stopped(Reason::RedirectLoop);
    let too_many = || stopped(Reason::TooManyHops);
    let same = |name: &str, says: &str, location: &'static str| {
        Behaviour::new(name, says, looped(), move |exchange| {
            send_away(exchange, 307, format!("Location: {location}\r\n").as_bytes())
        })
    };
    vec![
        same("redirect-to-itself", "307 to where it came from.", "{path}"),
        same("redirect-to-a-fragment-of-itself", "307 to a fragment of itself.", "#top"),
        same(
            "redirect-to-a-moving-fragment",
            "307 to itself in another notation.",
            "http://127.1:{port}{path}#x",
        ),
        same(
            "redirect-to-itself-with-a-password",
            "307 to itself with a user and a password.",
            "http://a:b@{host}{path}",
        ),
        Behaviour::new(
            "redirect-to-and-fro",
            "Two addresses, each leading to the other.",
            looped(),
            |exchange| {
                let there = exchange.request.path().ends_with("/there");
                let location: &[u8] =
                    if there { b"Location: {path}\r\n" } else { b"Location: {path}/there\r\n" };
                send_away(exchange, 308, location)
            },
        ),
        same(
            "redirect-that-wants-its-cookie-back",
            "307 to itself until a cookie comes back.",
            "{path}\r\nSet-Cookie: a=b",
        ),
        chain("redirect-three-times", "Three hops, then an honest endpoint.", Expected::up(), 3),
        chain("redirect-four-times", "Four hops, then an honest endpoint.", too_many(), 4),
        chain("redirect-without-end", "Each address leads to another one.", too_many(), usize::MAX),
        Behaviour::new(
            "redirect-with-a-growing-query",
            "The query grows with each hop.",
            too_many(),
            |exchange| {
                let more = format!("Location: {}{}\r\n", exchange.request.target, "?x".repeat(10));
                send_away(exchange, 307, more.as_bytes())
            },
        ),
    ]
}

/// Off the origin: nobody follows, whatever the method and wherever it leads.
fn elsewhere() -> Vec<Behaviour> {
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
            leads(
                format!("redirect-to-{name}"),
                says,
                stopped(Reason::OffOrigin),
                307,
                format!("Location: {location}\r\n"),
            )
        })
        .collect();
    all.extend([301, 302, 303, 308].map(|status| {
        leads(
            format!("redirect-elsewhere-with-{status}"),
            format!("{status} to another address."),
            stopped(Reason::OffOrigin),
            status,
            "Location: http://{trap}/{astray}\r\n",
        )
    }));
    all.extend([
        leads(
            "redirect-to-a-login-path",
            "302 to where people sign in to what stands behind Cloudflare Access.",
            Expected::headers(Class::Refused, Reason::LoginWall),
            302,
            "Location: http://{trap}/cdn-cgi/access/login/{astray}\r\n",
        ),
        leads(
            "redirect-to-a-login-host",
            "302 to a known host where people sign in.",
            Expected::headers(Class::Refused, Reason::LoginWall),
            302,
            "Location: https://tenant.okta.com/authorize?x=y\r\n",
        ),
        leads(
            "redirect-to-a-login-page",
            "302 to a page of another host that may be one where people sign in.",
            stopped(Reason::OffOrigin),
            302,
            "Location: http://{trap}/login/{astray}\r\n",
        ),
    ]);
    all
}

fn odd_locations() -> Vec<Behaviour> {
    let none = || stopped(Reason::NoLocation);
    let big = format!("Location: {{path}}/{}\r\n", "a".repeat(64 * 1024));
    let bigger = format!("Location: {{path}}/{}\r\n", "a".repeat(30 * 1024));
    let odd = |name: &str, says: &str, expected, fields: &[u8]| leads(name, says, expected, 307, fields);
    vec![
        odd("redirect-without-a-location", "307 and no Location.", none(), b""),
        odd("redirect-with-an-empty-location", "307 and an empty Location.", none(), b"Location:\r\n"),
        odd("redirect-that-is-no-url", "307 to what is no URL.", none(), b"Location: http://[\r\n"),
        odd("redirect-to-a-port-too-high", "307 to port 99999.", none(), b"Location: http://{trap}9/x\r\n"),
        odd("redirect-to-a-host-that-is-none", "307 to a host with a blank in it.", none(), b"Location: http://a b/\r\n"),
        odd("redirect-to-an-address-that-is-none", "307 to the number 4294967296.", none(), b"Location: http://4294967296/\r\n"),
        odd("redirect-of-30-kibibytes", "307 to a path of 30 KiB.", none(), bigger.as_bytes()),
        odd("redirect-of-64-kibibytes", "307 to a path of 64 KiB.", Expected::headers(Class::TooLarge, Reason::HeaderTooLarge), big.as_bytes()),
        odd("redirect-with-bytes-beyond-ascii", "307 to a path with bytes beyond ASCII.", Expected::up(), b"Location: /redirect-with-bytes-beyond-ascii/\xff\xfe\r\n"),
        odd("redirect-with-a-nul", "307 to a path with a NUL in it.", Expected::not_http(), b"Location: {path}/a\0b\r\n"),
        odd("redirect-with-two-locations", "307 and two of them, of which the first counts.", Expected::up(), b"Location: {path}/moved\r\nLocation: http://{trap}/{astray}\r\n"),
        odd("redirect-with-two-locations-the-first-off-the-origin", "307 and two of them, of which the first counts.", stopped(Reason::OffOrigin), b"Location: http://{trap}/{astray}\r\nLocation: {path}/{astray}\r\n"),
        odd("redirect-by-other-headers", "307 with Content-Location, Refresh and Link, and no Location.", none(), b"Content-Location: {path}/{astray}\r\nRefresh: 0; url={path}/{astray}\r\nLink: <{path}/{astray}>; rel=canonical\r\n"),
    ]
}

fn odd_answers() -> Vec<Behaviour> {
    vec![
        Behaviour::at_handshake(
            "redirect-with-the-answer-in-it",
            "307 to another address, and the right answer as its body.",
            stopped(Reason::OffOrigin),
            |exchange| {
                let (answer, location) =
                    (exchange.good_answer().to_string(), exchange.fill("http://{trap}/{astray}"));
                exchange.answer(307, &[JSON, ("Location", &location)], answer)
            },
        ),
        Behaviour::at_handshake(
            "redirect-by-a-page",
            "200 and a page that would lead a browser on.",
            Expected::body(Class::NotMcp, Reason::Html),
            |exchange| {
                let page = exchange.fill(
                    "<!doctype html><meta http-equiv=refresh content=\"0; url={path}/{astray}\"><script>location='{path}/{astray}'</script>",
                );
                let refresh = exchange.fill("0; url={path}/{astray}");
                exchange.answer(200, &[("Content-Type", "text/html"), ("Refresh", &refresh)], page)
            },
        ),
        Behaviour::new(
            "redirect-with-an-endless-body",
            "307 on its own origin with a body without end.",
            Expected::up(),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.good();
                }
                let location = exchange.fill("{path}/moved");
                exchange.open(307, &[("Location", &location)])?;
                exchange.endless("moved ")
            },
        ),
        Behaviour::new(
            "redirect-whose-body-never-comes",
            "307 on its own origin; the body that it promises never comes, and nobody waits for it.",
            Expected::up(),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.good();
                }
                let location = exchange.fill("{path}/moved");
                exchange.open(307, &[("Location", &location), ("Content-Length", "100")])?;
                exchange.hang()
            },
        )
        .waits(),
        Behaviour::new(
            "redirect-then-reset",
            "307 on its own origin, then a reset at the new place.",
            Expected::is(Class::ConnectFailed).because(Reason::ConnectionReset).at(Phase::Headers),
            |exchange| {
                if exchange.request.path().ends_with("/moved") {
                    return exchange.reset();
                }
                let location = exchange.fill("{path}/moved");
                exchange.answer(307, &[("Location", &location), ("Connection", "close")], "")?;
                exchange.close();
                Ok(())
            },
        ),
    ]
}

/// Honest up to the request of this kind, which is sent elsewhere.
fn later(
    name: &str,
    says: &str,
    expected: Expected,
    kind: Kind,
    status: u16,
    location: &'static str,
) -> Behaviour {
    Behaviour::new(name, says, expected, move |exchange| {
        let moved = exchange.request.path() != format!("/{}", exchange.request.behaviour());
        if exchange.request.kind() == kind && !moved {
            return send_away(exchange, status, format!("Location: {location}\r\n").as_bytes());
        }
        if exchange.request.kind() == Kind::Initialize {
            let answer = exchange.good_answer().to_string();
            return exchange.answer(200, &[JSON, ("Mcp-Session-Id", "s")], answer);
        }
        exchange.good()
    })
}

fn after_the_handshake() -> Vec<Behaviour> {
    let refused = || Expected::breach(shared::outcome::Violation::InitializedRefused);
    let failed = || Expected::tools_failed(Phase::Headers);
    let (moved, elsewhere) = ("{path}/moved", "http://{trap}/{astray}");
    vec![
        later(
            "notification-redirected",
            "The notification is sent on by 307.",
            Expected::up(),
            Kind::Initialized,
            307,
            moved,
        ),
        later(
            "notification-redirected-elsewhere",
            "The notification is sent to another address.",
            refused(),
            Kind::Initialized,
            307,
            elsewhere,
        ),
        later(
            "notification-redirected-with-302",
            "The notification is sent on by 302.",
            refused(),
            Kind::Initialized,
            302,
            "{path}/{astray}",
        ),
        later(
            "tools-redirected",
            "The question for tools is sent on by 308.",
            Expected::up(),
            Kind::ToolsList,
            308,
            moved,
        ),
        later(
            "tools-redirected-elsewhere",
            "The question for tools is sent to another address.",
            failed(),
            Kind::ToolsList,
            307,
            elsewhere,
        ),
        later(
            "tools-redirected-with-303",
            "The question for tools is sent on by 303.",
            failed(),
            Kind::ToolsList,
            303,
            "{path}/{astray}",
        ),
        later(
            "tools-redirected-to-themselves",
            "The question for tools is sent to where it came from.",
            failed(),
            Kind::ToolsList,
            307,
            "{path}",
        ),
        later(
            "end-of-session-redirected",
            "The end of the session is sent on by 307.",
            Expected::up(),
            Kind::EndSession,
            307,
            moved,
        ),
        later(
            "end-of-session-redirected-elsewhere",
            "The end of the session is sent to another address.",
            Expected::up(),
            Kind::EndSession,
            307,
            elsewhere,
        ),
        later(
            "end-of-session-redirected-with-302",
            "The end of the session is sent on by 302.",
            Expected::up(),
            Kind::EndSession,
            302,
            "{path}/{astray}",
        ),
    ]
}
