//! Parses the times and durations that users type.

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
pub(in crate::cli) fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let ago = duration(text)
        .map_err(|_| format!("`{text}` is neither a time (2026-01-31T12:00:00Z) nor a span (10m)"))?;
    now.checked_sub(SignedDuration::try_from(ago).map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_notations_of_durations_are_parsed() {
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
    fn since_accepts_a_time_or_a_duration() {
        let now: Timestamp = "2026-01-01T00:10:00Z".parse().unwrap();
        assert_eq!(parse_time("10m", now), Ok("2026-01-01T00:00:00Z".parse().unwrap()));
        assert_eq!(parse_time("2025-12-31T00:00:00Z", now), Ok("2025-12-31T00:00:00Z".parse().unwrap()));
        assert!(parse_time("yesterday", now).is_err());
    }
}
