//! Decides when a heartbeat is due. Of several missed heartbeats only the latest counts.
//!
//! A cron schedule is in local time. If the clock jumps forward, a time of day that does not exist is shifted by the
//! length of the jump; if it goes back, a repeated time of day counts once; an hourly schedule follows elapsed hours.

use jiff::civil::Date;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::model::{Cron, Heartbeat, Schedule};

/// Search limit in days: a 29 February that must be a certain weekday occurs within 40 years.
const HORIZON_DAYS: usize = 366 * 41;

/// Returns the heartbeat that is due: the latest one that was missed.
pub fn due(heartbeat: &Heartbeat, born: Timestamp, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let last = heartbeat.last.unwrap_or(born);
    match &heartbeat.schedule {
        Schedule::Every(seconds) => {
            let every = period(*seconds)?;
            let passed = now.duration_since(last);
            if passed <= -every {
                return Some(now);
            }
            let since_last_heartbeat =
                SignedDuration::new(passed.as_secs() % every.as_secs(), passed.subsec_nanos());
            (passed >= every).then(|| now - since_last_heartbeat)
        }
        Schedule::Cron(text) => {
            let cron: Cron = text.parse().ok()?;
            let latest = before(&cron, now, zone)?;
            // A last heartbeat after the next one shows that the clock was set back; a last heartbeat equal to the next
            // one may be clock skew.
            let is_set_back = || after(&cron, now, zone).is_some_and(|next| last > next);
            (latest > last || is_set_back()).then_some(latest)
        }
    }
}

/// Returns when to check the heartbeat again; a time in the past means at once.
pub fn next(heartbeat: &Heartbeat, born: Timestamp, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(due) = due(heartbeat, born, now, zone) {
        return Some(due);
    }
    let last = heartbeat.last.unwrap_or(born);
    match &heartbeat.schedule {
        Schedule::Every(seconds) => last.checked_add(period(*seconds)?).ok(),
        // `due` returned `None`, so a last heartbeat in the future is at most the next one, which was already queued.
        Schedule::Cron(text) => after(&text.parse().ok()?, last.max(now), zone),
    }
}

fn period(seconds: u64) -> Option<SignedDuration> {
    let seconds = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Some(SignedDuration::from_secs(seconds))
}

/// Returns the first scheduled time after a moment.
fn after(cron: &Cron, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // Start a day early: a time that was shifted by a clock change may belong to the previous day.
    let first = zone.to_datetime(moment).date().yesterday().ok()?;
    let days = first.series(1.day()).take(HORIZON_DAYS).filter(|date| cron.is_on(*date));
    days.flat_map(|date| times_of_day(cron, date, zone)).find(|found| *found > moment)
}

/// Returns the last scheduled time that is not after a moment.
fn before(cron: &Cron, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let last = zone.to_datetime(moment).date();
    let days = last.series(-1.day()).take(HORIZON_DAYS).filter(|date| cron.is_on(*date));
    days.flat_map(|date| times_of_day(cron, date, zone).into_iter().rev()).find(|found| *found <= moment)
}

