//! Starting, stopping and finding the supervisor. It lives in a session of our tmux server that tmux starts again
//! when it dies, and is single by a lock.

use crate::manager::registry::RegistryWriter;
use crate::manager::supervisor::SupervisorControl;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::env::{Env, HOME};
use crate::error::Error;
use crate::manager::supervisor::stall::SupervisorStall;
use crate::model::{AgentRecord, RestartPolicy, TaskState};
use crate::process;
pub use crate::process::Exits;
use crate::rules::lifecycle::restart::{Plan, plan};
use crate::store::{AgentLock, RotatingFile};

/// The file in `run/` that says: somebody stopped the supervisor, it is not to come back by itself.
const OFF: &str = "_supervisor.off";
/// The file in `run/` that tells of the one that runs.
const CARD: &str = "_supervisor.json";
/// How long another supervisor may take to leave, for one that was asked to start by hand.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a supervisor may take to come up or to leave.
const SOON: Duration = Duration::from_secs(5);
/// The variable that keeps commands from starting one.
const SWITCH: &str = "SYMPOSIUM_SUPERVISOR";

/// What a supervisor tells of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Card {
    /// Its process.
    pub pid: i32,
    /// Since when it runs.
    #[serde(with = "crate::base::json_time")]
    pub since: Timestamp,
    /// Its version.
    pub version: String,
}

/// Whether there is a supervisor, and what waits for it.
#[derive(Debug, Serialize)]
pub struct Supervision {
    /// Whether one runs.
    pub running: bool,
    /// Whether somebody stopped it.
    pub stopped_on_request: bool,
    /// What it tells of itself.
    #[serde(flatten)]
    pub card: Option<Card>,
    /// Whether an agent that is started brings one along.
    pub autostart: bool,
    /// Restarts that are due or planned.
    pub restarts_waiting: usize,
    /// Tasks that are not done.
    pub tasks_waiting: usize,
    /// Agents with a heartbeat.
    pub heartbeats: usize,
    /// Why the one that runs does not work; `null` if it does.
    pub stall: Option<SupervisorStall>,
    /// What is wrong with `config.toml`, when something is: then the settings before it are in force.
    pub config_mistake: Option<String>,
}

/// How long a supervisor that finds another one waits for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Not at all: a person asked for it.
    Now,
    /// As long as it takes: tmux keeps it.
    Kept,
}

