//! What a process took of processor and memory, as Linux counts it.

use std::fs;

/// Linux tells processor time to programs in hundredths of a second, on whatever machine.
const TICKS_A_SECOND: f64 = 100.0;

/// Processor time of all threads of the process so far, in seconds, the system's work for it included.
///
/// # Errors
/// A sentence, where the process is gone or this is no Linux.
pub fn processor_seconds(process: u32) -> Result<f64, String> {
    let path = format!("/proc/{process}/stat");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    ticks(&text)
        .map(|ticks| ticks as f64 / TICKS_A_SECOND)
        .ok_or_else(|| format!("{path} is not as expected"))
}

/// `utime` and `stime`, the 14th and 15th field. The second is the program's name, which may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(") ")?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The most memory the process ever held, in bytes.
///
/// # Errors
/// As [`processor_seconds`].
pub fn peak_bytes(process: u32) -> Result<u64, String> {
    let path = format!("/proc/{process}/status");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| format!("{path} is not as expected"))
}

/// How busy the machine is: the first three numbers of `/proc/loadavg`.
#[must_use]
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// The middle of the values, and the least and the most of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// None of no values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let median = if sorted.len() % 2 == 1 { upper } else { (sorted[middle - 1] + upper) / 2.0 };
        Some(Self { median, least: *sorted.first()?, most: *sorted.last()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_a_name_that_looks_like_fields() {
        let stat = "7 (a) b 1 (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 9 9 20 0 3 0 1 1 1";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]), Some(Spread { median: 3.0, least: 1.0, most: 9.0 }));
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0]).map(|spread| spread.median), Some(2.0));
        assert_eq!(Spread::of(&[]), None);
    }
}
