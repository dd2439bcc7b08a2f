//! `agent kill`: ends the whole process tree and keeps the record.
//!
//! The kind's exit keys are tried first, then signals. A state file that requests the stop is written before either, so
//! that an interrupted kill is still recognized as requested.

use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::failpoint;
use crate::manager::access::Access;
use crate::manager::agent_process::{is_alive, target_of};
use crate::manager::lifecycle::Lifecycle;
use crate::manager::parallel::in_parallel;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::status::reconcile::STOPPING;
use crate::model::{Agent, AgentName, AgentRecord, RestartPolicy, Status, StatusNote};
use crate::process::{self, EndPlan};
use crate::rules::status::will_return::comes_back;
use crate::store::AgentLock;

/// Delay before SIGHUP follows SIGTERM. Interactive shells ignore SIGTERM but exit on SIGHUP; half a second is enough
/// for a program that handles SIGTERM.
const HUP_AFTER: Duration = Duration::from_millis(500);
/// How long an agent CLI gets to exit after its exit keys before it is signalled.
const ASKING: Duration = Duration::from_millis(1500);
/// Delay between two exit keys. claude 2.1 ignores keys that arrive in one burst and handles keys 300 ms apart.
const BETWEEN_KEYS: Duration = Duration::from_millis(300);

/// The result of a kill.
#[derive(Debug)]
pub struct Killed {
    /// Name of the killed agent.
    pub name: AgentName,
    /// Whether a process was ended.
    pub was_running: bool,
    /// Additional observations for the user.
    pub remarks: Vec<String>,
}

impl Lifecycle<'_> {
    /// Ends an agent. Its record, transcript and conversation stay.
    pub fn kill(&self, name: &AgentName, grace: Duration) -> Result<Killed, Error> {
        let lock = self.0.store.lock_agent(name, "kill")?;
        let record = self.0.record(name, "kill")?;
        self.kill_locked(&record, grace, &lock)
    }

    /// Kills several agents concurrently, each with the same grace period.
    pub fn kill_all(&self, names: &[AgentName], grace: Duration) -> Vec<(AgentName, Result<Killed, Error>)> {
        in_parallel(names, |name| self.kill(name, grace))
    }

    /// Returns the agents that are running or are due for an automatic restart.
    pub fn live(&self) -> Result<Vec<AgentName>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        let is_meant = |agent: &Agent| agent.status.is_live() || comes_back(agent);
        Ok(current_agents.agents.into_iter().filter(is_meant).map(|agent| agent.name).collect())
    }

    pub(in crate::manager) fn kill_locked(
        &self,
        record: &AgentRecord,
        grace: Duration,
        lock: &AgentLock,
    ) -> Result<Killed, Error> {
        let was_running = self.end_processes(record, grace, lock)?;
        if !was_running {
            // Recorded first: without its session, an agent whose record cannot be written would be shown as lost.
            // Also, an agent may kill itself, and then closing its session ends this very process.
            self.note_stopped(record, was_running).map_err(|error| {
                // A stop request that remains would turn a later crash into a stop.
                let _ = self.0.store.instance(&record.name).remove_state(STOPPING);
                not_written(
                    error,
                    "it was not running; shares of it were ended, and nothing else was changed",
                )
            })?;
            failpoint::reached("kill.noted");
        }
        let mut remarks = Vec::new();
        match self.0.tmux().and_then(|tmux| Ok(tmux.kill_session(record.name.as_str(), record.id)?)) {
            Ok(_) => {}
            Err(error) => {
                remarks.push(format!("its processes are gone, but its tmux session may be left: {error}"))
            }
        }
        failpoint::reached("kill.closed");
        if was_running {
            self.note_stopped(record, was_running)
                .map_err(|error| not_written(error, "it was ended; that is not written down"))?;
            failpoint::reached("kill.noted");
        }
        Ok(Killed { name: record.name.clone(), was_running, remarks })
    }

    /// Ends all processes of an agent. Returns whether there were any.
    pub(in crate::manager) fn end_processes(
        &self,
        record: &AgentRecord,
        grace: Duration,
        lock: &AgentLock,
    ) -> Result<bool, Error> {
        self.end_noted(record, grace, "", lock)
    }

    /// Ends all processes of an agent. If `why` is not empty, an interrupted end is recorded as a crash with this
    /// reason.
    pub(in crate::manager) fn end_noted(
        &self,
        record: &AgentRecord,
        grace: Duration,
        why: &str,
        _lock: &AgentLock,
    ) -> Result<bool, Error> {
        Access(self.0).end_shares(&record.name);
        let instance = self.0.store.instance(&record.name);
        let _ = instance.write_state(STOPPING, why.as_bytes());
        failpoint::reached("kill.marked");
        let left = self.ask_to_leave(record, grace);
        let plan = EndPlan { hup_after: HUP_AFTER.min(grace), grace };
        let cannot = Error::io(format!("cannot end the processes of `{}`", record.name));
        let ending = process::end(&target_of(record), &plan).map_err(cannot)?;
        failpoint::reached("kill.signalled");
        if !ending.survivors.is_empty() {
            let pids = ending.survivors.iter().map(|process| process.pid).collect();
            return Err(Error::Survivors { name: record.name.clone(), pids });
        }
        Ok(left || ending.asked > 0)
    }

    /// Sends the kind's exit keys and waits briefly. Returns whether the agent exited; if not, signals follow.
    fn ask_to_leave(&self, record: &AgentRecord, grace: Duration) -> bool {
        let keys = self.0.kind_of(record).map(|kind| kind.exit_keys).unwrap_or_default();
        let (Some(pid), Some(place)) = (record.pid, &record.tmux) else { return false };
        // If the tmux server was lost, the pane with this number may belong to another agent.
        if keys.is_empty() || grace.is_zero() || !is_alive(record) {
            return false;
        }
        let Ok(tmux) = self.0.tmux() else { return false };
        for key in keys {
            if tmux.keys(&place.pane, &[key]).is_err() {
                break;
            }
            if matches!(process::wait_exit(pid, BETWEEN_KEYS), Ok(true)) {
                return true;
            }
        }
        matches!(process::wait_exit(pid, ASKING.min(grace)), Ok(true))
    }

    fn note_stopped(&self, record: &AgentRecord, was_running: bool) -> Result<(), Error> {
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                // An agent that waits for an automatic restart is stopped as well.
                let waits = now.restart.policy != RestartPolicy::No
                    && matches!(now.status.status, Status::Crashed | Status::Exited);
                now.restart.next_at = None;
                // A hibernated agent is stopped as well: its session, with the environment for waking up, is gone.
                let is_down = matches!(now.status.status, Status::Lost | Status::Hibernated);
                if was_running || waits || now.status.status.is_live() || is_down {
                    now.status = StatusNote::new(Status::Stopped, Env::now(), "it was ended on request");
                    now.exit = None;
                }
                now.tmux = None;
                now.pid = None;
                edit.put(now);
            }
        })?;
        let _ = self.0.store.instance(&record.name).remove_state(STOPPING);
        Ok(())
    }
}

/// Replaces the observation of a state error: the store knows only about its own files.
pub(in crate::manager) fn not_written(error: Error, observed: &str) -> Error {
    match error {
        Error::State { what, hint, .. } => Error::State { what, saw: vec![observed.to_owned()], hint },
        other => other,
    }
}
