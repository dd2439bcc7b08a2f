//! Decides whether a supervisor still works. It notes a sign of life at least once per look; a process that is stopped,
//! or that hangs in one of its stages, keeps its lock and its pid and notes nothing any more.
//!
//! Times are readings of the monotonic clock: it neither jumps when the time of day is set, nor counts the time that
//! the machine slept.

use std::time::Duration;

/// How many regular looks a supervisor may miss.
const MISSED_LOOKS: u32 = 3;
/// A running process is given at least this long, because one stage may wait several times for a silent tmux server.
const MIN_SILENCE: Duration = Duration::from_secs(30);

/// A supervisor's sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignOfLife {
    /// The process that noted it.
    pub pid: i32,
    /// The monotonic clock at that moment.
    pub at: Duration,
}

impl SignOfLife {
    /// Parses what [`SignOfLife::to_line`] wrote; `None` for anything else.
    pub fn parse(line: &str) -> Option<SignOfLife> {
        let (pid, at) = line.trim_end().split_once(' ')?;
        Some(SignOfLife { pid: pid.parse().ok()?, at: Duration::from_millis(at.trim_start().parse().ok()?) })
    }

    /// A line of fixed length, so that writing it again needs no space on a full disk.
    pub fn to_line(self) -> String {
        format!("{:<10} {:>20}\n", self.pid, self.at.as_millis())
    }
}

/// Whether a process is stopped, as by SIGSTOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// It can run.
    Runnable,
    /// It is stopped (state T).
    Stopped,
}

/// How a supervisor that holds its lock is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulse {
    /// It works, or is too young to be judged.
    Alive,
    /// Its process is stopped.
    Stopped,
    /// It has given no sign of life for too long.
    Silent(Duration),
}

/// Judges a supervisor from a single look, as `status` and `doctor` do.
pub fn pulse(state: ProcessState, sign: Option<SignOfLife>, now: Duration, every: Duration) -> Pulse {
    if state == ProcessState::Stopped {
        return Pulse::Stopped;
    }
    let silence = sign.map_or(Duration::ZERO, |sign| now.saturating_sub(sign.at));
    if silence > (every * MISSED_LOOKS).max(MIN_SILENCE) { Pulse::Silent(silence) } else { Pulse::Alive }
}

/// Judges a supervisor from look to look, as its keeper does. It counts looks rather than time: after a pause of the
/// whole machine the supervisor gets as many looks as the keeper.
#[derive(Debug, Default)]
pub struct SilenceCounter {
    unchanged: Option<(SignOfLife, u32, Duration)>,
}

impl SilenceCounter {
    /// Takes one look; returns whether the supervisor has been silent long enough to be ended.
    pub fn look(&mut self, state: ProcessState, sign: Option<SignOfLife>, now: Duration) -> bool {
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
        looks >= MISSED_LOOKS && is_long
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
    fn a_stopped_or_silent_supervisor_is_told_from_one_that_works() {
        use ProcessState::{Runnable, Stopped};
        assert_eq!(pulse(Stopped, sign(100), seconds(100), MINUTE), Pulse::Stopped);
        assert_eq!(pulse(Runnable, sign(100), seconds(279), MINUTE), Pulse::Alive);
        assert_eq!(pulse(Runnable, sign(100), seconds(281), MINUTE), Pulse::Silent(seconds(181)));
        assert_eq!(pulse(Runnable, None, seconds(281), MINUTE), Pulse::Alive, "one of an older version");
        assert_eq!(pulse(Runnable, sign(100), seconds(129), seconds(1)), Pulse::Alive);
        // A sign from before the machine was started anew.
        assert_eq!(pulse(Runnable, sign(9999), seconds(5), MINUTE), Pulse::Alive);
    }

    #[test]
    fn the_keeper_waits_for_three_looks_without_a_new_sign() {
        let mut counter = SilenceCounter::default();
        let mut look = |state, at, now| counter.look(state, sign(at), seconds(now));
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
    fn short_looks_end_a_stopped_process_and_give_a_running_one_time() {
        let mut stopped = SilenceCounter::default();
        let ended: Vec<bool> =
            (0..5).map(|now| stopped.look(ProcessState::Stopped, sign(0), seconds(now))).collect();
        assert_eq!(ended, [false, false, false, true, true]);
        let mut busy = SilenceCounter::default();
        let ended = (0..60).find(|now| busy.look(ProcessState::Runnable, sign(0), seconds(*now)));
        assert_eq!(ended, Some(30));
        assert!(!busy.look(ProcessState::Stopped, None, seconds(99)), "one that waits for its turn");
    }

    #[test]
    fn a_sign_of_life_is_read_as_it_was_written() {
        let sign = SignOfLife { pid: 4_194_304, at: Duration::from_millis(1_234_567) };
        assert_eq!(SignOfLife::parse(&sign.to_line()), Some(sign));
        assert_eq!(sign.to_line().len(), SignOfLife { pid: 1, at: Duration::ZERO }.to_line().len());
        for garbage in ["", "7", "7 x", "x 7", "\0\0\0"] {
            assert_eq!(SignOfLife::parse(garbage), None, "{garbage:?}");
        }
    }
}
