//! Parses the values of `config.toml`: each function reads one value or reports an error with its position.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use crate::base::duration::parse_duration;
use crate::model::{ClockTime, QuietHours, bad_pattern};

type Value<'a, 't> = &'a Spanned<DeValue<'t>>;

/// Maximum duration: longer than any useful value, and short enough that adding it to a time does not overflow.
const MAX_DURATION: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

/// An error at a byte offset of the text.
#[derive(Debug)]
pub(super) struct Wrong {
    pub at: usize,
    pub message: String,
}

type Read<T> = Result<T, Vec<Wrong>>;

fn wrong<T>(value: Value<'_, '_>, message: impl Into<String>) -> Read<T> {
    Err(vec![Wrong { at: value.span().start, message: message.into() }])
}

/// Returns an error that names the expected and the actual value.
fn expected<T>(value: Value<'_, '_>, what: &str) -> Read<T> {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("`{}`", text.chars().take(40).collect::<String>().escape_debug()),
        DeValue::Integer(number) => format!("`{}`", number.as_str()),
        DeValue::Float(number) => format!("`{}`", number.as_str()),
        DeValue::Boolean(truth) => format!("`{truth}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    wrong(value, format!("expected {what}, found {found}"))
}

pub(super) fn truth(value: Value<'_, '_>) -> Read<bool> {
    value.get_ref().as_bool().map_or_else(|| expected(value, "`true` or `false`"), Ok)
}

pub(super) fn number(value: Value<'_, '_>) -> Read<u32> {
    let number = value.get_ref().as_integer();
    let number = number.and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
    number.map_or_else(|| expected(value, "a whole number, 0 or more"), Ok)
}

/// Parses a duration such as `"90s"`, `"10m"`, `"2h"`, `"7d"` or `"1h 30m"`.
pub(super) fn duration(value: Value<'_, '_>) -> Read<Duration> {
    let span = value.get_ref().as_str().and_then(parse_duration);
    match span {
        Some(span) if span > MAX_DURATION => wrong(value, "longer than ten years"),
        Some(span) => Ok(span),
        None => expected(value, "a time span such as \"90s\", \"10m\", \"2h\" or \"7d\""),
    }
}

/// Parses a duration, `false` for `None`, or `true` for the given default.
pub(super) fn duration_or_off(value: Value<'_, '_>, usual: Duration) -> Read<Option<Duration>> {
    match value.get_ref().as_bool() {
        Some(on) => Ok(on.then_some(usual)),
        None if value.get_ref().as_str().is_some() => duration(value).map(Some),
        None => expected(value, "`true`, `false` or a time span such as \"5m\""),
    }
}

/// Parses a duration with a minimum.
pub(super) fn within(value: Value<'_, '_>, shortest: Duration) -> Read<Duration> {
    match duration(value)? {
        span if span < shortest => wrong(value, format!("shorter than {} s", shortest.as_secs())),
        span => Ok(span),
    }
}

/// Parses one of several keywords.
pub(super) fn word<T: Copy>(value: Value<'_, '_>, words: &[(&str, T)]) -> Read<T> {
    let meant = value.get_ref().as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
    match meant {
        Some((_, meant)) => Ok(*meant),
        None => {
            let known: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            expected(value, &format!("one of {}", known.join(", ")))
        }
    }
}

/// Parses a list of keywords without duplicates.
pub(super) fn words<T: Copy + PartialEq>(value: Value<'_, '_>, known: &[(&str, T)]) -> Read<Vec<T>> {
    let Some(list) = value.get_ref().as_array() else { return expected(value, "a list of words") };
    let (mut meant, mut mistakes) = (Vec::new(), Vec::new());
    for value in list.iter() {
        match word(value, known) {
            Ok(one) if !meant.contains(&one) => meant.push(one),
            Ok(_) => {}
            Err(wrong) => mistakes.extend(wrong),
        }
    }
    if mistakes.is_empty() { Ok(meant) } else { Err(mistakes) }
}

/// Parses a program: a name or a path.
pub(super) fn program(value: Value<'_, '_>) -> Read<String> {
    match value.get_ref().as_str() {
        Some(text) if !text.is_empty() && !text.contains('\0') => Ok(text.to_owned()),
        _ => expected(value, "a program, such as \"ssh\""),
    }
}

/// Parses a program with its arguments. An empty list means no program.
pub(super) fn command(value: Value<'_, '_>) -> Read<Vec<String>> {
    let Some(list) = value.get_ref().as_array() else {
        return expected(value, "a program and its arguments, such as [\"notify-send\", \"symposium\"]");
    };
    let (mut command, mut mistakes) = (Vec::new(), Vec::new());
    for value in list.iter() {
        match value.get_ref().as_str() {
            // No program can be started with a NUL in an argument.
            Some(text) if text.contains('\0') => {
                mistakes.extend(wrong::<()>(value, "it contains a NUL").err())
            }
            Some("") if command.is_empty() => {
                mistakes.extend(wrong::<()>(value, "a program has a name").err())
            }
            Some(text) => command.push(text.to_owned()),
            None => mistakes.extend(expected::<()>(value, "text").err()),
        }
    }
    if mistakes.is_empty() { Ok(command) } else { Err(mistakes.into_iter().flatten().collect()) }
}

/// Parses a list of files and directories below the root of a project.
pub(super) fn paths(value: Value<'_, '_>) -> Read<Vec<String>> {
    each(value, "a list of files, such as [\".env\"]", |text| {
        bad_pattern(text).map_or(Ok(()), |why| Err(format!("`{}` {why}", text.escape_debug())))
    })
}

/// Parses a list of shell commands.
pub(super) fn lines(value: Value<'_, '_>) -> Read<Vec<String>> {
    each(value, "a list of commands, such as [\"npm ci\"]", |text| {
        let is_fine = !text.trim().is_empty() && !text.contains('\0');
        if is_fine { Ok(()) } else { Err("expected a command".to_owned()) }
    })
}

fn each(value: Value<'_, '_>, what: &str, check: impl Fn(&str) -> Result<(), String>) -> Read<Vec<String>> {
    let Some(list) = value.get_ref().as_array() else { return expected(value, what) };
    let (mut texts, mut mistakes) = (Vec::new(), Vec::new());
    for value in list.iter() {
        match value.get_ref().as_str().map(|text| (text, check(text))) {
            Some((text, Ok(()))) => texts.push(text.to_owned()),
            Some((_, Err(why))) => mistakes.extend(wrong::<()>(value, why).err()),
            None => mistakes.extend(expected::<()>(value, "text").err()),
        }
    }
    if mistakes.is_empty() { Ok(texts) } else { Err(mistakes.into_iter().flatten().collect()) }
}

/// Parses hours such as `"22:00-07:00"`; `""` means `None`.
pub(super) fn quiet_hours(value: Value<'_, '_>) -> Read<Option<QuietHours>> {
    let Some(text) = value.get_ref().as_str() else {
        return expected(value, "hours such as \"22:00-07:00\"");
    };
    if text.is_empty() {
        return Ok(None);
    }
    let hours = text.split_once('-').and_then(|(from, until)| Some((clock_time(from)?, clock_time(until)?)));
    match hours {
        Some((from, until)) if from == until => wrong(value, "these hours begin when they end"),
        Some((from, until)) => Ok(Some(QuietHours { from, until })),
        None => expected(value, "hours such as \"22:00-07:00\""),
    }
}

fn clock_time(text: &str) -> Option<ClockTime> {
    let (hour, minute) = text.trim().split_once(':')?;
    let digits = |text: &str| -> Option<u8> {
        let is_plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        is_plain.then(|| text.parse().ok())?
    };
    let (hour, minute) = (digits(hour)?, digits(minute).filter(|_| minute.len() == 2)?);
    (hour < 24 && minute < 60).then_some(ClockTime { hour, minute })
}
