//! `agent hibernate` and waking up: ends the process of an idle agent to save resources. The agent starts again when a
//! user attaches, sends a prompt or queues a task.
//!
//! The tmux session stays, with the environment that the agent was spawned in. The agent CLI stores the conversation.

use std::time::Duration;

use crate::error::{Code, Error};
use crate::manager::launch::start::EnvFrom;
use crate::manager::lifecycle::resume::{EarlyExitCheck, ResumeOptions};
use crate::manager::lifecycle::{Hibernation, Resumption, Termination};
use crate::manager::registry::RegistryWriter;
use crate::manager::status::lookup::is_in_terminal;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentName, AgentRecord, EventKind, Kind, Status, StatusNote};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::store::{AgentLock, AgentLocks};

/// How long an idle agent gets to exit before it is killed.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

impl Hibernation<'_> {
    /// Hibernates an idle agent. `why` becomes the reason of its status.
    pub fn hibernate(&self, name: &AgentName, why: &str) -> Result<Agent, Error> {
        let lock = AgentLocks(&self.0.store).lock(name, "hibernate")?;
        self.hibernate_locked(name, why, lock)
    }

    pub(in crate::manager) fn hibernate_locked(
        &self,
        name: &AgentName,
        why: &str,
        lock: AgentLock,
    ) -> Result<Agent, Error> {
        self.0.record(name, "hibernate")?;
        // Holds the input lock, so that the agent does not disappear while a prompt is being typed into it.
        Workspaces(self.0).ensure_directory(name)?;
        let _typing = AgentLocks(&self.0.store).lock_typing(name)?;
        let agent = AgentLookup(self.0).agent(name, "hibernate")?;
        let record = self.0.record(name, "hibernate")?;
        if agent.status == Status::Hibernated {
            return Ok(agent);
        }
        // An agent that runs outside tmux would take the user's terminal session with it.
        if is_in_terminal(&agent) {
            return Err(Error::in_terminal(name));
        }
        let kind = self.0.kind_of(&record)?;
        if agent.status != Status::Idle
            || record.status.status != Status::Idle
            || !can_hibernate(&record.kind, &kind)
        {
            let status = format!("{} ({})", agent.status, agent.reason);
            return Err(cannot_hibernate(name, &record.kind, &status));
        }
        Termination(self.0).end_processes(&record, TERMINATION_TIMEOUT, &lock)?;
        let record = self.note_asleep(&record, why)?;
        let _ = self.0.store.instance(name).remove_state(STOPPING);
        StatusTracker(self.0).show_status(&record);
        RegistryWriter(self.0).record_event(&record, EventKind::Hibernated, why.to_owned());
        drop(lock);
        AgentLookup(self.0).agent(name, "hibernate")
    }

    fn note_asleep(&self, record: &AgentRecord, why: &str) -> Result<AgentRecord, Error> {
        let written = RegistryWriter(self.0).write(|edit| {
            let mut now = edit.get(&record.name).ok().flatten()?;
            now.status = StatusNote::new(Status::Hibernated, self.0.now(), why);
            now.exit = None;
            now.pid = None;
            Some(edit.put(now))
        })?;
        Ok(written.unwrap_or_else(|| record.clone()))
    }

    /// Resumes the agent if it is hibernated. Returns whether it was.
    pub fn wake(&self, name: &AgentName) -> Result<bool, Error> {
        let sleeps = |record: &AgentRecord| record.status.status == Status::Hibernated;
        if !self.0.store.find(name, self.0.now())?.is_some_and(|record| sleeps(&record)) {
            return Ok(false);
        }
        let lock = AgentLocks(&self.0.store).lock(name, "wake")?;
        let record = self.0.record(name, "wake")?;
        if !sleeps(&record) {
            return Ok(false);
        }
        let how = ResumeOptions { watch: EarlyExitCheck::Settle, env: EnvFrom::Session };
        let resumed = Resumption(self.0).resume_locked(record, how, &lock)?;
        Resumption(self.0).queue_first(resumed)?;
        Ok(true)
    }
}

/// Returns whether an agent of this kind can be resumed with its conversation.
pub(in crate::manager) fn can_hibernate(kind_name: &str, kind: &Kind) -> bool {
    kind_name != PLAIN_COMMAND
        && !(kind.conversation.resume.is_empty() && kind.conversation.resume_last.is_empty())
}

fn cannot_hibernate(name: &AgentName, kind: &str, status: &str) -> Error {
    Error::new(Code::CannotHibernate, format!("agent `{name}` cannot be hibernated"))
        .saw(format!("it is {status}, of kind `{kind}`"))
        .hint("only an idle agent whose kind can resume a conversation can be hibernated")
        .hint(format!("end it with `symposium agent kill {name}`"))
}
