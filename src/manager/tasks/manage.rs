//! The small verbs of tasks: list, show, cancel, retry, progress, done, fail. None of them types anything.

use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::tasks::Tasks;
use jiff::Timestamp;
use serde::Serialize;

use crate::env::Env;
use crate::error::Error;
use crate::ledger::{TaskMove, TaskQuery};
use crate::model::{AgentName, AgentWaits, Progress, Status, Task, TaskId, TaskState, TaskStatus, TaskStep};
use crate::rules::status::from_hook::one_line;
use crate::rules::status::turn_failure::{note_after_release, why_held};

/// Which tasks are wanted.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    /// Of this agent.
    pub agent: Option<AgentName>,
    /// In one of these states; none named means those that something will still come of.
    pub states: Vec<TaskState>,
    /// Only the newest so many.
    pub newest: Option<usize>,
    /// Only tasks whose state changed at or after this time.
    pub since: Option<Timestamp>,
}

/// One task as lists show it. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskView {
    /// The task as it is stored.
    #[serde(flatten)]
    pub task: Task,
    /// Its state, refined: `blocked`, `waiting` and `unknown` are told apart from the stored states.
    pub status: TaskStatus,
    /// Why its agent does not work on it, if it does not.
    pub waits_for: Option<String>,
}

/// One task with all that happened to it. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct TaskShown {
    /// As it is now.
    #[serde(flatten)]
    pub view: TaskView,
    /// The states that it came through.
    pub steps: Vec<TaskStep>,
}

