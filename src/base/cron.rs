//! Five-field cron expressions: the minutes, hours, days, months and weekdays they match. `rules/tasks/heartbeat.rs` converts
//! them to instants in a time zone.
//!
//! The syntax is that of vixie cron: `*`, lists, ranges, steps, names of months and weekdays. Sunday is 0 and 7. If
//! both days of the month and weekdays are given, a match of either is enough. `@daily` and similar names stand for
//! their five fields.

use std::str::FromStr;

use jiff::civil::Date;

/// A parsed cron expression. Each set of values is stored as a bit mask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    every_hour: bool,
    any_day: bool,
    any_weekday: bool,
}

/// Why a text is not a valid cron expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCron {
    /// The expression has fewer or more than five fields.
    #[error("it has {0} fields, not five (minute hour day month weekday)")]
    Fields(usize),
    /// One of the fields is invalid.
    #[error("`{text}` cannot be the {field} ({from}-{to})")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// The invalid part of the field.
        text: String,
        /// Smallest value that the field allows.
        from: u32,
        /// Largest value that the field allows.
        to: u32,
    },
    /// The expression names only days that no year has, such as 30 February.
    #[error("there is no such day in any year")]
    Never,
}

/// Name and value range of one of the five fields.
struct Field {
    name: &'static str,
    from: u32,
    to: u32,
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: [Field; 5] = [
    Field { name: "minute", from: 0, to: 59, names: &[] },
    Field { name: "hour", from: 0, to: 23, names: &[] },
    Field { name: "day", from: 1, to: 31, names: &[] },
    Field { name: "month", from: 1, to: 12, names: MONTHS },
    Field { name: "weekday", from: 0, to: 7, names: WEEKDAYS },
];
/// The maximum number of days of each month, from January.
const MAX_DAYS_OF_MONTH: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Cron {
    /// Returns whether the expression matches this day.
    pub fn is_on(&self, date: Date) -> bool {
        let day = has(self.days, unsigned(date.day()));
        let weekday = has(self.weekdays, unsigned(date.weekday().to_sunday_zero_offset()));
        let either = if self.any_day || self.any_weekday { day && weekday } else { day || weekday };
        has(self.months, unsigned(date.month())) && either
    }

    /// Returns the hours and minutes that match on a matching day, in order.
    pub fn times(&self) -> impl Iterator<Item = (i8, i8)> {
        (0..24i8).filter(|hour| has(self.hours, unsigned(*hour))).flat_map(|hour| {
            let minutes = (0..60i8).filter(|minute| has(self.minutes, unsigned(*minute)));
            minutes.map(move |minute| (hour, minute))
        })
    }

    /// Returns whether the hour field is `*`, so that the expression follows elapsed hours and not hours of the day.
    pub fn is_every_hour(&self) -> bool {
        self.every_hour
    }
}

impl FromStr for Cron {
    type Err = InvalidCron;

    fn from_str(text: &str) -> Result<Cron, InvalidCron> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            text => text,
        };
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = parts[..] else {
            return Err(InvalidCron::Fields(parts.len()));
        };
        let [minute, hour, day, month, weekday] = &FIELDS;
        let on = weekday.set(weekdays)?;
        let cron = Cron {
            minutes: minute.set(minutes)?,
            hours: hour.set(hours)?,
            days: day.set(days)?,
            months: month.set(months)?,
            // Sunday is both 0 and 7.
            weekdays: (on | on >> 7) & 0x7f,
            every_hour: hours == "*",
            any_day: days.starts_with('*'),
            any_weekday: weekdays.starts_with('*'),
        };
        let exists = |at: usize| {
            has(cron.months, at as u32 + 1) && cron.days.trailing_zeros() <= MAX_DAYS_OF_MONTH[at]
        };
        if cron.any_weekday && !(0..12).any(exists) {
            return Err(InvalidCron::Never);
        }
        Ok(cron)
    }
}

impl Field {
    fn set(&self, text: &str) -> Result<u64, InvalidCron> {
        text.split(',').try_fold(0, |set, part| Ok(set | self.part(part).ok_or_else(|| self.wrong(part))?))
    }

    /// Parses `*`, `3` or `3-9`, each optionally followed by a step such as `/2`.
    fn part(&self, text: &str) -> Option<u64> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => (range, Some(number(step).filter(|step| *step > 0)?)),
            None => (text, None),
        };
        let (from, to) = match (range, range.split_once('-')) {
            ("*", _) => (self.from, self.to),
            (_, Some((from, to))) => (self.value(from)?, self.value(to)?),
            (value, None) if step.is_some() => (self.value(value)?, self.to),
            (value, None) => (self.value(value)?, self.value(value)?),
        };
        let values = (from..=to).step_by(step.unwrap_or(1) as usize);
        (from <= to).then(|| values.fold(0, |set, value| set | 1 << value))
    }

    fn value(&self, text: &str) -> Option<u32> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let value = match named {
            Some(at) => self.from + at as u32,
            None => number(text)?,
        };
        (self.from..=self.to).contains(&value).then_some(value)
    }

    fn wrong(&self, text: &str) -> InvalidCron {
        InvalidCron::Field { field: self.name, text: text.to_owned(), from: self.from, to: self.to }
    }
}

