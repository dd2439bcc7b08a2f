//! Detects hung agents, reports them, and ends those that are to be restarted. They are restarted as after any crash,
//! with backoff and a limit.

use std::time::Duration;

use jiff::Timestamp;

use crate::error::Error;
use crate::failpoint;
use crate::manager::agent_process::target_of;
use crate::manager::lifecycle::Termination;
use crate::manager::maintenance::HangDetection;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::status::{StatusTracker, TmuxObserver};
use crate::model::{Agent, AgentName, AgentRecord, EventKind, RestartPolicy, Status, StatusNote};
use crate::process;
use crate::rules::status::hang::{HUNG, is_hung, is_too_soon, quiet, without_quiet};
use crate::store::AgentLocks;

/// Time that a hung agent gets to exit.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

impl HangDetection<'_> {
    /// Checks the working agents and returns those that were newly found to hang. Time before `steady_since` does not
    /// count, because the machine, and the agents with it, may have been suspended.
    pub fn find_hung(
        &self,
        agents: &[Agent],
        steady_since: Option<Timestamp>,
    ) -> Result<Vec<AgentName>, Error> {
        let (mut found, mut failed) = (Vec::new(), None);
        let are_ended = self.0.settings().restart.hung;
        for agent in agents.iter().filter(|agent| agent.status == Status::Working) {
            let is_ended = are_ended && agent.restart.policy != RestartPolicy::No;
            if is_marked(agent) && !is_ended {
                continue;
            }
            let after = self.0.kinds()?.get(&agent.kind).map_or(0, |kind| kind.hang_after_s);
            let after = Duration::from_secs(after);
            if steady_since.is_some_and(|since| is_too_soon(since, after, self.0.now())) {
                continue;
            }
            // Child processes are checked last, because that reads all of /proc.
            if after.is_zero() || !is_hung(agent, 0, after, self.0.now()) || self.has_children(agent)? {
                continue;
            }
            let why = format!("{HUNG}: no output and no child process for {} min", after.as_secs() / 60);
            if !is_marked(agent) && self.note_hung(agent, &why)? {
                found.push(agent.name.clone());
            }
            // An agent that cannot be ended must not prevent the check of the others.
            if is_ended && let Err(error) = self.end_hung(agent, &why) {
                failed = Some(error);
            }
        }
        failed.map_or(Ok(found), Err)
    }

    fn has_children(&self, agent: &Agent) -> Result<bool, Error> {
        let record = self.0.record(&agent.name, "look at")?;
        let all = process::tree(&target_of(self.0.home(), &record))
            .map_err(Error::io("cannot inspect processes"))?;
        Ok(all.len() > 1)
    }

    /// Records that an agent hangs. Returns whether that is new.
    fn note_hung(&self, agent: &Agent, why: &str) -> Result<bool, Error> {
        let written = RegistryWriter(self.0).write(|edit| {
            let mut record = edit.get(&agent.name).ok().flatten().filter(|record| is_still(record, agent))?;
            // An earlier search, which may still be ending another agent, has recorded it.
            if record.status.reason.starts_with(HUNG) {
                return None;
            }
            record.status = StatusNote::new(Status::Working, record.status.since, why);
            Some(edit.put(record))
        })?;
        let Some(record) = written else { return Ok(false) };
        RegistryWriter(self.0).record_event(&record, EventKind::Hung, why.to_owned());
        Ok(true)
    }

    /// Ends a hung agent, which counts as a crash and is handled by its restart policy. Its pane stays, with its
    /// environment and attached clients.
    fn end_hung(&self, agent: &Agent, why: &str) -> Result<(), Error> {
        // Another process that holds the lock may be ending the agent; otherwise the next check finds it again.
        let Some(lock) = AgentLocks(&self.0.store).try_lock(&agent.name, "end what hangs")? else {
            return Ok(());
        };
        let record = self.0.record(&agent.name, "look at")?;
        if !is_still(&record, agent) {
            return Ok(());
        }
        let why = format!("{why}; it was ended");
        Termination(self.0).end_noted(&record, TERMINATION_TIMEOUT, &why, &lock)?;
        failpoint::reached("hang.ended");
        // The restart must not find the former process in the pane.
        TmuxObserver(self.0).pane_left_behind(&record)?;
        let written = RegistryWriter(self.0).write(|edit| {
            let mut now = edit.get(&record.name).ok().flatten()?;
            now.status = StatusNote::new(Status::Crashed, self.0.now(), &why);
            now.exit = None;
            now.restarts = without_quiet(&now.restarts, quiet(agent, self.0.now()));
            Some(edit.put(now))
        })?;
        let _ = self.0.store.instance(&record.name).remove_state(STOPPING);
        if let Some(record) = written {
            StatusTracker(self.0).show_status(&record);
        }
        Ok(())
    }
}

fn is_marked(agent: &Agent) -> bool {
    agent.reason.starts_with(HUNG)
}

fn is_still(record: &AgentRecord, agent: &Agent) -> bool {
    record.id == agent.id
        && record.status.status == Status::Working
        && record.status.since == agent.status_since
}
