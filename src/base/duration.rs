//! Durations as users type them: `30s`, `500ms`, `1h 30m`, `7d`.

use std::time::Duration;

use jiff::{Span, SpanRelativeTo};

/// Parses a duration with units. A day has 24 hours and a week has seven days; months and years are refused, because
/// their length varies. Returns `None` for negative durations and for text without a unit.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if !text.contains(char::is_alphabetic) {
        return None;
    }
    let span: Span = text.parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(duration).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_with_units_are_parsed() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("2m", 120_000),
            ("1h 30m", 5_400_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
            ("1d 12h", 129_600_000),
            ("2w", 1_209_600_000),
            (" 5s ", 5_000),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn text_that_is_no_duration_is_refused() {
        for text in ["", "5", "0.5", "soon", "-5s", "5s ago", "1 month", "2y", "d", "10x"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
