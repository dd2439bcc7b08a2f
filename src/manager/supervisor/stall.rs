//! Detects a supervisor that makes no progress, and ends it.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::env::Env;
use crate::error::Error;
use crate::manager::supervisor::{SupervisorControl, SupervisorWatchdog};
use crate::model::Exit;
use crate::process::{self, Run};
use crate::rules::lifecycle::supervisor_stall::{
    ProcessState, Pulse, SignOfLife, SilenceCounter, judge_supervisor,
};
use crate::store::{RunFiles, SupervisorLock};

/// The file in `run/` with the supervisor's last sign of life.
const LIVENESS_FILE: &str = "_supervisor.alive";
/// The minimum and maximum interval at which the watchdog checks its supervisor.
const WATCHDOG_CHECK_INTERVAL: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// The pause between the end of a killed supervisor and the start of the next one.
const RESTART_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause before the restart of a supervisor that repeatedly ends at once.
const MAX_RESTART_PAUSE: Duration = Duration::from_secs(10);
/// Time limit for a killed supervisor to exit.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a running supervisor makes no progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SupervisorStall {
    /// Process id of the supervisor.
    pub pid: i32,
    /// Whether the process is stopped, as by SIGSTOP.
    pub process_stopped: bool,
    /// Number of seconds without a sign of life, if the process is not stopped.
    pub silent_s: Option<u64>,
}

impl SupervisorStall {
    /// Describes the stall, without the supervisor as subject.
    pub fn description(&self) -> String {
        let pid = self.pid;
        match self.silent_s {
            Some(seconds) => format!("process {pid} has given no sign of life for {seconds} s"),
            None => format!("process {pid} is stopped (state T)"),
        }
    }

    /// Returns a command that ends the stall.
    pub fn remedy(&self) -> String {
        if self.process_stopped {
            format!("kill -CONT {}", self.pid)
        } else {
            "symposium supervisor start".into()
        }
    }
}

impl SupervisorWatchdog<'_> {
    /// Records a sign of life of the supervisor, which is this process.
    pub fn note_sign_of_life(&self) {
        let pid = i32::try_from(std::process::id()).unwrap_or_default();
        let line = SignOfLife { pid, at: Env::monotonic() }.to_line();
        if RunFiles(&self.0.store).overwrite(LIVENESS_FILE, line.as_bytes()).is_err() {
            // An outdated sign would make a supervisor that merely cannot write appear stalled.
            let _ = RunFiles(&self.0.store).remove(LIVENESS_FILE);
        }
    }

    /// Returns why the running supervisor makes no progress; `None` if it does, or if none runs.
    pub fn supervisor_stall(&self) -> Option<SupervisorStall> {
        let pid = SupervisorLock(&self.0.store).holder()?;
        let every = self.0.settings().supervisor.reconcile;
        let stall = |process_stopped, silent_s| Some(SupervisorStall { pid, process_stopped, silent_s });
        match judge_supervisor(state_of(pid), self.sign_of_life(pid), Env::monotonic(), every) {
            Pulse::Alive => None,
            Pulse::Stopped => stall(true, None),
            Pulse::Silent(silence) => stall(false, Some(silence.as_secs())),
        }
    }

    fn sign_of_life(&self, pid: i32) -> Option<SignOfLife> {
        let bytes = RunFiles(&self.0.store).read(LIVENESS_FILE)?;
        SignOfLife::parse(std::str::from_utf8(&bytes).ok()?).filter(|sign| sign.pid == pid)
    }

    /// Kills a supervisor that makes no progress, so that another one can replace it.
    pub(in crate::manager) fn end_stalled_supervisor(&self, stall: &SupervisorStall) -> Result<(), Error> {
        let is_it = || SupervisorLock(&self.0.store).holder() == Some(stall.pid);
        process::end_at_once(stall.pid, is_it, KILL_TIMEOUT)
            .map_err(Error::io("cannot end the supervisor"))?;
        self.log_from_outside(&format!("ended by another process: {}", stall.description()));
        Ok(())
    }

    /// Runs the supervisor repeatedly, and kills it if it makes no progress. tmux restarts this process, and 3.3a
    /// misses one exit in a hundred: a process that dies often must not depend on that.
    pub fn keep_supervisor(&self) -> Result<(), Error> {
        let args = SupervisorControl(self.0).words(&["supervisor", "run", "--kept"]);
        let every = || {
            self.0.settings().supervisor.reconcile.clamp(WATCHDOG_CHECK_INTERVAL.0, WATCHDOG_CHECK_INTERVAL.1)
        };
        let mut pause = RESTART_PAUSE;
        loop {
            let program = self.0.own_program();
            let run = Run { program: &program, args: &args, dir: None, env: None };
            let begun = Instant::now();
            let mut counter = SilenceCounter::default();
            let check = |pid| self.check_kept_supervisor(pid, &mut counter);
            match process::run_watched(&run, every, check).map_err(Error::io("cannot run the supervisor"))? {
                Exit { code: Some(0), .. } => return Ok(()),
                // A supervisor that cannot run must not be restarted in a busy loop.
                Exit { signal: None, .. } if begun.elapsed() < pause * 2 => {
                    pause = (pause * 2).min(MAX_RESTART_PAUSE)
                }
                _ => pause = RESTART_PAUSE,
            }
            std::thread::sleep(pause);
        }
    }

    fn check_kept_supervisor(&self, pid: i32, counter: &mut SilenceCounter) -> ControlFlow<()> {
        let state = state_of(pid);
        // A supervisor that waits for another one to end has given no sign yet and is not killed, and neither is one
        // that runs and cannot write its sign. One that was stopped between its lock and its first sign is.
        let is_stopped_early =
            || state == ProcessState::Stopped && SupervisorLock(&self.0.store).holder() == Some(pid);
        let before_first = || is_stopped_early().then_some(SignOfLife { pid, at: Duration::ZERO });
        let sign = self.sign_of_life(pid).or_else(before_first);
        if !counter.observe(state, sign, Env::monotonic()) {
            return ControlFlow::Continue(());
        }
        self.log_from_outside(&format!("ended by its watchdog: process {pid} gave no sign of life"));
        ControlFlow::Break(())
    }

    /// Adds a line to the supervisor's log on behalf of a supervisor that cannot do so itself.
    fn log_from_outside(&self, message: &str) {
        let line = serde_json::json!({ "timestamp": self.0.now(), "level": "WARN", "message": message });
        if let Ok(mut log) = SupervisorControl(self.0).supervisor_log() {
            let _ = log.write_all(format!("{line}\n").as_bytes());
        }
    }
}

fn state_of(pid: i32) -> ProcessState {
    if process::is_stopped(pid) { ProcessState::Stopped } else { ProcessState::Runnable }
}
