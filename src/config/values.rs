//! Parses the values of `config.toml`: each function reads one value or reports an error with its position.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use crate::base::duration::parse_duration;
use crate::base::key_press::KeyPress;
use crate::base::source_text::LocatedMistake;
use crate::base::suggest::nearest;
use crate::model::{ClockTime, DashboardAction, QuietHours, RoleColors, ThemeColor, ThemeRole, bad_pattern};

pub(super) type TomlValue<'a, 't> = &'a Spanned<DeValue<'t>>;

/// Maximum duration: longer than any useful value, and short enough that adding it to a time does not overflow.
const MAX_DURATION: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

/// A value, or its errors at byte offsets of the text.
pub(super) type ValueResult<T> = Result<T, Vec<LocatedMistake<usize>>>;

pub(super) fn wrong<T>(value: TomlValue<'_, '_>, message: impl Into<String>) -> ValueResult<T> {
    Err(vec![LocatedMistake::new(value.span().start, message)])
}

/// Returns an error that names the expected and the actual value.
pub(super) fn expected<T>(value: TomlValue<'_, '_>, what: &str) -> ValueResult<T> {
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

pub(super) fn boolean(value: TomlValue<'_, '_>) -> ValueResult<bool> {
    value.get_ref().as_bool().map_or_else(|| expected(value, "`true` or `false`"), Ok)
}

pub(super) fn number(value: TomlValue<'_, '_>) -> ValueResult<u32> {
    let number = value.get_ref().as_integer();
    let number = number.and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
    number.map_or_else(|| expected(value, "a whole number, 0 or more"), Ok)
}

/// Parses a duration such as `"90s"`, `"10m"`, `"2h"`, `"7d"` or `"1h 30m"`.
pub(super) fn duration(value: TomlValue<'_, '_>) -> ValueResult<Duration> {
    let span = value.get_ref().as_str().and_then(parse_duration);
    match span {
        Some(span) if span > MAX_DURATION => wrong(value, "longer than ten years"),
        Some(span) => Ok(span),
        None => expected(value, "a time span such as \"90s\", \"10m\", \"2h\" or \"7d\""),
    }
}

/// Parses a duration, `false` for `None`, or `true` for the given default.
pub(super) fn duration_or_off(value: TomlValue<'_, '_>, usual: Duration) -> ValueResult<Option<Duration>> {
    match value.get_ref().as_bool() {
        Some(on) => Ok(on.then_some(usual)),
        None if value.get_ref().as_str().is_some() => duration(value).map(Some),
        None => expected(value, "`true`, `false` or a time span such as \"5m\""),
    }
}

/// Parses a duration with a minimum.
pub(super) fn duration_at_least(value: TomlValue<'_, '_>, shortest: Duration) -> ValueResult<Duration> {
    match duration(value)? {
        span if span < shortest => wrong(value, format!("shorter than {} s", shortest.as_secs())),
        span => Ok(span),
    }
}

/// Parses one of several keywords.
pub(super) fn word<T: Copy>(value: TomlValue<'_, '_>, words: &[(&str, T)]) -> ValueResult<T> {
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
pub(super) fn words<T: Copy + PartialEq>(
    value: TomlValue<'_, '_>,
    known: &[(&str, T)],
) -> ValueResult<Vec<T>> {
    let Some(list) = value.get_ref().as_array() else { return expected(value, "a list of words") };
    let (mut meant, mut mistakes) = (Vec::new(), Vec::new());
    for value in list.iter() {
        match word(value, known) {
            Ok(parsed) if !meant.contains(&parsed) => meant.push(parsed),
            Ok(_) => {}
            Err(wrong) => mistakes.extend(wrong),
        }
    }
    if mistakes.is_empty() { Ok(meant) } else { Err(mistakes) }
}

/// Parses a program: a name or a path.
pub(super) fn program(value: TomlValue<'_, '_>) -> ValueResult<String> {
    match value.get_ref().as_str() {
        Some(text) if !text.is_empty() && !text.contains('\0') => Ok(text.to_owned()),
        _ => expected(value, "a program, such as \"ssh\""),
    }
}

/// Parses a program with its arguments. An empty list means no program.
pub(super) fn command(value: TomlValue<'_, '_>) -> ValueResult<Vec<String>> {
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
                mistakes.extend(wrong::<()>(value, "the name of the program is empty").err())
            }
            Some(text) => command.push(text.to_owned()),
            None => mistakes.extend(expected::<()>(value, "text").err()),
        }
    }
    if mistakes.is_empty() { Ok(command) } else { Err(mistakes.into_iter().flatten().collect()) }
}

