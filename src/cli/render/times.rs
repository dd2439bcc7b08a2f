//! Parses and formats times and durations for users.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::base::duration::parse_duration;

/// Parses `30s`, `500ms`, `2m`, `1h 30m` or `7d`. A bare number is seconds.
pub(in crate::cli) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is not a duration"));
    }
    parse_duration(text).ok_or_else(|| format!("`{text}` is not a duration such as 30s, 5m or 7d"))
}

/// Parses a time: RFC 3339, or a duration before now (`10m`).
pub(in crate::cli) fn moment(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let ago = duration(text)
        .map_err(|_| format!("`{text}` is neither a time (2026-01-31T12:00:00Z) nor a span (10m)"))?;
    now.checked_sub(SignedDuration::try_from(ago).map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())
}

/// Formats a time in the local time zone: `2026-01-31 12:00`.
pub(in crate::cli) fn local(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Formats the time since `since` in at most four characters: `now`, `12s`, `3m`, `5h`, `12d`.
pub(in crate::cli) fn age(since: Timestamp, now: Timestamp) -> String {
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
pub(in crate::cli) fn ago(since: Timestamp, now: Timestamp) -> String {
    match age(since, now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, milliseconds) in [
            ("5", 5_000),
            ("0.5", 500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1h 30m", 5_400_000),
            ("7d", 604_800_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "soon", "-5s", "-1", "NaN", "1e300"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

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

    #[test]
    fn a_moment_is_a_time_or_a_span() {
        let now: Timestamp = "2026-01-01T00:10:00Z".parse().unwrap();
        assert_eq!(moment("10m", now), Ok("2026-01-01T00:00:00Z".parse().unwrap()));
        assert_eq!(moment("2025-12-31T00:00:00Z", now), Ok("2025-12-31T00:00:00Z".parse().unwrap()));
        assert!(moment("yesterday", now).is_err());
    }
}
