//! Limits notices: a maximum number per minute, and only the user's command in quiet hours.

use std::collections::VecDeque;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::model::{Channels, ClockTime, Desktop, Notice, Notify, NotifyOn, QuietHours, Urgency};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Lets a limited number of notices per minute through and counts the others.
#[derive(Debug, Clone)]
pub struct RateLimiter {
    per_minute: u32,
    sent: VecDeque<Timestamp>,
    suppressed: u32,
    last_held: Option<Notice>,
}

/// Whether a notice may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// The notice may be sent.
    Yes {
        /// Number of notices that were held back before it.
        suppressed: u32,
    },
    /// The notice is held back.
    No,
}

impl RateLimiter {
    /// Creates a limiter that has sent nothing yet.
    pub fn new(per_minute: u32) -> RateLimiter {
        RateLimiter { per_minute, sent: VecDeque::new(), suppressed: 0, last_held: None }
    }

    /// Changes the limit.
    pub fn set(&mut self, per_minute: u32) {
        self.per_minute = per_minute;
    }

    /// Requests permission for one notice, and counts it if it is granted.
    fn allow(&mut self, now: Timestamp) -> Permit {
        // Times in the future were recorded before the clock was set back; they must not suppress notices until then.
        self.sent.retain(|at| *at <= now && now.duration_since(*at) < MINUTE);
        if self.sent.len() >= self.per_minute as usize {
            return Permit::No;
        }
        self.sent.push_back(now);
        self.last_held = None;
        Permit::Yes { suppressed: std::mem::take(&mut self.suppressed) }
    }

    /// Requests permission for one notice about `on`. A notice that requires an action of the user is never held back.
    pub fn allow_notice(&mut self, on: NotifyOn, now: Timestamp) -> Permit {
        match self.allow(now) {
            Permit::No if matches!(on, NotifyOn::GaveUp | NotifyOn::Waiting) => Permit::Yes { suppressed: 0 },
            permit => permit,
        }
    }

    /// Counts a notice that was not sent.
    pub fn hold_back(&mut self, notice: Notice) {
        self.suppressed = self.suppressed.saturating_add(1);
        self.last_held = Some(notice);
    }

    /// Returns when the held-back notices can be reported; `None` if there are none or the limit is 0.
    pub fn next_permit_at(&self, now: Timestamp) -> Option<Timestamp> {
        if self.suppressed == 0 || self.per_minute == 0 {
            return None;
        }
        let mut recent =
            self.sent.iter().filter(|at| **at <= now && now.duration_since(**at) < MINUTE).copied();
        let full = recent.clone().count() >= self.per_minute as usize;
        Some(recent.next().filter(|_| full).map_or(now, |oldest| oldest + MINUTE))
    }

    /// Returns one notice about all held-back notices once the limit allows it, because a later notice may never come.
    pub fn take_held_back(&mut self, now: Timestamp) -> Option<Notice> {
        self.next_permit_at(now).filter(|at| *at <= now)?;
        let last = self.last_held.take()?;
        let Permit::Yes { suppressed } = self.allow(now) else { return None };
        let title = match suppressed {
            1 => "1 notice was held back".to_owned(),
            many => format!("{many} notices were held back"),
        };
        let body = match last.body.as_str() {
            "" => format!("the last: {}", last.title),
            body => format!("the last: {}: {body}", last.title),
        };
        Some(Notice { title, body, urgency: Urgency::Low, ..last })
    }
}

/// Returns the channels that are active now.
pub fn channels(config: &Notify, now: Timestamp, zone: &TimeZone) -> Channels {
    let local = zone.to_datetime(now).time();
    let clock = ClockTime { hour: local.hour().unsigned_abs(), minute: local.minute().unsigned_abs() };
    let loud = !config.quiet_hours.is_some_and(|hours| is_quiet(hours, clock));
    Channels {
        command: !config.command.is_empty(),
        desktop: loud && config.desktop == Desktop::Auto,
        status_line: loud && config.status_line,
        bell: loud && config.bell,
        network: loud,
    }
}