/// Returns the scheduled times of one day, in order.
fn times_of_day(cron: &Cron, date: Date, zone: &TimeZone) -> Vec<Timestamp> {
    let mut moments = Vec::new();
    for (hour, minute) in cron.times() {
        let ambiguous = zone.to_ambiguous_timestamp(date.at(hour, minute, 0, 0));
        match ambiguous.offset() {
            AmbiguousOffset::Gap { .. } if cron.is_every_hour() => {}
            AmbiguousOffset::Fold { .. } if cron.is_every_hour() => {
                moments.extend([ambiguous.earlier(), ambiguous.later()].into_iter().flatten());
            }
            _ => moments.extend(ambiguous.compatible()),
        }
    }
    moments.sort_unstable();
    moments.dedup();
    moments
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Time zones are given as rules, so that the test does not depend on a zone database.
    const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";
    const ZONES: [&str; 5] = [
        "UTC0",
        NEW_YORK,
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
        "<+0545>-5:45",
    ];

    fn zone(rule: &str) -> TimeZone {
        TimeZone::posix(rule).unwrap()
    }

    fn cron(text: &str, last: Option<Timestamp>) -> Heartbeat {
        Heartbeat { schedule: Schedule::Cron(text.into()), prompt: "look".into(), last }
    }

    fn every(seconds: u64, last: Option<i64>) -> Heartbeat {
        Heartbeat { schedule: Schedule::Every(seconds), prompt: "look".into(), last: last.map(at) }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Returns the first heartbeats after a moment in local time.
    fn beats(text: &str, from: &str, count: usize) -> Vec<String> {
        let zone = zone(NEW_YORK);
        let first = after(&text.parse().unwrap(), time(from), &zone);
        let all = std::iter::successors(first, |last| after(&text.parse().unwrap(), *last, &zone));
        all.take(count)
            .map(|beat| beat.to_zoned(zone.clone()).strftime("%m-%d %H:%M%z").to_string())
            .collect()
    }

    #[test]
    fn interval_counts_from_the_last_heartbeat_or_the_spawn() {
        // Every, last, created, now, due.
        for (seconds, last, now, expected) in [
            (60, None, 159, None),
            (60, None, 160, Some(160)),
            (60, None, 1000, Some(1000)),
            (60, None, 1030, Some(1000)),
            (60, Some(200), 250, None),
            (60, Some(200), 265, Some(260)),
            (60, Some(500), 450, None),
            (60, Some(500), 400, Some(400)),
            (0, None, 1000, None),
            (u64::MAX, None, 1000, None),
        ] {
            let beat = every(seconds, last);
            assert_eq!(
                due(&beat, at(100), at(now), &TimeZone::UTC),
                expected.map(at),
                "{seconds} {last:?} {now}"
            );
        }
        assert_eq!(next(&every(60, Some(200)), at(100), at(210), &TimeZone::UTC), Some(at(260)));
        assert_eq!(next(&every(60, Some(200)), at(100), at(900), &TimeZone::UTC), Some(at(860)));
    }

    #[test]
    fn only_the_latest_missed_heartbeat_is_due() {
        let utc = TimeZone::UTC;
        let born = time("2026-03-02T00:00:00Z");
        let now = time("2026-03-09T08:59:00Z");
        let friday = time("2026-03-06T09:00:00Z");
        assert_eq!(due(&cron("0 9 * * 1-5", None), born, now, &utc), Some(friday));
        let heartbeat = cron("0 9 * * 1-5", Some(friday));
        assert_eq!(due(&heartbeat, born, now, &utc), None);
        assert_eq!(next(&heartbeat, born, now, &utc), Some(time("2026-03-09T09:00:00Z")));
        assert_eq!(
            due(&heartbeat, born, time("2026-03-09T09:00:00Z"), &utc),
            Some(time("2026-03-09T09:00:00Z"))
        );
    }

    #[test]
    fn heartbeat_due_before_the_spawn_is_not_missed() {
        let born = time("2026-03-02T09:30:00Z");
        assert_eq!(due(&cron("0 9 * * *", None), born, time("2026-03-02T10:00:00Z"), &TimeZone::UTC), None);
    }

    #[test]
    fn clock_set_back_by_months_does_not_stop_heartbeats() {
        let utc = TimeZone::UTC;
        let ahead = cron("0 9 * * *", Some(time("2026-09-01T09:00:00Z")));
        let now = time("2026-03-02T10:00:00Z");
        assert_eq!(due(&ahead, at(0), now, &utc), Some(time("2026-03-02T09:00:00Z")));
        let skewed = cron("0 9 * * *", Some(time("2026-03-02T10:00:01Z")));
        assert_eq!(due(&skewed, at(0), now, &utc), None);
    }

    #[test]
    fn clock_set_back_by_a_day_skips_at_most_one_heartbeat() {
        let utc = TimeZone::UTC;
        // Schedule, last heartbeat, now, the heartbeat that is due, next check.
        for (text, last, now, expected, wake) in [
            ("* * * * *", "02T10:00:00", "01T10:00:30", Some("01T10:00:00"), "01T10:00:00"),
            ("0 * * * *", "02T10:00:00", "01T10:00:30", Some("01T10:00:00"), "01T10:00:00"),
            ("0 9 * * *", "02T09:00:00", "01T09:00:30", None, "03T09:00:00"),
            ("* * * * *", "02T10:00:00", "02T09:59:59", None, "02T10:01:00"),
        ] {
            let full = |text: &str| time(&format!("2026-03-{text}Z"));
            let beat = cron(text, Some(full(last)));
            assert_eq!(due(&beat, at(0), full(now), &utc), expected.map(full), "{text} {last} {now}");
            assert_eq!(next(&beat, at(0), full(now), &utc), Some(full(wake)), "{text} {last} {now}");
        }
    }

    #[test]
    fn a_skipped_local_time_runs_later_and_never_twice() {
        // On 8 March 2026 New York goes from 02:00 to 03:00.
        for (text, expected) in [
            ("30 2 * * *", ["03-07 02:30-0500", "03-08 03:30-0400", "03-09 02:30-0400"]),
            ("30 1 * * *", ["03-07 01:30-0500", "03-08 01:30-0500", "03-09 01:30-0400"]),
            ("10,50 2 8 3 *", ["03-08 03:10-0400", "03-08 03:50-0400", "03-08 02:10-0500"]),
        ] {
            assert_eq!(beats(text, "2026-03-07T06:00:00Z", 3), expected, "{text}");
        }
        let hourly = ["03-08 01:30-0500", "03-08 03:30-0400", "03-08 04:30-0400"];
        assert_eq!(beats("30 * * * *", "2026-03-08T06:00:00Z", 3), hourly);
        let sparse = ["03-08 01:00-0500", "03-08 03:00-0400", "03-09 01:00-0400"];
        assert_eq!(beats("0 1,3 * * *", "2026-03-08T05:00:00Z", 3), sparse);
    }

    #[test]
    fn a_repeated_local_time_runs_once_and_every_hour_counts() {
        // On 1 November 2026 New York goes from 02:00 back to 01:00.
        let daily = ["11-01 01:30-0400", "11-02 01:30-0500", "11-03 01:30-0500"];
        assert_eq!(beats("30 1 * * *", "2026-11-01T04:00:00Z", 3), daily);
        let hourly = ["11-01 01:30-0400", "11-01 01:30-0500", "11-01 02:30-0500"];
        assert_eq!(beats("30 * * * *", "2026-11-01T05:00:00Z", 3), hourly);
    }

    #[test]
    fn a_leap_day_is_found_years_ahead() {
        assert_eq!(beats("0 0 29 2 *", "2026-03-01T12:00:00Z", 2), ["02-29 00:00-0500", "02-29 00:00-0500"]);
    }

    #[test]
    fn an_invalid_schedule_is_never_due() {
        assert_eq!(due(&cron("not cron", None), at(0), at(9), &TimeZone::UTC), None);
        assert_eq!(next(&cron("not cron", None), at(0), at(9), &TimeZone::UTC), None);
    }

    proptest! {
        #[test]
        fn next_and_previous_times_agree(
            from in 1_700_000_000i64..1_900_000_000,
            text in prop::sample::select(vec!["* * * * *", "*/7 2 * * *", "30 1,2,3 * * 0", "0 9 1 * 1-5", "15 */6 * 2-3 *"]),
            place in prop::sample::select(ZONES.to_vec()),
        ) {
            let (zone, cron): (_, Cron) = (zone(place), text.parse().unwrap());
            let found = after(&cron, at(from), &zone).unwrap();
            prop_assert!(found > at(from));
            prop_assert_eq!(before(&cron, found, &zone), Some(found));
            let earlier = before(&cron, found - SignedDuration::from_secs(1), &zone).unwrap();
            prop_assert!(earlier <= at(from));
        }

        #[test]
        fn queued_heartbeat_is_not_due_again(last in 0i64..10_000, now in 0i64..10_000, seconds in 1u64..500) {
            if let Some(beat) = due(&every(seconds, Some(last)), at(0), at(now), &TimeZone::UTC) {
                prop_assert!(beat <= at(now));
                let heartbeat = Heartbeat { last: Some(beat), ..every(seconds, None) };
                prop_assert_eq!(due(&heartbeat, at(0), at(now), &TimeZone::UTC), None);
            }
        }
    }
}