impl SupervisorControl<'_> {
    /// The right to be the supervisor, with its card laid out.
    pub fn become_supervisor(&self, turn: Turn) -> Result<AgentLock, Error> {
        let patience = match turn {
            Turn::Now => PATIENCE,
            Turn::Kept => Duration::from_secs(u64::from(u32::MAX)),
        };
        let Some(lock) = self.0.store.lock_supervisor(patience)? else {
            return Err(Error::SupervisorRuns { pid: self.0.store.supervisor() });
        };
        let card = Card {
            pid: i32::try_from(std::process::id()).unwrap_or_default(),
            since: Env::now(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let text = serde_json::to_string(&card).unwrap_or_default();
        let _ = self.0.store.write_run(CARD, text.as_bytes());
        Ok(lock)
    }

    /// Tells when an agent's first process ends. tmux tells too, but 3.3a misses one in a hundred when it is busy.
    pub fn on_exit(&self, callback: impl Fn() + Send + 'static) -> Result<Exits, Error> {
        Exits::new(callback).map_err(Error::io("cannot watch processes"))
    }

    /// Watches the agents that run now.
    pub fn watch_exits(&self, exits: &Exits) -> Result<(), Error> {
        let records = self.0.store.read(Env::now())?;
        let live = records.iter().filter(|record| record.status.status.is_live());
        let pids: Vec<i32> = live.filter_map(|record| record.pid).collect();
        exits.watch(&pids).map_err(Error::io("cannot watch processes"))
    }

    /// Keeps the tmux server from waking for one quiet agent after the other.
    pub fn gather_silences(&self) -> Result<(), Error> {
        Ok(self.0.tmux()?.gather_silences()?)
    }

    /// Where the supervisor writes its log.
    pub fn supervisor_log(&self) -> Result<RotatingFile, Error> {
        Ok(self.0.store.log_file(crate::manager::supervisor::log::SUPERVISOR_LOG)?)
    }

    /// Starts one when there is none, unless somebody does not want that. What needs it is waiting for it then.
    pub(in crate::manager) fn ensure_supervisor(&self) {
        if self.0.store.supervisor().is_some() || self.is_switched_off() {
            return;
        }
        let wanted = self.0.config().is_ok_and(|config| config.supervisor.autostart);
        if wanted && !self.0.store.has_run(OFF) {
            let _ = self.start_keeper();
        }
    }

    fn is_switched_off(&self) -> bool {
        self.0.env.var(SWITCH).is_some_and(|value| value == "off")
    }

    /// Starts one, also in place of one that does not work; says whether one was started.
    pub fn start_supervisor(&self) -> Result<bool, Error> {
        self.0.store.remove_run(OFF)?;
        RegistryWriter(self.0).repair_ledger()?;
        match self.supervisor_stall() {
            Some(stall) => self.end_stalled_supervisor(&stall)?,
            None if self.0.store.supervisor().is_some() => return Ok(false),
            None => {}
        }
        self.start_keeper()?;
        self.until("the supervisor did not start", || self.0.store.supervisor().is_some())?;
        // It tells of itself a moment later; on a full disk it never does, and runs all the same.
        let _ = self.until("the supervisor tells nothing", || self.card().is_some());
        Ok(true)
    }

    /// Ends it and keeps it from coming back by itself; says whether there was one.
    pub fn stop_supervisor(&self) -> Result<bool, Error> {
        self.0.store.write_run(OFF, b"")?;
        let ran = self.0.store.supervisor();
        self.0.tmux()?.stop_keeper()?;
        if let Some(pid) = ran {
            // One that somebody started in a terminal of their own.
            let is_it = || self.0.store.supervisor() == Some(pid);
            process::ask_to_end(pid, is_it).map_err(Error::io("cannot end the supervisor"))?;
        }
        self.until("the supervisor did not end", || self.0.store.supervisor().is_none())?;
        Ok(ran.is_some())
    }

    /// The process of the one that runs.
    pub fn supervisor(&self) -> Option<i32> {
        self.0.store.supervisor()
    }

    /// Whether there is one, and what waits for it.
    pub fn supervision(&self) -> Result<Supervision, Error> {
        let running = self.0.store.supervisor().is_some();
        let records = self.0.store.read(Env::now())?;
        let open = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];
        Ok(Supervision {
            running,
            stopped_on_request: !running && self.0.store.has_run(OFF),
            autostart: self.0.settings().supervisor.autostart && !self.is_switched_off(),
            card: self.card(),
            stall: self.supervisor_stall(),
            restarts_waiting: records.iter().filter(|record| self.waits_for_restart(record)).count(),
            tasks_waiting: RegistryWriter(self.0).tasks_in(&open)?,
            heartbeats: records.iter().filter(|record| record.heartbeat.is_some()).count(),
            config_mistake: self.0.config().err().map(|error| error.to_string()),
        })
    }

    /// What the one that runs tells of itself; what a former one told is over.
    fn card(&self) -> Option<Card> {
        let pid = self.0.store.supervisor()?;
        let card: Card = serde_json::from_slice(&self.0.store.read_run(CARD)?).ok()?;
        (card.pid == pid).then_some(card)
    }

    fn waits_for_restart(&self, record: &AgentRecord) -> bool {
        let plan = plan(record, &self.0.settings().restart, || 0.0, Env::now());
        record.restart.next_at.is_some() || matches!(plan, Plan::At { .. } | Plan::Now)
    }

    /// What should be said of an agent that needs a supervisor where there is none.
    pub(in crate::manager) fn remark_on_supervision(&self, record: &AgentRecord) -> Option<String> {
        let needs = record.restart.policy != RestartPolicy::No || record.heartbeat.is_some();
        let lacks = || self.0.store.has_run(OFF) && self.0.store.supervisor().is_none();
        (needs && lacks()).then(|| {
            "the supervisor is stopped: nothing restarts or reminds it before `symposium supervisor start`".into()
        })
    }

    pub(in crate::manager) fn words(&self, words: &[&str]) -> Vec<String> {
        let home = self.0.home.path.to_string_lossy();
        ["--home", &home].iter().chain(words).map(ToString::to_string).collect()
    }

    fn start_keeper(&self) -> Result<(), Error> {
        let mut words = self.words(&["supervisor", "keep"]);
        words.insert(0, self.0.own_program().to_string_lossy().into_owned());
        let mut env: Vec<(OsString, OsString)> = self.0.env.for_supervisor();
        env.push((HOME.into(), self.0.home.path.clone().into()));
        Ok(self.0.tmux()?.start_keeper(&words, &env)?)
    }

    fn until(&self, otherwise: &str, done: impl Fn() -> bool) -> Result<(), Error> {
        let begun = Instant::now();
        let watch = self.0.store.watch_run()?;
        while !done() {
            if begun.elapsed() > SOON {
                return Err(Error::TimedOut { what: otherwise.into(), after: begun.elapsed() });
            }
            watch.changed(Duration::from_millis(20));
        }
        Ok(())
    }
}