/// Parses decimal digits. A sign is not allowed, because cron has none.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn has(set: u64, value: u32) -> bool {
    set & 1 << value != 0
}

fn unsigned(value: i8) -> u32 {
    u32::from(value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn days(text: &str) -> Vec<i8> {
        let cron: Cron = text.parse().unwrap();
        // February 2026 begins on a Sunday.
        (1..=28).filter(|day| cron.is_on(date(2026, 2, *day))).collect()
    }

    fn times(text: &str) -> Vec<(i8, i8)> {
        text.parse::<Cron>().unwrap().times().collect()
    }

    #[test]
    fn lists_ranges_steps_and_names_are_parsed() {
        for (text, expected) in [
            ("0 9 * * *", vec![(9, 0)]),
            ("5,35 8-9 * * *", vec![(8, 5), (8, 35), (9, 5), (9, 35)]),
            ("*/30 7 * * *", vec![(7, 0), (7, 30)]),
            ("10-30/10 7 * * *", vec![(7, 10), (7, 20), (7, 30)]),
            ("25/20 7 * * *", vec![(7, 25), (7, 45)]),
            (" 0\t22-23  * * * ", vec![(22, 0), (23, 0)]),
            ("@daily", vec![(0, 0)]),
        ] {
            assert_eq!(times(text), expected, "{text}");
        }
        assert_eq!(times("* * * * *").len(), 24 * 60);
        assert_eq!(times("@hourly").len(), 24);
    }

    #[test]
    fn days_are_those_of_vixie_cron() {
        for (text, expected) in [
            ("0 9 * * 1-5", vec![2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27]),
            ("0 9 * * 0", vec![1, 8, 15, 22]),
            ("0 9 * * 7", vec![1, 8, 15, 22]),
            ("0 9 * * sun", vec![1, 8, 15, 22]),
            ("0 9 * * 5-7", vec![1, 6, 7, 8, 13, 14, 15, 20, 21, 22, 27, 28]),
            ("0 9 * * Mon,FRI", vec![2, 6, 9, 13, 16, 20, 23, 27]),
            ("0 9 3 * sun", vec![1, 3, 8, 15, 22]),
            ("0 9 */14 * sun", vec![1, 15]),
            ("0 9 * jan-mar sun", vec![1, 8, 15, 22]),
            ("0 9 * 3 sun", vec![]),
            ("@monthly", vec![1]),
        ] {
            assert_eq!(days(text), expected, "{text}");
        }
    }

    #[test]
    fn unsupported_cron_syntax_is_refused_with_the_field() {
        for (text, expected) in [
            ("", "it has 0 fields, not five (minute hour day month weekday)"),
            ("0 9 * *", "it has 4 fields, not five (minute hour day month weekday)"),
            ("* * * * * *", "it has 6 fields, not five (minute hour day month weekday)"),
            ("60 * * * *", "`60` cannot be the minute (0-59)"),
            ("0 24 * * *", "`24` cannot be the hour (0-23)"),
            ("0 9 0 * *", "`0` cannot be the day (1-31)"),
            ("0 9 * jänner *", "`jänner` cannot be the month (1-12)"),
            ("0 9 * * fri-mon", "`fri-mon` cannot be the weekday (0-7)"),
            ("*/0 * * * *", "`*/0` cannot be the minute (0-59)"),
            ("1,,2 * * * *", "`` cannot be the minute (0-59)"),
            ("+5 * * * *", "`+5` cannot be the minute (0-59)"),
            ("1-2-3 * * * *", "`1-2-3` cannot be the minute (0-59)"),
            ("0 0 30 2 *", "there is no such day in any year"),
            ("0 0 31 4,6,9,11 *", "there is no such day in any year"),
            ("@reboot", "it has 1 fields, not five (minute hour day month weekday)"),
        ] {
            let why = text.parse::<Cron>().unwrap_err().to_string();
            assert_eq!(why, expected, "{text}");
        }
        assert!("0 0 29 2 *".parse::<Cron>().is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_refused(text in "[-0-9a-z*/, ]{0,30}") {
            if let Ok(cron) = text.parse::<Cron>() {
                prop_assert!(cron.times().next().is_some());
            }
        }
    }
}
