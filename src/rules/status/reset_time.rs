//! Finds the time at which a limit resets in an error message: `resets 8:51pm (UTC)`, `try again at Nov 20, 3 PM`,
//! `retry in 2 hours 5 minutes`.

use std::str::FromStr;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// Phrases that precede the time. The last one in the message counts.
const INTRODUCTIONS: [&str; 7] =
    ["resets", "reset at", "reset on", "reset in", "try again", "retry", "available again"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Maximum distance from now of a plausible reset time, in days, for durations and dates alike.
const MAX_DAYS: i64 = 40;

/// Returns the time that a message contains, interpreted in `zone` unless the message names another one.
pub fn reset_time(message: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let lower = message.to_ascii_lowercase();
    let begin = INTRODUCTIONS.iter().filter_map(|word| Some(lower.rfind(word)? + word.len())).max()?;
    // Lowercasing changes only ASCII letters, so positions are the same in both texts.
    let (lower, original) = (&lower[begin..], message.get(begin..)?);
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';'))
        .filter(|word| !word.is_empty())
        .collect();
    let moment = relative(&words, now).or_else(|| rfc3339(original)).or_else(|| {
        let zone = named_zone(original).unwrap_or_else(|| zone.clone());
        absolute(&words, now, &zone)
    })?;
    let latest = now.checked_add(SignedDuration::from_hours(24 * MAX_DAYS)).ok()?;
    (now <= moment && moment <= latest).then_some(moment)
}

/// Parses `in 2 hours 5 minutes`, `in 34.07s`, `after 7200 seconds`.
fn relative(words: &[&str], now: Timestamp) -> Option<Timestamp> {
    let mut words = words.iter().skip_while(|word| matches!(**word, "at" | "on" | ":"));
    if !matches!(words.next(), Some(&"in" | &"after")) {
        return None;
    }
    let (mut seconds, mut number) = (0.0, None);
    for word in words.map(|word| word.trim_end_matches('.')) {
        let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let (amount, mut unit) = word.split_at(digits);
        number = amount.parse::<f64>().ok().or(number);
        // `1h2m3s`: the text after the unit is parsed like further words.
        while let Some(value) = number.filter(|_| !unit.is_empty()) {
            let end = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
            let Some(factor) = unit_seconds(&unit[..end]) else { break };
            seconds += value * factor;
            let rest = &unit[end..];
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            number = rest[..digits].parse().ok();
            unit = &rest[digits..];
        }
        if number.is_none() && seconds == 0.0 && word != "about" {
            break;
        }
    }
    (seconds > 0.0).then(|| now.checked_add(SignedDuration::try_from_secs_f64(seconds).ok()?).ok()).flatten()
}

fn unit_seconds(word: &str) -> Option<f64> {
    match word {
        "d" | "day" | "days" => Some(86_400.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        _ => None,
    }
}

fn rfc3339(text: &str) -> Option<Timestamp> {
    let words = text.split_whitespace().take(3);
    words.filter_map(|word| Timestamp::from_str(word.trim_end_matches(['.', ','])).ok()).next()
}

/// Returns the time zone in parentheses or after the time: `(Europe/Berlin)`, `UTC`. An unknown name is most likely the
/// user's own zone, in which agent CLIs write times.
fn named_zone(text: &str) -> Option<TimeZone> {
    let in_parentheses =
        text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name);
    let mut names =
        in_parentheses.into_iter().chain(text.split_whitespace().map(|word| word.trim_end_matches('.')));
    match names.any(|name| matches!(name, "UTC" | "GMT")) {
        true => Some(TimeZone::UTC),
        false => in_parentheses.and_then(|name| TimeZone::get(name).ok()),
    }
}

