//! The Cron Triggers: workerd alone does not fire them, so a local run does.

use super::Local;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Fires every trigger of `wrangler.toml` in the background, as its expression says.
pub(super) fn tick_each_minute(local: &Local) {
    let crons = local.config.crons().to_vec();
    let site = local.ports.site_url();
    thread::spawn(move || {
        loop {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            thread::sleep(Duration::from_secs(60 - now % 60));
            let minute = now / 60 + 1;
            for cron in crons.iter().filter(|cron| is_due(cron, minute)) {
                fire(&site, cron, minute * 60_000);
            }
        }
    });
}

fn fire(site: &str, cron: &str, scheduled_ms: u64) {
    let url = format!("{site}/cdn-cgi/handler/scheduled?cron={}&time={scheduled_ms}", cron.replace(' ', "+"));
    if let Err(error) = ureq::get(url).call() {
        println!("{:>7} | {cron}: {error}", "cron");
    }
}

/// Whether `cron` (minute and hour as `*`, `*/N` or a number; the other fields `*`) is due in the minute
/// `minute`, counted from the Unix epoch. An expression beyond that never fires here.
fn is_due(cron: &str, minute: u64) -> bool {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let [minutes, hours, "*", "*", "*"] = fields[..] else { return false };
    matches(minutes, minute % 60) && matches(hours, minute / 60 % 24)
}

fn matches(field: &str, value: u64) -> bool {
    match field.strip_prefix("*/") {
        Some(step) => step.parse::<u64>().is_ok_and(|step| step > 0 && value.is_multiple_of(step)),
        None => field == "*" || field.parse() == Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_due_when_they_say() {
        let at = |hour: u64, minute: u64| hour * 60 + minute;
        for (cron, minute, due) in [
            ("* * * * *", at(3, 17), true),
            ("*/5 * * * *", at(3, 15), true),
            ("*/5 * * * *", at(3, 17), false),
            ("20 2 * * *", at(2, 20), true),
            ("20 2 * * *", at(3, 20), false),
            ("20 2 * * *", at(26, 20), true),
            ("*/0 * * * *", at(0, 0), false),
            ("* * * * 1", at(0, 0), false),
            ("", at(0, 0), false),
        ] {
            assert_eq!(is_due(cron, minute), due, "{cron} at minute {minute}");
        }
    }
}
