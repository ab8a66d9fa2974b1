//! Numbers, times and ages as the pages print them.

use time::OffsetDateTime;

/// Between the groups of a number: thin, and no place to break a line.
const THIN_SPACE: char = '\u{202F}';
/// Between a figure and its unit.
const NO_BREAK: char = '\u{A0}';

/// Digits in groups of three: `1 240`.
pub(crate) fn number(value: impl Into<u64>) -> String {
    let digits = value.into().to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(THIN_SPACE);
        }
        text.push(digit);
    }
    text
}

/// A latency: `412 ms`.
pub(crate) fn milliseconds(value: u32) -> String {
    format!("{}{NO_BREAK}ms", number(value))
}

/// `1 tool`, `9 tools`: the figure and its noun, held together.
pub(crate) fn counted(count: impl Into<u64>, one: &str, many: &str) -> String {
    let count = count.into();
    format!("{}{NO_BREAK}{}", number(count), if count == 1 { one } else { many })
}

/// A UTC instant to the minute: `30 Nov 2026 20:15 UTC`. Seconds since the epoch.
pub(crate) fn instant(unix_s: i64) -> String {
    match moment(unix_s) {
        Some(at) => format!(
            "{}{NO_BREAK}{}{NO_BREAK}{} {:02}:{:02}{NO_BREAK}UTC",
            at.day(),
            month(at),
            at.year(),
            at.hour(),
            at.minute()
        ),
        None => "an unknown time".to_owned(),
    }
}

/// The day of a UTC instant: `30 Nov 2026`.
pub(crate) fn day(unix_s: i64) -> String {
    match moment(unix_s) {
        Some(at) => format!("{}{NO_BREAK}{}{NO_BREAK}{}", at.day(), month(at), at.year()),
        None => "an unknown day".to_owned(),
    }
}

/// The time of day of a UTC instant: `17:36:58`.
pub(crate) fn clock(unix_s: i64) -> String {
    match moment(unix_s) {
        Some(at) => format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()),
        None => "unknown".to_owned(),
    }
}

/// The time of day to the minute: `17:36`.
pub(crate) fn minute(unix_s: i64) -> String {
    match moment(unix_s) {
        Some(at) => format!("{:02}:{:02}", at.hour(), at.minute()),
        None => "unknown".to_owned(),
    }
}

/// For the `datetime` attribute: `2026-11-30T17:36:58Z`.
pub(crate) fn machine(unix_s: i64) -> String {
    match moment(unix_s) {
        Some(at) => format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            at.year(),
            u8::from(at.month()),
            at.day(),
            at.hour(),
            at.minute(),
            at.second()
        ),
        None => String::new(),
    }
}

/// A length of time in its two largest units: `43 s`, `6 min`, `3 h 22 min`, `20 d 12 h`. Seconds; below zero is zero.
pub(crate) fn duration(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |large: i64, large_unit: &str, small: i64, small_unit: &str| {
        let large = number(large.unsigned_abs());
        if small == 0 {
            format!("{large}{NO_BREAK}{large_unit}")
        } else {
            format!("{large}{NO_BREAK}{large_unit}{NO_BREAK}{small}{NO_BREAK}{small_unit}")
        }
    };
    match seconds {
        0..60 => format!("{seconds}{NO_BREAK}s"),
        60..3600 => format!("{minutes}{NO_BREAK}min"),
        3600..86_400 => two(hours, "h", minutes % 60, "min"),
        _ => two(days, "d", hours % 24, "h"),
    }
}

/// How long before the page an instant lies: `43 s before this page`. Both in seconds since the epoch.
pub(crate) fn age(as_of: i64, unix_s: i64) -> String {
    match as_of.saturating_sub(unix_s) {
        ..1 => "as this page was made".to_owned(),
        seconds => format!("{} before this page", duration(seconds)),
    }
}

/// The same in a table cell: `43 s ago`.
pub(crate) fn ago(as_of: i64, unix_s: i64) -> String {
    match as_of.saturating_sub(unix_s) {
        ..1 => "just now".to_owned(),
        seconds => format!("{}{NO_BREAK}ago", duration(seconds)),
    }
}

fn moment(unix_s: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(unix_s).ok()
}

const fn month(at: OffsetDateTime) -> &'static str {
    use time::Month;
    match at.month() {
        Month::January => "Jan",
        Month::February => "Feb",
        Month::March => "Mar",
        Month::April => "Apr",
        Month::May => "May",
        Month::June => "Jun",
        Month::July => "Jul",
        Month::August => "Aug",
        Month::September => "Sep",
        Month::October => "Oct",
        Month::November => "Nov",
        Month::December => "Dec",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_by_a_thin_space_that_does_not_break() {
        for (value, text) in
            [(0, "0"), (999, "999"), (1_240, "1\u{202F}240"), (1_234_567, "1\u{202F}234\u{202F}567")]
        {
            assert_eq!(number(value as u64), text);
        }
        assert_eq!(milliseconds(10_000), "10\u{202F}000\u{A0}ms");
    }

    #[test]
    fn times_are_utc_and_never_panic() {
        assert_eq!(instant(1_796_069_758), "30\u{A0}Nov\u{A0}2026 20:15\u{A0}UTC");
        assert_eq!(clock(1_796_069_758), "20:15:58");
        assert_eq!(machine(1_796_069_758), "2026-11-30T20:15:58Z");
        for extreme in [i64::MIN, i64::MAX, -1, 0] {
            let _ = (instant(extreme), clock(extreme), machine(extreme), day(extreme), minute(extreme));
        }
    }

    #[test]
    fn durations_name_their_two_largest_units() {
        for (seconds, text) in [
            (-5, "0\u{A0}s"),
            (59, "59\u{A0}s"),
            (60, "1\u{A0}min"),
            (3_600, "1\u{A0}h"),
            (12_120, "3\u{A0}h\u{A0}22\u{A0}min"),
            (1_771_200, "20\u{A0}d\u{A0}12\u{A0}h"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(age(100, 57), "43\u{A0}s before this page");
        assert_eq!(age(100, 160), "as this page was made");
        assert_eq!(age(i64::MAX, i64::MIN), format!("{} before this page", duration(i64::MAX)));
    }
}