fn is_quiet(hours: QuietHours, clock: ClockTime) -> bool {
    let QuietHours { from, until } = hours;
    if from <= until { from <= clock && clock < until } else { from <= clock || clock < until }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Config;
    use crate::rules::status::decide::tests::at;

    fn clock(hour: u8, minute: u8) -> ClockTime {
        ClockTime { hour, minute }
    }

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let night = QuietHours { from: clock(22, 30), until: clock(7, 0) };
        let noon = QuietHours { from: clock(12, 0), until: clock(13, 0) };
        let never = QuietHours { from: clock(8, 0), until: clock(8, 0) };
        for (hours, hour, minute, quiet) in [
            (night, 22, 29, false),
            (night, 22, 30, true),
            (night, 0, 0, true),
            (night, 6, 59, true),
            (night, 7, 0, false),
            (noon, 11, 59, false),
            (noon, 12, 0, true),
            (noon, 13, 0, false),
            (never, 8, 0, false),
            (never, 20, 0, false),
        ] {
            assert_eq!(is_quiet(hours, clock(hour, minute)), quiet, "{hours:?} {hour}:{minute}");
        }
    }

    #[test]
    fn in_quiet_hours_only_the_command_gets_notices() {
        let config = Notify {
            command: vec!["tell".into()],
            bell: true,
            quiet_hours: Some(QuietHours { from: clock(22, 0), until: clock(7, 0) }),
            ..Config::default().notify
        };
        let evening: Timestamp = "2026-03-02T21:30:00Z".parse().unwrap();
        let all = Channels { command: true, desktop: true, status_line: true, bell: true, network: true };
        assert_eq!(channels(&config, evening, &TimeZone::UTC), all);
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        assert_eq!(channels(&config, evening, &berlin), Channels { command: true, ..Channels::default() });
        let bare = Notify { desktop: Desktop::Off, status_line: false, ..Config::default().notify };
        assert_eq!(channels(&bare, evening, &berlin), Channels { network: true, ..Channels::default() });
    }

    #[test]
    fn suppressed_notices_are_counted() {
        let mut limiter = RateLimiter::new(2);
        let answers = [0, 1, 2, 59, 60, 60, 62].map(|second| {
            let answer = limiter.allow(at(1000 + second));
            if answer == Permit::No {
                limiter.hold_back(notice("a is done"));
            }
            answer
        });
        use Permit::*;
        let yes = |suppressed| Yes { suppressed };
        assert_eq!(answers, [yes(0), yes(0), No, No, yes(2), No, yes(1)]);
        assert_eq!(limiter.allow(at(5)), yes(0));
        assert_eq!(RateLimiter::new(0).allow(at(5)), No);
        assert_eq!(RateLimiter::new(0).allow_notice(NotifyOn::Waiting, at(5)), yes(0));
        assert_eq!(RateLimiter::new(0).allow_notice(NotifyOn::Finished, at(5)), No);
    }

    #[test]
    fn suppressed_notice_is_sent_once_when_the_limit_allows_it() {
        let mut limiter = RateLimiter::new(1);
        limiter.allow(at(1000));
        assert_eq!((limiter.next_permit_at(at(1001)), limiter.take_held_back(at(1100))), (None, None));
        limiter.allow(at(1100));
        limiter.hold_back(notice("a is done"));
        limiter.hold_back(notice("b is done"));
        assert_eq!(
            (limiter.next_permit_at(at(1101)), limiter.take_held_back(at(1101))),
            (Some(at(1160)), None)
        );
        assert_eq!(limiter.take_held_back(at(1159)), None);
        let rest = limiter.take_held_back(at(1160)).unwrap();
        assert_eq!(
            (rest.title.as_str(), rest.body.as_str()),
            ("2 notices were held back", "the last: b is done: x")
        );
        assert_eq!((limiter.next_permit_at(at(1161)), limiter.take_held_back(at(9999))), (None, None));
        assert_eq!(limiter.allow(at(1161)), Permit::No, "it counts as one");
        limiter.hold_back(notice("a is done"));
        assert_eq!(
            limiter.next_permit_at(at(5)),
            Some(at(5)),
            "a clock that was set back does not suppress notices"
        );
        limiter.set(0);
        assert_eq!(limiter.next_permit_at(at(9999)), None);
    }

    fn notice(title: &str) -> Notice {
        let agent: crate::model::AgentName = "a".parse().unwrap();
        let (on, agents) = (crate::model::NotifyOn::Finished, vec![agent.clone()]);
        Notice {
            title: title.into(),
            body: "x".into(),
            urgency: Urgency::Normal,
            agent: Some(agent),
            agents,
            on,
            at: at(0),
        }
    }

    proptest! {
        #[test]
        fn the_rate_limit_holds_in_any_minute(mut steps in prop::collection::vec(0i64..20, 1..200), most in 0u32..5) {
            let mut limiter = RateLimiter::new(most);
            let mut now = 1000;
            let mut sent: Vec<i64> = Vec::new();
            for step in steps.drain(..) {
                now += step;
                if matches!(limiter.allow(at(now)), Permit::Yes { .. }) {
                    sent.push(now);
                }
                prop_assert!(sent.iter().filter(|at| now - **at < 60).count() <= most as usize);
            }
        }
    }
}
