//! Works off queues: types a task into an agent that is idle, and notes what became of it.
//!
//! A task is marked as dispatched before a key is pressed. Killed in between, it is looked for in what the agent
//! says it took; what cannot be known is left to a person, never typed twice.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;

use super::Manager;
use super::event::{PROMPT, WORDS};
use super::send::SendRequest;
use crate::env::Env;
use crate::error::Error;
use crate::ledger::{TaskMove, TaskQuery};
use crate::model::{Agent, AgentId, AgentRecord, NewTask, Task, TaskId, TaskState};
use crate::rules::confirm::is_same;
use crate::rules::delivery::Lines;
use crate::rules::dispatch::{Ending, Ready, ending, ready};
use crate::rules::hook::one_line;

/// The file in `run/` that says: there may be tasks.
const QUEUES: &str = "_queues";
/// How long a task waits for an agent that was idle a moment ago.
const PATIENCE: Duration = Duration::from_secs(10);

impl Manager {
    /// The tasks that could be typed in now: the first of each queue whose agent is ready.
    pub fn dispatchable(&self) -> Result<Vec<Task>, Error> {
        let queued = self.tasks(&[TaskState::Queued])?;
        if queued.is_empty() {
            return Ok(vec![]);
        }
        let busy: HashSet<AgentId> = self
            .tasks(&[TaskState::Dispatched, TaskState::Running])?
            .into_iter()
            .map(|task| task.agent)
            .collect();
        let agents = self.survey()?.agents;
        let mut seen = HashSet::new();
        let mut due = Vec::new();
        for agent in agents.iter().filter(|agent| !busy.contains(&agent.id)) {
            if ready(agent, Env::now()) == Ready::No || !seen.insert(agent.id) {
                continue;
            }
            due.extend(self.with_ledger(|ledger| ledger.next_task(agent.id))?);
        }
        Ok(due)
    }

    /// Types one task in; false when somebody else was quicker.
    pub fn dispatch(&self, task: &Task) -> Result<bool, Error> {
        let Some(record) = self.record_by_id(task.agent)? else {
            return self.move_task(task, TaskState::Failed, "its agent is gone", None);
        };
        if !self.move_task(task, TaskState::Dispatched, "it is being typed in", None)? {
            return Ok(false);
        }
        crate::failpoint::reached("dispatch.noted");
        let task = Task { state: TaskState::Dispatched, ..task.clone() };
        if let Err(error) = self.wake(&record.name) {
            return self.move_task(
                &task,
                TaskState::Queued,
                &format!("it could not be woken: {error}"),
                None,
            );
        }
        let request = SendRequest {
            name: record.name.clone(),
            text: task.text.clone(),
            lines: Lines::Together,
            timeout: PATIENCE,
        };
        let sent = self.send(&request);
        crate::failpoint::reached("dispatch.sent");
        match sent {
            Ok(by) => self.move_task(&task, TaskState::Running, by, None),
            Err(Error::NotConfirmed { why, .. }) if why.contains("nothing was typed") => {
                self.move_task(&task, TaskState::Queued, &why, None)
            }
            Err(error) => self.move_task(&task, TaskState::Failed, &error.to_string(), None),
        }
    }

    /// Notes which tasks are over because their turn or their agent is; says which.
    pub fn settle_tasks(&self) -> Result<Vec<(Task, TaskState)>, Error> {
        let running = self.tasks(&[TaskState::Running])?;
        if running.is_empty() {
            return Ok(vec![]);
        }
        let records = self.store.read(Env::now())?;
        let mut settled = Vec::new();
        for task in running {
            let record = records.iter().find(|record| record.id == task.agent);
            let (state, why, result) = match ending(&task, record) {
                Ending::NotYet => continue,
                Ending::Failed(_) if record.is_none() && self.is_being_born(&task)? => continue,
                Ending::Done(_) if !self.has_begun(&task)? => continue,
                Ending::Done(reason) => {
                    let words = record.and_then(|record| self.whole_words(record)).unwrap_or(reason);
                    (TaskState::Done, "its turn is over".to_owned(), Some(words))
                }
                Ending::Failed(why) => (TaskState::Failed, why, None),
            };
            if self.move_task(&task, state, &why, result.as_deref())? {
                settled.push((task, state));
            }
        }
        Ok(settled)
    }

    /// All it said in the turn that its status tells the beginning of.
    fn whole_words(&self, record: &AgentRecord) -> Option<String> {
        let words = self.store.instance(&record.name).read_state(WORDS).ok().flatten()?;
        String::from_utf8(words).ok().filter(|words| one_line(words) == record.status.reason)
    }

    /// After a supervisor was killed: what it was typing is found out, or left to a person.
    pub fn recover_tasks(&self) -> Result<(), Error> {
        for task in self.tasks(&[TaskState::Dispatched])? {
            let taken = self.record_by_id(task.agent)?.is_some_and(|record| self.has_taken(&record, &task));
            let (state, why) = if taken {
                (TaskState::Running, "it was typed in when the supervisor was interrupted")
            } else {
                (TaskState::Failed, "the supervisor was interrupted while it was typed in; look at the agent")
            };
            self.move_task(&task, state, why, None)?;
        }
        Ok(())
    }

    fn has_taken(&self, record: &AgentRecord, task: &Task) -> bool {
        let Ok(Some(text)) = self.store.instance(&record.name).read_state(PROMPT) else { return false };
        let Ok(heard) = serde_json::from_slice::<serde_json::Value>(&text) else { return false };
        let at: Option<Timestamp> = heard["at"].as_str().and_then(|at| at.parse().ok());
        at >= Some(task.changed_at) && heard["text"].as_str().is_some_and(|taken| is_same(taken, &task.text))
    }

    fn move_task(&self, task: &Task, to: TaskState, why: &str, result: Option<&str>) -> Result<bool, Error> {
        let step = TaskMove { from: &[task.state], to, why, result };
        self.with_ledger(|ledger| ledger.move_task(task.id, &step, Env::now()))
    }

    /// Puts a task on its agent's queue.
    pub(super) fn queue(&self, task: &NewTask) -> Result<TaskId, Error> {
        // First, so that whoever lists agents knows that there are queues to count.
        self.store.write_run(QUEUES, b"")?;
        self.with_ledger(|ledger| ledger.add_task(task, Env::now()))
    }

    /// Fills in how many tasks each agent has; the ledger is opened only when there ever was one.
    pub(super) fn count_tasks(&self, agents: &mut [Agent]) {
        if !self.store.has_run(QUEUES) {
            return;
        }
        let counts = self.with_existing_ledger(|ledger| ledger.task_counts()).unwrap_or_default();
        for agent in agents {
            agent.tasks = counts.get(&agent.id).copied().unwrap_or_default();
        }
    }

    pub(super) fn tasks(&self, states: &[TaskState]) -> Result<Vec<Task>, Error> {
        self.with_existing_ledger(|ledger| ledger.tasks(&TaskQuery { agent: None, states }))
    }

    pub(super) fn tasks_in(&self, states: &[TaskState]) -> Result<usize, Error> {
        self.tasks(states).map(|tasks| tasks.len())
    }

    fn record_by_id(&self, id: AgentId) -> Result<Option<AgentRecord>, Error> {
        Ok(self.store.read(Env::now())?.into_iter().find(|record| record.id == id))
    }
}