/// Parses `[dashboard.keys]`: the keys of actions, each a key or a list of keys.
pub(super) fn key_bindings(value: TomlValue<'_, '_>) -> ValueResult<Vec<(DashboardAction, Vec<KeyPress>)>> {
    let Some(table) = value.get_ref().as_table() else {
        return expected(value, "a table of actions and keys, such as `quit = \"q\"`");
    };
    let (mut bindings, mut mistakes) = (Vec::new(), Vec::new());
    for (name, keys) in table {
        match (name.get_ref().parse::<DashboardAction>(), key_presses(keys)) {
            (Ok(action), Ok(keys)) => bindings.push((action, keys)),
            (Err(()), _) => {
                let known = DashboardAction::ALL.iter().map(|action| action.name());
                let near = nearest(name.get_ref(), known).map(|near| format!("; did you mean `{near}`?"));
                let message = format!("there is no action `{}`", name.get_ref().escape_debug());
                let message = message + &near.unwrap_or_default();
                mistakes.push(LocatedMistake::new(name.span().start, message));
            }
            (_, Err(wrong)) => mistakes.extend(wrong),
        }
    }
    if mistakes.is_empty() { Ok(bindings) } else { Err(mistakes) }
}

fn key_presses(value: TomlValue<'_, '_>) -> ValueResult<Vec<KeyPress>> {
    let parsed = |value: TomlValue<'_, '_>| match value.get_ref().as_str().map(str::parse::<KeyPress>) {
        Some(Ok(press)) => Ok(press),
        Some(Err(why)) => wrong(value, why.to_string()),
        None => expected(value, "a key such as \"q\", or a list of keys"),
    };
    match value.get_ref().as_array() {
        Some(list) => list.iter().map(parsed).collect(),
        None => parsed(value).map(|press| vec![press]),
    }
}

/// Parses `[dashboard.colors]`: the colours of roles.
pub(super) fn role_colors(value: TomlValue<'_, '_>) -> ValueResult<RoleColors> {
    let Some(table) = value.get_ref().as_table() else {
        return expected(value, "a table of roles and colours, such as `accent = \"blue\"`");
    };
    let (mut colors, mut mistakes) = (RoleColors::default(), Vec::new());
    for (name, color) in table {
        match (ThemeRole::ALL.iter().find(|(known, _)| known == name.get_ref()), theme_color(color)) {
            (Some((_, role)), Ok(color)) => colors.set(*role, color),
            (None, _) => {
                let known = ThemeRole::ALL.map(|(known, _)| known);
                let message = format!(
                    "there is no colour `{}`; the colours are {}",
                    name.get_ref().escape_debug(),
                    known.join(", ")
                );
                mistakes.push(LocatedMistake::new(name.span().start, message));
            }
            (_, Err(wrong)) => mistakes.extend(wrong),
        }
    }
    if mistakes.is_empty() { Ok(colors) } else { Err(mistakes) }
}

fn theme_color(value: TomlValue<'_, '_>) -> ValueResult<ThemeColor> {
    let number = value.get_ref().as_integer().map(|number| number.as_str().to_owned());
    let text = value.get_ref().as_str().map(str::to_owned).or(number);
    match text.and_then(|text| text.parse().ok()) {
        Some(color) => Ok(color),
        None => expected(value, "a colour such as \"blue\", \"bright-blue\", 111 or \"#87afff\""),
    }
}

/// Parses a list of files and directories below the root of a project.
pub(super) fn paths(value: TomlValue<'_, '_>) -> ValueResult<Vec<String>> {
    each(value, "a list of files, such as [\".env\"]", |text| {
        bad_pattern(text).map_or(Ok(()), |why| Err(format!("`{}` {why}", text.escape_debug())))
    })
}

/// Parses a list of shell commands.
pub(super) fn lines(value: TomlValue<'_, '_>) -> ValueResult<Vec<String>> {
    each(value, "a list of commands, such as [\"npm ci\"]", |text| {
        let is_fine = !text.trim().is_empty() && !text.contains('\0');
        if is_fine { Ok(()) } else { Err("expected a command".to_owned()) }
    })
}

fn each(
    value: TomlValue<'_, '_>,
    what: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> ValueResult<Vec<String>> {
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
pub(super) fn quiet_hours(value: TomlValue<'_, '_>) -> ValueResult<Option<QuietHours>> {
    let Some(text) = value.get_ref().as_str() else {
        return expected(value, "hours such as \"22:00-07:00\"");
    };
    if text.is_empty() {
        return Ok(None);
    }
    let hours = text.split_once('-').and_then(|(from, until)| Some((clock_time(from)?, clock_time(until)?)));
    match hours {
        Some((from, until)) if from == until => wrong(value, "the first and the last hour are the same"),
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
