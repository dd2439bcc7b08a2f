//! Ephemeral agents: their first task is in the ledger from birth, and they go, directory and all, when it is done.
//! What came of it stays in the ledger; one whose work would be lost stays too, and is ephemeral no more.

use crate::env::Env;
use crate::error::Error;
use crate::ledger::{Query, TaskMove};
use crate::manager::Manager;
use crate::manager::lifecycle::launch_plan::Chosen;
use crate::model::{AgentName, AgentRecord, Doer, NewTask, Status, Task, TaskId, TaskState, What};
use crate::rules::lifecycle::ephemeral::is_done;

/// Who put a task there that an agent was born with.
pub(in crate::manager) const SOURCE: &str = "spawn";

/// What became of an agent that was done.
#[derive(Debug)]
pub struct Vanished {
    /// The agent.
    pub name: AgentName,
    /// Whether it is gone, or why it stays.
    pub outcome: Result<(), Error>,
}

impl Manager {
    /// Writes down what an ephemeral agent is born for.
    pub(in crate::manager) fn note_errand(
        &self,
        record: &AgentRecord,
        chosen: &Chosen,
        task: Option<&str>,
    ) -> Result<Option<TaskId>, Error> {
        // A command is its own task.
        let command = (!chosen.spec.command.is_empty()).then(|| chosen.spec.command.join(" "));
        let Some(text) = task.map(str::to_owned).or(command).filter(|_| record.ephemeral) else {
            return Ok(None);
        };
        let new = NewTask::plain(Doer::Agent(record.id, record.name.clone()), text, SOURCE);
        // Nobody can type it in once more: the agent is not in the registry yet.
        let id = self.queue(&new)?;
        self.move_errand(id, TaskState::Queued, TaskState::Running, "it was born with it")?;
        Ok(Some(id))
    }

    /// The agent could not be started.
    pub(in crate::manager) fn cancel_errand(&self, errand: Option<TaskId>) {
        if let Some(id) = errand {
            let _ =
                self.move_errand(id, TaskState::Running, TaskState::Failed, "its agent could not be started");
        }
    }

    fn move_errand(&self, id: TaskId, from: TaskState, to: TaskState, why: &str) -> Result<bool, Error> {
        let from = [from];
        let step = TaskMove::plain(&from, to, why);
        self.with_ledger(|ledger| ledger.move_task(id, &step, Env::now()))
    }

    /// Whether the agent of a task is not written down yet: who starts it holds its lock until it is.
    pub(in crate::manager) fn is_being_born(&self, task: &Task) -> Result<bool, Error> {
        if task.source != SOURCE {
            return Ok(false);
        }
        let Some(name) = &task.agent_name else { return Ok(false) };
        match self.store.try_lock_agent(name, "look")? {
            None => Ok(true),
            Some(_lock) => {
                Ok(self.store.read(Env::now())?.iter().any(|record| Some(record.id) == task.agent))
            }
        }
    }

    /// Whether an agent has begun what it was born with: ready for a prompt it is before, too.
    pub(in crate::manager) fn has_begun(&self, task: &Task) -> Result<bool, Error> {
        if task.source != SOURCE {
            return Ok(true);
        }
        let query = Query { agent: task.agent, since: Some(task.created_at), after: None, limit: 1000 };
        let rows = self.with_existing_ledger(|ledger| ledger.happenings(&query))?;
        let works = |what: &What| matches!(what, What::Status { to: Status::Working, .. });
        Ok(rows.iter().any(|(_, happening)| works(&happening.what)))
    }

    /// Lets those go that have done what they were there for; says who went, or why one stays.
    pub fn vanish(&self) -> Result<Vec<Vanished>, Error> {
        let mut ephemeral = self.store.read(Env::now())?;
        ephemeral.retain(|record| record.ephemeral);
        if ephemeral.is_empty() {
            return Ok(vec![]);
        }
        let counts = self.with_existing_ledger(|ledger| ledger.queues())?.of;
        let tasks = |record: &AgentRecord| counts.get(&record.id).copied().unwrap_or_default();
        ephemeral.retain(|record| is_done(record, tasks(record)));
        if ephemeral.is_empty() {
            return Ok(vec![]);
        }
        let agents = self.survey()?.agents;
        let is_watched = |record: &AgentRecord| {
            agents.iter().any(|agent| agent.id == record.id && !agent.clients.is_empty())
        };
        ephemeral.retain(|record| !is_watched(record));
        let mut gone = Vec::new();
        for record in ephemeral {
            if let Some(outcome) = self.let_go(&record).transpose() {
                gone.push(Vanished { name: record.name, outcome });
            }
        }
        Ok(gone)
    }

    /// None when somebody else is at work on it, or has been meanwhile.
    fn let_go(&self, before: &AgentRecord) -> Result<Option<()>, Error> {
        let Some(lock) = self.store.try_lock_agent(&before.name, "vanish")? else { return Ok(None) };
        let now = self.store.find(&before.name, Env::now())?;
        let Some(record) = now.filter(|now| now.id == before.id && now.status == before.status) else {
            return Ok(None);
        };
        if let Err(error) = self.refuse_to_lose_work(&record) {
            self.write(|edit| {
                if let Ok(Some(mut record)) = edit.get(&record.name) {
                    record.ephemeral = false;
                    edit.put(record);
                }
            })?;
            return Err(error);
        }
        self.remove_locked(&record, &lock)?;
        lock.retire();
        Ok(Some(()))
    }
}
