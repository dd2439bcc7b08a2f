//! `agent restore`: resumes agents that were lost in a reboot or a crash of tmux.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::error::{Code, Error};
use crate::failpoint;
use crate::manager::Context;
use crate::manager::delivery::Delivery;
use crate::manager::delivery::send::SendRequest;
use crate::manager::launch::Launcher;
use crate::manager::lifecycle::Resumption;
use crate::manager::lifecycle::resume::{EarlyExitCheck, ResumeOptions};
use crate::manager::parallel::in_parallel;
use crate::manager::status::{StatusTracker, TmuxObserver};
use crate::manager::supervisor::SupervisorControl;
use crate::model::{Agent, AgentName, AgentRecord, Status};
use crate::rules::status::cut_off::CONTINUE_PROMPT;
use crate::rules::tasks::typing::LineHandling;
use crate::store::AgentLocks;

/// How long a restored agent may take until it is ready for the prompt that continues a cut-off turn.
const CONTINUE_TIMEOUT: Duration = Duration::from_secs(60);

/// Outcome for an agent that another process has restored in the meantime.
const ALREADY_RUNNING: &str = "is already running";

/// Which agents a restore applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreScope {
    /// The named agents, regardless of their status.
    Named,
    /// Agents that were reported as lost, if they still are.
    Lost,
}

/// The result of restoring one agent.
#[derive(Debug)]
pub struct Restored {
    /// Name of the restored agent.
    pub name: AgentName,
    /// The action that was taken, or the error that prevented it.
    pub outcome: Result<String, Error>,
    /// Whether another process had already restored the agent.
    pub was_back: bool,
}

/// An agent that was asked to continue, with the outcome of sending the prompt.
pub type Continued = (AgentName, Result<(), Error>);

/// Resumes lost agents.
#[derive(Clone, Copy)]
pub struct Restoration<'a>(pub &'a Context);

impl Restoration<'_> {
    /// Returns the agents that are lost now.
    pub fn lost(&self) -> Result<Vec<AgentName>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        if let Some(silence) = current_agents.silence {
            return Err(silence);
        }
        // `current_agents` shows an agent as starting while its lock is held. A process that was killed while it restored
        // agents leaves their locks to children that it had just forked, for a moment. Other commands that check agents
        // do the same.
        let records = self.0.store.read(self.0.now())?;
        let is_starting =
            |name: &AgentName| records.iter().any(|record| record.name == *name && was_lost(record));
        let is_lost = |agent: &Agent| agent.status == Status::Lost || is_starting(&agent.name);
        Ok(current_agents.agents.into_iter().filter(is_lost).map(|agent| agent.name).collect())
    }

    /// Restores these agents concurrently, and calls `each` with every result as soon as it is available.
    pub fn restore(
        &self,
        names: &[AgentName],
        scope: RestoreScope,
        each: &(dyn Fn(&Restored) + Sync),
    ) -> Vec<Restored> {
        failpoint::reached("restore.begun");
        let done = in_parallel(names, |name| {
            let restored = match self.restore_one(name, scope).transpose() {
                Some(outcome) => Restored { name: name.clone(), outcome, was_back: false },
                None => Restored { name: name.clone(), outcome: Ok(ALREADY_RUNNING.into()), was_back: true },
            };
            each(&restored);
            restored
        });
        let mut restored: Vec<Restored> = done.into_iter().map(|(_, restored)| restored).collect();
        self.mark_early_exits(&mut restored);
        let back = restored
            .iter()
            .filter(|restored_agent| restored_agent.outcome.is_ok() && !restored_agent.was_back);
        Launcher(self.0).warn_of_lacking_variables(back.map(|restored_agent| &restored_agent.name));
        SupervisorControl(self.0).ensure_supervisor();
        restored
    }

    /// Asks running agents whose turn was cut off to continue: those named, or all. Returns each agent with the
    /// outcome.
    pub fn continue_cut_off(&self, named: Option<&[AgentName]>) -> Result<Vec<Continued>, Error> {
        let is_meant = |record: &AgentRecord| {
            record.cut_off.is_some()
                && record.status.status.is_live()
                && named.is_none_or(|named| named.contains(&record.name))
        };
        let records = self.0.store.read(self.0.now())?;
        let names: Vec<AgentName> = records.into_iter().filter(is_meant).map(|record| record.name).collect();
        Ok(in_parallel(&names, |name| {
            let (text, lines) = (CONTINUE_PROMPT.to_owned(), LineHandling::Together);
            Delivery(self.0)
                .send_to_running(&SendRequest { name: name.clone(), text, lines, timeout: CONTINUE_TIMEOUT })
                .map(drop)
        }))
    }

    /// Restores one agent. Returns `None` if it is no longer lost.
    fn restore_one(&self, name: &AgentName, scope: RestoreScope) -> Result<Option<String>, Error> {
        let lock = AgentLocks(&self.0.store).lock(name, "restore")?;
        let record = self.0.record(name, "restore")?;
        if scope == RestoreScope::Lost
            && record.status.status != Status::Lost
            && !self.is_cut_restore(&record)?
        {
            return Ok(None);
        }
        let options = ResumeOptions { watch: EarlyExitCheck::Later, ..ResumeOptions::ASKED };
        match Resumption(self.0).resume_locked(record.clone(), options, &lock) {
            Ok(resumed) => Resumption(self.0).queue_first(resumed).map(|resumed| Some(resumed.remark)),
            // tmux can execute the command of a restore that was killed after this one read the list of panes.
            Err(error)
                if scope == RestoreScope::Lost
                    && error.code() == Code::StillRunning
                    && self.has_live_pane(&record)? =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn has_live_pane(&self, record: &AgentRecord) -> Result<bool, Error> {
        Ok(TmuxObserver(self.0).own_pane(record)?.is_some_and(|pane| pane.dead.is_none()))
    }

    /// Returns whether an earlier restore of the agent ended before it started a process. The caller holds the agent's
    /// lock.
    fn is_cut_restore(&self, record: &AgentRecord) -> Result<bool, Error> {
        Ok(was_lost(record) && !self.has_live_pane(record)?)
    }

    /// Reports agents that exited right after their start. Checks all of them in one pass, and gives each the time that
    /// its kind takes to settle.
    fn mark_early_exits(&self, restored: &mut [Restored]) {
        let Ok(records) = self.0.store.read(self.0.now()) else { return };
        for restored_agent in restored
            .iter_mut()
            .filter(|restored_agent| restored_agent.outcome.is_ok() && !restored_agent.was_back)
        {
            let Some(record) = records.iter().find(|record| record.name == restored_agent.name) else {
                continue;
            };
            if let Err(error) = self.finish_dead_pane(record) {
                restored_agent.outcome = Err(error);
            }
        }
    }

    fn finish_dead_pane(&self, record: &AgentRecord) -> Result<(), Error> {
        let mut kind = self.0.kind_of(record)?;
        let passed = record.started_at.map_or(0, |at| self.0.now().duration_since(at).as_millis());
        kind.settle_ms = kind.settle_ms.saturating_sub(u64::try_from(passed).unwrap_or(0));
        Launcher(self.0).fail_on_early_exit(record, &kind)
    }
}

/// Returns whether the agent was lost and a start has begun that has no process yet.
fn was_lost(record: &AgentRecord) -> bool {
    record.status.status == Status::Starting
        && record.before_start.as_ref().is_some_and(|before| before.status == Status::Lost)
        && record.tmux.is_none()
        && record.pid.is_none()
}
