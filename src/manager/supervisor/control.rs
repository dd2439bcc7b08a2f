//! Starts, stops and finds the supervisor. It runs in a session of our tmux server, which restarts it when it dies, and
//! a lock ensures that there is only one.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::env::HOME;
use crate::error::Error;
use crate::failpoint;
use crate::manager::registry::RegistryWriter;
use crate::manager::supervisor::stall::SupervisorStall;
use crate::manager::supervisor::{SupervisorControl, SupervisorWatchdog};
use crate::model::{AgentRecord, RestartPolicy, TaskState};
use crate::process;

pub use crate::process::ExitWatcher;
use crate::rules::lifecycle::restart::{RestartDecision, plan};
use crate::store::{AgentLock, Logs, RotatingFile, RunFiles, SupervisorLock, Watches};

/// The file in `run/` that marks a supervisor that was stopped on request and must not start automatically.
const OFF_FILE: &str = "_supervisor.off";
/// The file in `run/` that describes the running supervisor.
const CARD_FILE: &str = "_supervisor.json";
/// Time that a supervisor started by the user waits for another one to end.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit for a supervisor to start or to end.
const START_STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// The variable that prevents commands from starting a supervisor.
const AUTOSTART_VARIABLE: &str = "SYMPOSIUM_SUPERVISOR";

/// The description that a supervisor writes about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SupervisorCard {
    /// Process id of the supervisor.
    pub pid: i32,
    /// Start time of the supervisor.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Version of the supervisor.
    pub version: String,
}

/// The state of the supervisor, and the work that waits for it.
#[derive(Debug, Serialize)]
pub struct Supervision {
    /// Whether a supervisor is running.
    pub running: bool,
    /// Whether the supervisor was stopped on request.
    pub stopped_on_request: bool,
    /// The description of the running supervisor.
    #[serde(flatten)]
    pub card: Option<SupervisorCard>,
    /// Whether starting an agent also starts a supervisor.
    pub autostart: bool,
    /// Number of restarts that are due or scheduled.
    pub restarts_waiting: usize,
    /// Number of unfinished tasks.
    pub tasks_waiting: usize,
    /// Number of agents with a heartbeat.
    pub heartbeats: usize,
    /// Why the running supervisor makes no progress; `null` if it does.
    pub stall: Option<SupervisorStall>,
    /// The mistake in `config.toml`, if there is one. The last valid settings then stay in effect.
    pub config_mistake: Option<String>,
}

/// How long a new supervisor waits for a running one to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartWait {
    /// Briefly, because the user started it and waits.
    Brief,
    /// Without a limit, because tmux keeps it running.
    Unlimited,
}

