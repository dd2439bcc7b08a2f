//! Times and durations as users read them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Formats a time in the local time zone: `2026-01-31 12:00`.
pub fn local(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Formats the time of day in the local time zone: `12:00`.
pub fn clock(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).strftime("%H:%M").to_string()
}

/// Formats the time since `since` in at most four characters: `now`, `12s`, `3m`, `5h`, `12d`.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs();
    match seconds {
        ..=0 => "now".into(),
        1..=59 => format!("{seconds}s"),
        60..=3_599 => format!("{}m", seconds / 60),
        3_600..=86_399 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Formats the time since `since` for a sentence: `12m ago`.
pub fn ago(since: Timestamp, now: Timestamp) -> String {
    match age(since, now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

/// Formats a duration with its two largest units: `12s`, `3m`, `5h 20m`, `2d 4h`.
pub fn span(seconds: u64) -> String {
    match seconds {
        0..=59 => format!("{seconds}s"),
        60..=3_599 => format!("{}m", seconds / 60),
        3_600..=86_399 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => match seconds % 86_400 / 3_600 {
            0 => format!("{}d", seconds / 86_400),
            hours => format!("{}d {hours}h", seconds / 86_400),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (seconds, text) in
            [(-5, "now"), (0, "now"), (59, "59s"), (60, "1m"), (7_300, "2h"), (200_000, "2d")]
        {
            assert_eq!(age(at(1_000_000), at(1_000_000 + seconds)), text);
            let sentence = if text == "now" { "just now".to_owned() } else { format!("{text} ago") };
            assert_eq!(ago(at(1_000_000), at(1_000_000 + seconds)), sentence);
        }
    }
}
