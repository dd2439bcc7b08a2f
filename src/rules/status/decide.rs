//! Decides the status of an agent from its record and one piece of evidence: tmux, a hook, the screen or the process.
//! All status decisions are made here.

use jiff::Timestamp;

use crate::model::{AgentRecord, Exit, HookSignal, LivePane, Status, StatusNote};
use crate::rules::status::from_screen::ScreenObservation;
use crate::rules::status::{from_hook, from_screen, turn_failure};

/// The kind for arbitrary commands, which report nothing but that they run.
pub const PLAIN_COMMAND: &str = "command";

/// Reason of an interactive shell, which may be at its prompt or may run a program.
pub const SHELL_RUNS: &str = "an interactive shell does not report whether it works";

/// Shells that read commands from the terminal if they are given no script.
const SHELLS: [&str; 12] =
    ["ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "nu", "pwsh", "sh", "tcsh", "zsh"];

/// Returns whether a command is a shell that reads from its terminal: one without a script and without `-c`.
pub fn is_interactive_shell(command: &[String]) -> bool {
    let Some((program, args)) = command.split_first() else { return false };
    let name = program.rsplit('/').next().unwrap_or_default();
    let runs_something = |arg: &String| match arg.strip_prefix('-') {
        None => !arg.starts_with('+'),
        Some(option) => option == "-command" || !option.starts_with('-') && option.contains('c'),
    };
    SHELLS.contains(&name) && !args.iter().any(runs_something)
}

/// One observation of an agent.
#[derive(Debug, Clone, Copy)]
pub enum Evidence<'a> {
    /// The agent's pane, as tmux reports it.
    Pane(&'a LivePane),
    /// The tmux server of the agent answered, and the pane does not exist.
    SessionClosed,
    /// The tmux server of the agent is gone.
    ServerGone,
    /// The process runs in a tmux server other than the one that answers here.
    Unreachable,
    /// tmux did not answer, so nothing is known.
    Silence(&'a str),
    /// The agent runs outside of tmux, in a user's terminal.
    Foreground {
        /// Whether the process is running.
        alive: bool,
    },
    /// A hook of the agent CLI reported an event.
    Hook {
        /// Event that the hook reported.
        signal: &'a HookSignal,
        /// Whether the process is running, which matters if the record says that it ended.
        alive: bool,
    },
    /// The screen was read.
    Screen(ScreenObservation<'a>),
    /// Symposium interrupted the turn and observed that it stopped.
    Interrupted,
}

/// A status together with how the process ended, if it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Status with its start time and reason.
    pub note: StatusNote,
    /// How the process ended.
    pub exit: Option<Exit>,
}

/// Decides the status of an agent after one observation.
pub fn decide(record: &AgentRecord, evidence: Evidence<'_>, now: Timestamp) -> Decision {
    let keep = || Decision { note: record.status.clone(), exit: record.exit };
    let become_ =
        |status, since, reason: &str| Decision { note: StatusNote::new(status, since, reason), exit: None };
    let noted = record.status.status;
    let moved = |note: Option<StatusNote>| {
        let note = note.map(|note| turn_failure::carry_over(&record.status, note));
        note.map_or_else(keep, |note| Decision { note, exit: None })
    };
    match evidence {
        // An agent that was recorded as ended by mistake is back if its hook reports and its process is running.
        Evidence::Hook { signal, alive } if noted.is_live() || alive => {
            moved(from_hook::note_after(&record.status, signal, now))
        }
        Evidence::Screen(observation) if noted.is_live() => {
            moved(from_screen::note_after(&record.status, observation, now))
        }
        // A failed turn is already over.
        Evidence::Interrupted
            if noted.is_live() && noted != Status::Idle && record.status.failure().is_none() =>
        {
            become_(Status::Idle, now, from_hook::INTERRUPTED)
        }
        Evidence::Hook { .. } | Evidence::Screen(_) | Evidence::Interrupted => keep(),
        Evidence::Pane(LivePane { dead: Some(dead), .. }) if noted.is_live() => {
            let died_before_start =
                dead.at.is_none_or(|at| at.as_second() <= record.status.since.as_second());
            match interrupted_start(record).filter(|_| died_before_start) {
                Some(back) => back,
                None => ended(dead.exit, dead.at.unwrap_or(now)),
            }
        }
        Evidence::Pane(LivePane { dead: Some(_), .. }) => keep(),
        Evidence::Pane(_) if record.kind == PLAIN_COMMAND && is_interactive_shell(&record.command) => {
            match noted {
                Status::Unknown => keep(),
                _ => become_(Status::Unknown, record.started_at.unwrap_or(now), SHELL_RUNS),
            }
        }
        Evidence::Pane(_) if record.kind == PLAIN_COMMAND => match noted {
            Status::Working => keep(),
            _ => become_(Status::Working, record.started_at.unwrap_or(now), "its process runs"),
        },
        Evidence::Pane(_) if noted.is_live() => moved(turn_failure::note_after_reset(&record.status, now)),
        Evidence::Pane(_) => become_(Status::Unknown, now, "its process runs, but has not reported a status"),
        Evidence::Foreground { alive: true } => moved(turn_failure::note_after_reset(&record.status, now)),
        _ if !noted.is_live() => keep(),
        Evidence::Unreachable => {
            become_(Status::Unknown, now, "its process runs, but its tmux server cannot be reached")
        }
        Evidence::Silence(why) => become_(Status::Unknown, now, why),
        Evidence::Foreground { alive: false } => become_(Status::Lost, now, "its terminal was closed"),
        Evidence::ServerGone | Evidence::SessionClosed if record.tmux.is_none() => {
            interrupted_start(record).unwrap_or_else(|| interrupted(now))
        }
        Evidence::ServerGone => become_(Status::Lost, now, "its tmux server is gone (reboot or crash)"),
        Evidence::SessionClosed => become_(Status::Lost, now, "its tmux session was closed from outside"),
    }
}

/// Returns the status after an exit that was not requested.
pub fn ended(exit: Exit, at: Timestamp) -> Decision {
    let note = match exit {
        Exit { code: Some(0), signal: None } => StatusNote::new(Status::Exited, at, "it exited by itself"),
        exit => StatusNote::new(Status::Crashed, at, format!("it ended with {exit}")),
    };
    Decision { note, exit: Some(exit) }
}

/// Returns the status before a start that was interrupted before the process ran.
fn interrupted_start(record: &AgentRecord) -> Option<Decision> {
    let before = record.before_start.clone().filter(|_| record.tmux.is_none())?;
    Some(Decision { note: before, exit: record.exit })
}

fn interrupted(now: Timestamp) -> Decision {
    let note = StatusNote::new(Status::Crashed, now, "its start was interrupted before anything ran");
    Decision { note, exit: None }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{DeadPane, TmuxLocation};

    pub(crate) fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    pub(crate) fn record(name: &str, status: Status) -> AgentRecord {
        AgentRecord {
            command: vec!["x".into()],
            started_at: Some(at(2)),
            status: StatusNote::new(status, at(3), "noted"),
            pid: Some(7),
            tmux: Some(TmuxLocation {
                socket: "/s".into(),
                server: "1:1".into(),
                session: name.into(),
                pane: "%1".into(),
            }),
            ..AgentRecord::new(name.parse().unwrap(), "demo", "/w", at(1))
        }
    }

    pub(crate) fn pane(record: &AgentRecord, dead: Option<(Option<i32>, Option<i32>)>) -> LivePane {
        LivePane {
            session: record.name.to_string(),
            pane: "%1".into(),
            agent: Some(record.id),
            pid: Some(7),
            dead: dead.map(|(code, signal)| DeadPane { exit: Exit { code, signal }, at: Some(at(50)) }),
            activity: Some(at(40)),
        }
    }

    #[test]
    fn a_status_follows_from_note_and_evidence() {
        use Status::*;
        let dead = |code, signal| Some((code, signal));
        // Recorded status, pane (`None`: gone), expected status.
        for (noted, seen, expected) in [
            (Working, Some(None), Working),
            (Idle, Some(None), Idle),
            (Waiting, Some(None), Waiting),
            (Lost, Some(None), Unknown),
            (Stopped, Some(None), Unknown),
            (Working, Some(dead(Some(0), None)), Exited),
            (Working, Some(dead(Some(3), None)), Crashed),
            (Idle, Some(dead(None, Some(9))), Crashed),
            (Stopped, Some(dead(None, Some(15))), Stopped),
            (Hibernated, Some(dead(Some(0), None)), Hibernated),
            (Exited, Some(dead(Some(0), None)), Exited),
            (Working, None, Lost),
            (Unknown, None, Lost),
            (Stopped, None, Stopped),
            (Crashed, None, Crashed),
            (Exited, None, Exited),
            (Hibernated, None, Hibernated),
        ] {
            let record = record("a", noted);
            let live = seen.map(|dead| pane(&record, dead));
            let evidence = live.as_ref().map_or(Evidence::ServerGone, Evidence::Pane);
            assert_eq!(decide(&record, evidence, at(99)).note.status, expected, "{noted} {seen:?}");
        }
    }

    #[test]
    fn missing_answer_of_tmux_is_unknown_and_never_lost() {
        for status in Status::ALL {
            let decided =
                decide(&record("a", status), Evidence::Silence("tmux did not answer"), at(9)).note.status;
            assert_eq!(decided, if status.is_live() { Status::Unknown } else { status });
        }
    }

    #[test]
    fn interrupted_start_is_reported() {
        let mut half = record("a", Status::Starting);
        half.tmux = None;
        let decided = decide(&half, Evidence::SessionClosed, at(9));
        assert_eq!(decided.note.status, Status::Crashed);
        assert!(decided.note.reason.contains("interrupted"), "{}", decided.note.reason);
    }

    #[test]
    fn an_interrupted_start_restores_the_earlier_status() {
        for status in [Status::Lost, Status::Stopped, Status::Hibernated] {
            let before = StatusNote::new(status, at(2), "before");
            let half = AgentRecord {
                tmux: None,
                pid: None,
                before_start: Some(before.clone()),
                ..record("a", Status::Starting)
            };
            for evidence in [Evidence::ServerGone, Evidence::SessionClosed] {
                assert_eq!(decide(&half, evidence, at(9)).note, before);
            }
            // The pane in which the agent ended earlier still exists.
            let mut old = pane(&half, Some((Some(0), None)));
            old.dead = old.dead.map(|dead| DeadPane { at: Some(at(2)), ..dead });
            assert_eq!(decide(&half, Evidence::Pane(&old), at(9)).note, before);
            // The agent was started in that pane, and ended.
            let new = pane(&half, Some((Some(3), None)));
            assert_eq!(decide(&half, Evidence::Pane(&new), at(99)).note.status, Status::Crashed);
        }
    }

    #[test]
    fn a_plain_command_that_runs_works() {
        let mut plain = record("a", Status::Starting);
        plain.kind = PLAIN_COMMAND.into();
        let live = pane(&plain, None);
        let decided = decide(&plain, Evidence::Pane(&live), at(9));
        assert_eq!((decided.note.status, decided.note.since), (Status::Working, at(2)));
    }

    #[test]
    fn an_interactive_shell_is_unknown_and_other_commands_work() {
        for (command, expected) in [
            ("bash", Status::Unknown),
            ("/bin/zsh -l", Status::Unknown),
            ("bash --norc --noprofile", Status::Unknown),
            ("sh -c sleep", Status::Working),
            ("bash -lc make", Status::Working),
            ("bash build.sh", Status::Working),
            ("sleep 9", Status::Working),
            ("cargo watch", Status::Working),
        ] {
            let mut plain = record("a", Status::Working);
            plain.kind = PLAIN_COMMAND.into();
            plain.command = command.split(' ').map(str::to_owned).collect();
            let live = pane(&plain, None);
            let decided = decide(&plain, Evidence::Pane(&live), at(9)).note;
            assert_eq!(decided.status, expected, "{command}");
        }
    }

    #[test]
    fn an_exit_contains_its_time_and_code() {
        let record = record("a", Status::Working);
        let live = pane(&record, Some((Some(3), None)));
        let decided = decide(&record, Evidence::Pane(&live), at(99));
        assert_eq!(decided.note.since, at(50));
        assert_eq!(decided.exit, Some(Exit { code: Some(3), signal: None }));
        assert_eq!(decided.note.reason, "it ended with code 3");
    }
}