/// Parses `8:51pm`, `3 PM`, `15:00`, each with or without a date before it: `Nov 20, 3pm`, `Nov 20th at 3pm`.
fn absolute(words: &[&str], now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let today = now.to_zoned(zone.clone()).date();
    let (mut date, mut words) = (None, words.iter().copied().peekable());
    while let Some(word) = words.next().map(|word| word.trim_end_matches('.')) {
        if matches!(word, "at" | "on" | "~") {
            continue;
        }
        if let Some(month) = MONTHS.iter().position(|month| word.starts_with(month)) {
            let digits: String = words.next()?.chars().take_while(char::is_ascii_digit).collect();
            date = day(today, month, &digits);
            // `Nov 20, 2026` has a year.
            words.next_if(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()));
            continue;
        }
        let half = words.peek().copied().map(|next| next.trim_end_matches('.'));
        let time = time(word, half.filter(|half| matches!(*half, "am" | "pm")))?;
        let on = |date: Date| zone.to_timestamp(date.to_datetime(time)).ok();
        return match date {
            Some(date) => on(date),
            None => on(today).filter(|moment| *moment >= now).or_else(|| on(today.tomorrow().ok()?)),
        };
    }
    None
}

/// Returns a day of this year, or of the next one if it was more than a month ago.
fn day(today: Date, month: usize, digits: &str) -> Option<Date> {
    let month = i8::try_from(month + 1).ok()?;
    let date = Date::new(today.year(), month, digits.parse().ok()?).ok()?;
    let is_past = date < today.checked_sub(1.month()).ok()?;
    if is_past { date.checked_add(1.year()).ok() } else { Some(date) }
}

fn time(word: &str, next: Option<&str>) -> Option<Time> {
    let (clock, half) = match (word.strip_suffix("am"), word.strip_suffix("pm"), next) {
        (Some(clock), ..) => (clock, Some("am")),
        (_, Some(clock), _) => (clock, Some("pm")),
        (None, None, half) => (word, half),
    };
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) => (hour, minute.get(..2)?),
        // A number alone is not a time.
        None => (clock, half.map(|_| "0")?),
    };
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some("pm") => hour % 12 + 12,
        Some(_) => hour % 12,
        None => hour,
    };
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(message: &str) -> Option<String> {
        let now: Timestamp = "2026-11-17T18:51:30Z".parse().unwrap();
        reset_time(message, now, &TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap())
            .map(|at| at.to_string())
    }

    #[test]
    fn the_time_is_found_in_messages_of_agent_clis() {
        for (message, expected) in [
            // Observed with Claude Code 2.1.325.
            ("You've hit your 5-hour limit · resets 8:51pm (UTC)", Some("2026-11-17T20:51:00Z")),
            ("You've hit your session limit · resets 3pm (Europe/Berlin)", Some("2026-11-18T14:00:00Z")),
            ("You've hit your weekly limit · resets Nov 20, 3pm (UTC)", Some("2026-11-20T15:00:00Z")),
            ("You've hit your weekly limit · resets Jan 2 at 12am (UTC)", None),
            ("You've hit your weekly limit · resets Dec 2 at 12am (UTC)", Some("2026-12-02T00:00:00Z")),
            ("Usage limit reached. Your limit will reset at 20:00.", Some("2026-11-17T19:00:00Z")),
            ("API Error: Request rejected (429) · This request would exceed your rate limit.", None),
            // Messages of Codex.
            ("You've hit your usage limit. Try again at 8:04 PM.", Some("2026-11-17T19:04:00Z")),
            ("Upgrade to Pro or try again at Nov 20th, 2026 8:04 PM.", Some("2026-11-20T19:04:00Z")),
            ("You've hit your usage limit. Try again in 2 hours 5 minutes.", Some("2026-11-17T20:56:30Z")),
            ("try again in 3 days 1 hour", Some("2026-11-20T19:51:30Z")),
            // Messages of Gemini.
            ("Quota exceeded. Please retry in 34.07s.", Some("2026-11-17T18:52:04.07Z")),
            ("Your quota will reset after 1h2m3s.", None),
            ("Please retry in 1h2m3s.", Some("2026-11-17T19:53:33Z")),
            ("Access resets at 9:00 PM GMT+1.", Some("2026-11-17T20:00:00Z")),
            ("resets 2026-11-17T21:00:00Z", Some("2026-11-17T21:00:00Z")),
            ("resets soon", None),
            ("This is a server-side issue, usually temporary — try again in a moment.", None),
            ("resets 25:00", None),
            ("resets 13pm", None),
            ("", None),
        ] {
            assert_eq!(parsed(message).as_deref(), expected, "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_message_causes_a_panic(text in ".*", time in "resets (in |at |nov )?[0-9:.]{0,8}(pm|am|h|m)?.*") {
            let _ = parsed(&text);
            let _ = parsed(&time);
        }
    }
}
