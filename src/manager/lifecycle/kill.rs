//! `agent kill`: ends the whole process tree and keeps the record.
//!
//! The kind's exit keys are tried first, then signals. A state file that requests the stop is written before either, so
//! that an interrupted kill is still recognized as requested.

use std::time::Duration;

use jiff::Timestamp;

use crate::error::Error;
use crate::failpoint;
use crate::manager::access::Access;
use crate::manager::agent_process::{is_alive, target_of};
use crate::manager::launch::start::not_written;
use crate::manager::lifecycle::Termination;
use crate::manager::parallel::in_parallel;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::status::{StatusTracker, TmuxObserver};
use crate::model::{Agent, AgentName, AgentRecord, RestartPolicy, Status, StatusNote};
use crate::process::{self, TerminationPlan};
use crate::rules::status::will_return::comes_back;
use crate::store::{AgentLock, AgentLocks};

/// Delay before SIGHUP follows SIGTERM. Interactive shells ignore SIGTERM but exit on SIGHUP; half a second is enough
/// for a program that handles SIGTERM.
const HUP_AFTER: Duration = Duration::from_millis(500);
/// How long an agent CLI gets to exit after its exit keys before it is signalled.
const EXIT_KEYS_TIMEOUT: Duration = Duration::from_millis(1500);
/// Delay between two exit keys. claude 2.1 ignores keys that arrive in one burst and handles keys 300 ms apart.
const BETWEEN_KEYS: Duration = Duration::from_millis(300);

/// The result of a kill.
#[derive(Debug)]
pub struct Killed {
    /// Whether a process was ended.
    pub was_running: bool,
    /// Additional observations for the user.
    pub remarks: Vec<String>,
}

impl Termination<'_> {
    /// Ends an agent. Its record, transcript and conversation stay.
    pub fn kill(&self, name: &AgentName, grace: Duration) -> Result<Killed, Error> {
        let requested_at = self.0.now();
        // Another kill of the agent may take its whole grace period.
        let lock = AgentLocks(&self.0.store).lock_after(name, "kill", grace)?;
        let record = self.0.record(name, "kill")?;
        if self.was_stopped_since(&record, requested_at)? {
            return Ok(Killed { was_running: false, remarks: vec![] });
        }
        self.kill_locked(&record, grace, &lock)
    }

    /// Returns whether another kill ended the agent after this time, so that nothing is left to do. If several commands
    /// kill one agent, only the first one has to search its processes and to write.
    fn was_stopped_since(&self, record: &AgentRecord, at: Timestamp) -> Result<bool, Error> {
        let is_noted = record.status.status == Status::Stopped
            && record.status.since >= at
            && record.tmux.is_none()
            && record.pid.is_none();
        Ok(is_noted && TmuxObserver(self.0).own_pane(record)?.is_none())
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
            self.note_stopped(record, is_down_or_due).map_err(|error| {
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
                remarks.push(format!("its processes are gone, but its tmux session may remain: {error}"))
            }
        }
        failpoint::reached("kill.closed");
        if was_running {
            self.note_stopped(record, |_| true)
                .map_err(|error| not_written(error, "it was ended, but this could not be stored"))?;
            failpoint::reached("kill.noted");
        }
        Ok(Killed { was_running, remarks })
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
        let plan = TerminationPlan { hup_after: HUP_AFTER.min(grace), grace };
        let cannot = Error::io(format!("cannot end the processes of `{}`", record.name));
        let ending = process::end(&target_of(self.0.home(), record), &plan).map_err(cannot)?;
        failpoint::reached("kill.signalled");
        if !ending.survivors.is_empty() {
            let pids: Vec<i32> = ending.survivors.iter().map(|process| process.pid).collect();
            return Err(Error::survivors(&record.name, &pids));
        }
        Ok(left || ending.signalled > 0)
    }

    /// Sends the kind's exit keys and waits briefly. Returns whether the agent exited; if not, signals follow.
    fn ask_to_leave(&self, record: &AgentRecord, grace: Duration) -> bool {
        let keys = self.0.kind_of(record).map(|kind| kind.exit_keys).unwrap_or_default();
        let (Some(pid), Some(location)) = (record.pid, &record.tmux) else { return false };
        // If the tmux server was lost, the pane with this number may belong to another agent.
        if keys.is_empty() || grace.is_zero() || !is_alive(record) {
            return false;
        }
        let Ok(tmux) = self.0.tmux() else { return false };
        for key in keys {
            if tmux.keys(&location.pane, &[key]).is_err() {
                break;
            }
            if matches!(process::wait_exit(pid, BETWEEN_KEYS), Ok(true)) {
                return true;
            }
        }
        matches!(process::wait_exit(pid, EXIT_KEYS_TIMEOUT.min(grace)), Ok(true))
    }

    /// Records that an agent has no process and no session, and is not restarted. The status becomes `stopped` if
    /// `is_stopped` says so of the stored record.
    fn note_stopped(
        &self,
        record: &AgentRecord,
        is_stopped: impl Fn(&AgentRecord) -> bool,
    ) -> Result<(), Error> {
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.restart.next_at = None;
                if is_stopped(&now) {
                    now.status = StatusNote::new(Status::Stopped, self.0.now(), "it was ended on request");
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

/// Returns whether a kill stops an agent that has no process: the record still calls it live, it was lost, it waits for an
/// automatic restart, or it is hibernated, and its session with the environment for waking up is gone now.
fn is_down_or_due(record: &AgentRecord) -> bool {
    match record.status.status {
        Status::Crashed | Status::Exited => record.restart.policy != RestartPolicy::No,
        Status::Lost | Status::Hibernated => true,
        status => status.is_live(),
    }
}
