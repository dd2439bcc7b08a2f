//! Decides whether a supervisor makes progress. It writes a sign of life at least once per reconciliation; a process
//! that is stopped, or that hangs in one of its stages, keeps its lock and its pid and writes nothing any more.
//!
//! Times are readings of the monotonic clock, which neither jumps when the time of day is set nor counts the time that
//! the machine was suspended.

use std::time::Duration;

/// Number of regular reconciliations that a supervisor may miss.
const MAX_MISSED_CHECKS: u32 = 3;
/// Minimum time that a running process is given, because one stage may wait several times for a tmux server that does
/// not answer.
const MIN_SILENCE: Duration = Duration::from_secs(30);

/// A sign of life of a supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignOfLife {
    /// Process id of the supervisor that wrote it.
    pub pid: i32,
    /// Reading of the monotonic clock at that time.
    pub at: Duration,
}

impl SignOfLife {
    /// Parses a line written by [`SignOfLife::to_line`]; returns `None` for anything else.
    pub fn parse(line: &str) -> Option<SignOfLife> {
        let (pid, at) = line.trim_end().split_once(' ')?;
        Some(SignOfLife { pid: pid.parse().ok()?, at: Duration::from_millis(at.trim_start().parse().ok()?) })
    }

    /// Formats the sign as a line of fixed length, so that overwriting it needs no space on a full disk.
    pub fn to_line(self) -> String {
        format!("{:<10} {:>20}\n", self.pid, self.at.as_millis())
    }
}

/// Whether a process is stopped, for example by SIGSTOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// The process can run.
    Runnable,
    /// The process is stopped (state T).
    Stopped,
}

/// Health of a supervisor that holds its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulse {
    /// The supervisor makes progress, or started too recently to be judged.
    Alive,
    /// The process is stopped.
    Stopped,
    /// The supervisor has written no sign of life for this time, which is too long.
    Silent(Duration),
}

/// Judges a supervisor from a single observation, as `status` and `doctor` do.
pub fn judge_supervisor(
    state: ProcessState,
    sign: Option<SignOfLife>,
    now: Duration,
    every: Duration,
) -> Pulse {
    if state == ProcessState::Stopped {
        return Pulse::Stopped;
    }
    let silence = sign.map_or(Duration::ZERO, |sign| now.saturating_sub(sign.at));
    if silence > (every * MAX_MISSED_CHECKS).max(MIN_SILENCE) { Pulse::Silent(silence) } else { Pulse::Alive }
}

/// Judges a supervisor from repeated checks, as the process that keeps it running does. It counts checks instead of
/// time, so that after a pause of the whole machine the supervisor gets the same number of intervals as the checking
/// process.
#[derive(Debug, Default)]
pub struct SilenceCounter {
    unchanged: Option<(SignOfLife, u32, Duration)>,
}

impl SilenceCounter {
    /// Records one check, and returns whether the supervisor has been silent long enough to be ended.
    pub fn observe(&mut self, state: ProcessState, sign: Option<SignOfLife>, now: Duration) -> bool {
        let Some(sign) = sign else {
            self.unchanged = None;
            return false;
        };
        let (looks, since) = match self.unchanged {
            Some((before, looks, since)) if before == sign => (looks + 1, since),
            _ => (0, now),
        };
        self.unchanged = Some((sign, looks, since));
        let is_long = state == ProcessState::Stopped || now.saturating_sub(since) >= MIN_SILENCE;
        looks >= MAX_MISSED_CHECKS && is_long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn sign(at: u64) -> Option<SignOfLife> {
        Some(SignOfLife { pid: 7, at: seconds(at) })
    }

    #[test]
    fn stopped_and_silent_supervisors_are_recognised() {
        use ProcessState::{Runnable, Stopped};
        assert_eq!(judge_supervisor(Stopped, sign(100), seconds(100), MINUTE), Pulse::Stopped);
        assert_eq!(judge_supervisor(Runnable, sign(100), seconds(279), MINUTE), Pulse::Alive);
        assert_eq!(judge_supervisor(Runnable, sign(100), seconds(281), MINUTE), Pulse::Silent(seconds(181)));
        assert_eq!(
            judge_supervisor(Runnable, None, seconds(281), MINUTE),
            Pulse::Alive,
            "one of an older version"
        );
        assert_eq!(judge_supervisor(Runnable, sign(100), seconds(129), seconds(1)), Pulse::Alive);
        // The sign was written before the machine was restarted.
        assert_eq!(judge_supervisor(Runnable, sign(9999), seconds(5), MINUTE), Pulse::Alive);
    }

    #[test]
    fn the_watchdog_acts_after_three_checks_without_progress() {
        let mut counter = SilenceCounter::default();
        let mut look = |state, at, now| counter.observe(state, sign(at), seconds(now));
        for now in [10, 70, 130] {
            assert!(!look(ProcessState::Runnable, 5, now), "{now}");
        }
        assert!(!look(ProcessState::Runnable, 135, 190), "it came back");
        for now in [250, 310] {
            assert!(!look(ProcessState::Runnable, 135, now), "{now}");
        }
        assert!(look(ProcessState::Runnable, 135, 370));
    }

    #[test]
    fn short_checks_end_a_stopped_process_but_not_a_running_one() {
        let mut stopped = SilenceCounter::default();
        let ended: Vec<bool> =
            (0..5).map(|now| stopped.observe(ProcessState::Stopped, sign(0), seconds(now))).collect();
        assert_eq!(ended, [false, false, false, true, true]);
        let mut busy = SilenceCounter::default();
        let ended = (0..60).find(|now| busy.observe(ProcessState::Runnable, sign(0), seconds(*now)));
        assert_eq!(ended, Some(30));
        assert!(!busy.observe(ProcessState::Stopped, None, seconds(99)), "one that waits for its turn");
    }

    #[test]
    fn a_stored_heartbeat_is_read_back() {
        let sign = SignOfLife { pid: 4_194_304, at: Duration::from_millis(1_234_567) };
        assert_eq!(SignOfLife::parse(&sign.to_line()), Some(sign));
        assert_eq!(sign.to_line().len(), SignOfLife { pid: 1, at: Duration::ZERO }.to_line().len());
        for garbage in ["", "7", "7 x", "x 7", "\0\0\0"] {
            assert_eq!(SignOfLife::parse(garbage), None, "{garbage:?}");
        }
    }
}