impl Tasks<'_> {
    /// Tasks, the oldest first.
    pub fn task_list(&self, filter: &TaskFilter) -> Result<Vec<Task>, Error> {
        let agent = match &filter.agent {
            Some(name) => Some(self.0.record(name, "show")?.id),
            None => None,
        };
        // Old tasks may have changed last: the limit counts those that are left.
        let newest = filter.newest.filter(|_| filter.since.is_none());
        let query = TaskQuery { agent, states: &filter.states, newest };
        let mut tasks = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.tasks(&query))?;
        if let Some(since) = filter.since {
            tasks.retain(|task| task.changed_at >= since);
            let most = filter.newest.unwrap_or(usize::MAX);
            tasks.drain(..tasks.len().saturating_sub(most));
        }
        Ok(tasks)
    }

    /// The same tasks, each with its status and what it waits for.
    pub fn task_views(&self, filter: &TaskFilter) -> Result<Vec<TaskView>, Error> {
        self.task_list(filter)?.into_iter().map(|task| self.task_view(task)).collect()
    }

    /// A task with its status and what it waits for.
    pub fn task_view(&self, task: Task) -> Result<TaskView, Error> {
        let waits_for = self.what_it_waits_for(&task)?;
        let agent = match waits_for {
            Some(_) => AgentWaits::Yes,
            None => AgentWaits::No,
        };
        Ok(TaskView { status: TaskStatus::of(&task, agent), task, waits_for })
    }

    /// One task with its steps.
    pub fn task_show(&self, id: TaskId) -> Result<TaskShown, Error> {
        let task = self.known_task(id)?;
        let steps = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.task_steps(id))?;
        Ok(TaskShown { view: self.task_view(task)?, steps })
    }

    pub(in crate::manager) fn known_task(&self, id: TaskId) -> Result<Task, Error> {
        TaskQueue(self.0).task(id)?.ok_or(Error::NoSuchTask { id })
    }

    /// Why a task in a queue is not begun.
    fn what_it_waits_for(&self, task: &Task) -> Result<Option<String>, Error> {
        if task.state == TaskState::Running {
            return self.what_its_agent_waits_for(task);
        }
        if task.state == TaskState::Queued && task.blocked == 0 {
            return self.why_its_agent_is_held(task);
        }
        if task.state != TaskState::Queued {
            return Ok(None);
        }
        let mut before = Vec::new();
        for id in &task.after {
            match TaskQueue(self.0).task(*id)? {
                Some(task) if task.state == TaskState::Done => {}
                Some(task) if task.state.is_over() => {
                    before.push(format!("{id} ({}: `symposium task retry {id}`)", task.state));
                }
                Some(task) => before.push(format!("{id} ({})", task.state)),
                None => before.push(id.to_string()),
            }
        }
        Ok(Some(format!("after {}", before.join(", "))))
    }

    /// Explains why a queued task is not dispatched after a failed turn of its agent.
    fn why_its_agent_is_held(&self, task: &Task) -> Result<Option<String>, Error> {
        let record = task.agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten();
        Ok(record.and_then(|record| {
            let failure = record.status.failure().filter(|failure| failure.holds(Env::now()))?;
            Some(why_held(failure, record.name.as_str()))
        }))
    }

    /// What somebody has to answer before a task that is worked at goes on.
    pub fn what_its_agent_waits_for(&self, task: &Task) -> Result<Option<String>, Error> {
        let record = task.agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten();
        Ok(record.filter(|record| record.status.status == Status::Waiting).map(|record| {
            let what = record.status.waiting_for.map(|what| what.to_string()).unwrap_or_default();
            format!("`{}` waits for {what}: {}", record.name, one_line(&record.status.reason))
        }))
    }

    /// A task that is not wanted any more, also one that has failed and would stand in lists for ever. One that is being
    /// worked at is only taken off the list: its agent goes on.
    pub fn task_cancel(&self, id: TaskId) -> Result<Task, Error> {
        let from = [&TaskState::OPEN[..], &[TaskState::Failed]].concat();
        self.step(id, "cancel", &TaskMove::plain(&from, TaskState::Cancelled, "it was cancelled"))
    }

    /// Who works at a task now, and goes on when it is taken off the list.
    pub fn works_at(&self, id: TaskId) -> Result<Option<AgentName>, Error> {
        let task = TaskQueue(self.0).task(id)?.filter(|task| task.state == TaskState::Running);
        let record = task
            .and_then(|task| task.agent)
            .map(|id| RegistryWriter(self.0).record_by_id(id))
            .transpose()?
            .flatten();
        Ok(record.filter(|record| record.status.status == Status::Working).map(|record| record.name))
    }

    /// A task that failed or was cancelled, once more.
    pub fn task_retry(&self, id: TaskId) -> Result<Task, Error> {
        let from = [TaskState::Failed, TaskState::Cancelled];
        // A task of a pool loses its agent with this step.
        let before = self.known_task(id)?;
        let task =
            self.step(id, "retry", &TaskMove::plain(&from, TaskState::Queued, "it was asked for again"))?;
        self.release_queue(&before)?;
        SupervisorControl(self.0).ensure_supervisor();
        Ok(task)
    }

    /// Releases the queue of a task's agent if it is held after a failed turn: the person who retries a task knows
    /// that the agent can work again.
    fn release_queue(&self, task: &Task) -> Result<(), Error> {
        let record = task.agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten();
        let Some(record) = record else { return Ok(()) };
        let released = RegistryWriter(self.0).write(|edit| {
            let mut now = edit.get(&record.name).ok().flatten().filter(|now| now.id == record.id)?;
            now.status = note_after_release(&now.status, Env::now())?;
            Some(edit.put(now))
        })?;
        if let Some(now) = released {
            StatusTracker(self.0).show_status(&now);
        }
        Ok(())
    }

    /// The agent reports that a task is done.
    pub fn task_done(&self, id: TaskId, result: Option<&str>) -> Result<Task, Error> {
        // One that nobody could tell the fate of is done when somebody says so.
        let from = [TaskState::Queued, TaskState::Dispatched, TaskState::Running, TaskState::Failed];
        let step = TaskMove { result, ..TaskMove::plain(&from, TaskState::Done, "it was reported done") };
        let task = self.step(id, "done", &step)?;
        self.note_over(id);
        Ok(task)
    }

    /// The agent reports that a task cannot be done; it is tried again as often as it may be.
    pub fn task_fail(&self, id: TaskId, why: &str) -> Result<Task, Error> {
        let task = self.known_task(id)?;
        if task.state.is_over() || !self.fail_task(&task, why)? {
            return Err(self.not_there(id, "fail")?);
        }
        self.note_over(id);
        self.known_task(id)
    }

    /// How far a task is.
    pub fn task_progress(&self, id: TaskId, progress: &Progress) -> Result<Task, Error> {
        if !RegistryWriter(self.0).with_ledger(|ledger| ledger.note_progress(id, progress))? {
            return Err(self.not_there(id, "progress")?);
        }
        self.known_task(id)
    }

    fn step(&self, id: TaskId, verb: &'static str, step: &TaskMove<'_>) -> Result<Task, Error> {
        self.known_task(id)?;
        if !RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(id, step, Env::now()))? {
            return Err(self.not_there(id, verb)?);
        }
        self.known_task(id)
    }

    fn not_there(&self, id: TaskId, verb: &'static str) -> Result<Error, Error> {
        let task = self.known_task(id)?;
        Ok(Error::TaskIs { id, state: task.state, verb, why: task.why })
    }
}