impl SupervisorControl<'_> {
    /// Acquires the supervisor lock and writes the description file.
    pub fn become_supervisor(&self, wait: StartWait) -> Result<AgentLock, Error> {
        let timeout = match wait {
            StartWait::Brief => LOCK_TIMEOUT,
            StartWait::Unlimited => Duration::from_secs(u64::from(u32::MAX)),
        };
        let Some(lock) = SupervisorLock(&self.0.store).acquire(timeout)? else {
            return Err(Error::supervisor_runs(SupervisorLock(&self.0.store).holder()));
        };
        failpoint::reached("supervisor.locked");
        let card = SupervisorCard {
            pid: i32::try_from(std::process::id()).unwrap_or_default(),
            since: self.0.now(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let text = serde_json::to_string(&card).unwrap_or_default();
        let _ = RunFiles(&self.0.store).write(CARD_FILE, text.as_bytes());
        Ok(lock)
    }

    /// Calls `callback` when the main process of an agent ends. tmux reports this too, but 3.3a misses one exit in a
    /// hundred when it is busy.
    pub fn on_exit(&self, callback: impl Fn() + Send + 'static) -> Result<ExitWatcher, Error> {
        ExitWatcher::new(callback).map_err(Error::io("cannot watch processes"))
    }

    /// Watches the processes of the agents that run now.
    pub fn watch_exits(&self, exits: &ExitWatcher) -> Result<(), Error> {
        let records = self.0.store.read(self.0.now())?;
        let live = records.iter().filter(|record| record.status.status.is_live());
        let pids: Vec<i32> = live.filter_map(|record| record.pid).collect();
        exits.watch(&pids).map_err(Error::io("cannot watch processes"))
    }

    /// Coalesces the silence timers of the tmux server, so that it does not wake for one quiet agent after the other.
    pub fn gather_silences(&self) -> Result<(), Error> {
        Ok(self.0.tmux()?.align_silence_timers()?)
    }

    /// Opens the log file of the supervisor.
    pub fn supervisor_log(&self) -> Result<RotatingFile, Error> {
        Ok(Logs(&self.0.store).open(crate::manager::supervisor::log::SUPERVISOR_LOG)?)
    }

    /// Starts a supervisor if none runs, unless the user disabled that. If it cannot be started, its work waits.
    pub(in crate::manager) fn ensure_supervisor(&self) {
        if SupervisorLock(&self.0.store).holder().is_some() || self.is_switched_off() {
            return;
        }
        let wanted = self.0.config().is_ok_and(|config| config.supervisor.autostart);
        if wanted && !RunFiles(&self.0.store).exists(OFF_FILE) {
            let _ = self.start_watchdog();
        }
    }

    fn is_switched_off(&self) -> bool {
        self.0.env.var(AUTOSTART_VARIABLE).is_some_and(|value| value == "off")
    }

    /// Starts a supervisor, also in place of one that makes no progress. Returns whether one was started.
    pub fn start_supervisor(&self) -> Result<bool, Error> {
        RunFiles(&self.0.store).remove(OFF_FILE)?;
        RegistryWriter(self.0).repair_ledger()?;
        match SupervisorWatchdog(self.0).supervisor_stall() {
            Some(stall) => SupervisorWatchdog(self.0).end_stalled_supervisor(&stall)?,
            None if SupervisorLock(&self.0.store).holder().is_some() => return Ok(false),
            None => {}
        }
        self.start_watchdog()?;
        self.until("the supervisor did not start", || SupervisorLock(&self.0.store).holder().is_some())?;
        // The description file appears a moment later. On a full disk it never does, but the supervisor runs
        // nevertheless.
        let _ = self.until("the supervisor does not describe itself", || self.card().is_some());
        Ok(true)
    }

    /// Stops the supervisor and prevents an automatic start. Returns whether one was running.
    pub fn stop_supervisor(&self) -> Result<bool, Error> {
        RunFiles(&self.0.store).write(OFF_FILE, b"")?;
        let ran = SupervisorLock(&self.0.store).holder();
        self.0.tmux()?.stop_supervisor()?;
        if let Some(pid) = ran {
            // This supervisor may have been started by the user in a terminal, outside of our tmux server.
            let is_it = || SupervisorLock(&self.0.store).holder() == Some(pid);
            process::ask_to_end(pid, is_it).map_err(Error::io("cannot end the supervisor"))?;
        }
        self.until("the supervisor did not end", || SupervisorLock(&self.0.store).holder().is_none())?;
        Ok(ran.is_some())
    }

    /// Returns the process id of the running supervisor.
    pub fn supervisor(&self) -> Option<i32> {
        SupervisorLock(&self.0.store).holder()
    }

    /// Returns the state of the supervisor and the work that waits for it.
    pub fn supervision(&self) -> Result<Supervision, Error> {
        let running = SupervisorLock(&self.0.store).holder().is_some();
        let records = self.0.store.read(self.0.now())?;
        let open = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];
        Ok(Supervision {
            running,
            stopped_on_request: !running && RunFiles(&self.0.store).exists(OFF_FILE),
            autostart: self.0.settings().supervisor.autostart && !self.is_switched_off(),
            card: self.card(),
            stall: SupervisorWatchdog(self.0).supervisor_stall(),
            restarts_waiting: records.iter().filter(|record| self.waits_for_restart(record)).count(),
            tasks_waiting: RegistryWriter(self.0).tasks_in(&open)?,
            heartbeats: records.iter().filter(|record| record.heartbeat.is_some()).count(),
            config_mistake: self.0.config().err().map(|error| error.to_string()),
        })
    }

    /// Returns the description of the running supervisor. The file of a former one is ignored.
    fn card(&self) -> Option<SupervisorCard> {
        let pid = SupervisorLock(&self.0.store).holder()?;
        let card: SupervisorCard = serde_json::from_slice(&RunFiles(&self.0.store).read(CARD_FILE)?).ok()?;
        (card.pid == pid).then_some(card)
    }

    fn waits_for_restart(&self, record: &AgentRecord) -> bool {
        let plan = plan(record, &self.0.settings().restart, || 0.0, self.0.now());
        record.restart.next_at.is_some() || matches!(plan, RestartDecision::At { .. } | RestartDecision::Now)
    }

    /// Returns a remark if an agent needs a supervisor and none is running.
    pub(in crate::manager) fn remark_on_supervision(&self, record: &AgentRecord) -> Option<String> {
        let needs = record.restart.policy != RestartPolicy::No || record.heartbeat.is_some();
        let lacks =
            || RunFiles(&self.0.store).exists(OFF_FILE) && SupervisorLock(&self.0.store).holder().is_none();
        (needs && lacks()).then(|| {
            "the supervisor is stopped: this agent is not restarted and gets no heartbeats until `symposium supervisor start`".into()
        })
    }

    pub(in crate::manager) fn words(&self, words: &[&str]) -> Vec<String> {
        let home = self.0.home.path.to_string_lossy();
        ["--home", &home].iter().chain(words).map(ToString::to_string).collect()
    }

    fn start_watchdog(&self) -> Result<(), Error> {
        let mut words = self.words(&["supervisor", "keep"]);
        words.insert(0, self.0.own_program().to_string_lossy().into_owned());
        let mut env: Vec<(OsString, OsString)> = self.0.env.for_supervisor();
        env.push((HOME.into(), self.0.home.path.clone().into()));
        Ok(self.0.tmux()?.start_supervisor(&words, &env)?)
    }

    fn until(&self, otherwise: &str, done: impl Fn() -> bool) -> Result<(), Error> {
        let begun = Instant::now();
        let watch = Watches(&self.0.store).run()?;
        while !done() {
            if begun.elapsed() > START_STOP_TIMEOUT {
                return Err(Error::timed_out(otherwise, begun.elapsed()));
            }
            watch.changed(Duration::from_millis(20));
        }
        Ok(())
    }
}
