//! The commands that read a task or change its state: list, show, cancel, retry, progress, done, fail. None of them
//! types anything.

use jiff::Timestamp;
use serde::Serialize;

use crate::error::{Code, Error};
use crate::ledger::{TaskQuery, TaskTransition};
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::tasks::{TaskCompletion, Tasks};
use crate::model::{
    AgentName, AgentWaits, Status, Task, TaskId, TaskProgress, TaskState, TaskStatus, TaskStep,
};
use crate::rules::status::from_hook::one_line;
use crate::rules::status::turn_failure::{note_after_release, why_held};

/// Selects tasks for a list.
#[derive(Debug, Clone, Default)]
pub struct TaskFilter {
    /// Only tasks of this agent.
    pub agent: Option<AgentName>,
    /// Only tasks in one of these states. An empty list selects the tasks that are not over.
    pub states: Vec<TaskState>,
    /// Only this many of the newest tasks.
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
    /// The refined state: unlike the stored state, it distinguishes `blocked`, `waiting` and `unknown`.
    pub status: TaskStatus,
    /// Why the task makes no progress, if it does not.
    pub waits_for: Option<String>,
}

/// One task with its history. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct TaskShown {
    /// The task in its current state.
    #[serde(flatten)]
    pub view: TaskView,
    /// The states that the task went through.
    pub steps: Vec<TaskStep>,
}

impl Tasks<'_> {
    /// Returns the selected tasks, oldest first.
    pub fn task_list(&self, filter: &TaskFilter) -> Result<Vec<Task>, Error> {
        let agent = match &filter.agent {
            Some(name) => Some(self.0.record(name, "show")?.id),
            None => None,
        };
        // An old task may have changed recently, so the limit applies after the filter.
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

    /// Returns the selected tasks, each with its status and what it waits for.
    pub fn task_views(&self, filter: &TaskFilter) -> Result<Vec<TaskView>, Error> {
        self.task_list(filter)?.into_iter().map(|task| self.task_view(task)).collect()
    }

    /// Returns a task with its status and what it waits for.
    pub fn task_view(&self, task: Task) -> Result<TaskView, Error> {
        let waits_for = self.pending_question(&task)?;
        let agent = match waits_for {
            Some(_) => AgentWaits::Yes,
            None => AgentWaits::No,
        };
        Ok(TaskView { status: TaskStatus::of(&task, agent), task, waits_for })
    }

    /// Returns one task with its history.
    pub fn task_show(&self, id: TaskId) -> Result<TaskShown, Error> {
        let task = self.known_task(id)?;
        let steps = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.task_steps(id))?;
        Ok(TaskShown { view: self.task_view(task)?, steps })
    }

    pub(in crate::manager) fn known_task(&self, id: TaskId) -> Result<Task, Error> {
        TaskQueue(self.0).task(id)?.ok_or(Error::no_such_task(id))
    }

    /// Explains why a task makes no progress.
    fn pending_question(&self, task: &Task) -> Result<Option<String>, Error> {
        if task.state == TaskState::Running {
            return self.waiting_reason(task);
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
            let failure = record.status.failure().filter(|failure| failure.holds_queue(self.0.now()))?;
            Some(why_held(failure, record.name.as_str()))
        }))
    }

    /// Describes the question that must be answered before a running task continues.
    pub fn waiting_reason(&self, task: &Task) -> Result<Option<String>, Error> {
        let record = task.agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten();
        Ok(record.filter(|record| record.status.status == Status::Waiting).map(|record| {
            let what = record.status.waiting_for.map(|what| what.to_string()).unwrap_or_default();
            format!("`{}` waits for {what}: {}", record.name, one_line(&record.status.reason))
        }))
    }

    /// Cancels a task. A failed task can be cancelled too, because it would stay in lists forever. For a running task
    /// only the state changes: its agent continues to work.
    pub fn task_cancel(&self, id: TaskId) -> Result<Task, Error> {
        let from = [&TaskState::OPEN[..], &[TaskState::Failed]].concat();
        self.step(id, "cancel", &TaskTransition::plain(&from, TaskState::Cancelled, "it was cancelled"))
    }

    /// Returns the agent that works on the task now. It continues when the task is cancelled.
    pub fn works_at(&self, id: TaskId) -> Result<Option<AgentName>, Error> {
        let task = TaskQueue(self.0).task(id)?.filter(|task| task.state == TaskState::Running);
        let record = task
            .and_then(|task| task.agent)
            .map(|id| RegistryWriter(self.0).record_by_id(id))
            .transpose()?
            .flatten();
        Ok(record.filter(|record| record.status.status == Status::Working).map(|record| record.name))
    }

    /// Queues a failed or cancelled task again.
    pub fn task_retry(&self, id: TaskId) -> Result<Task, Error> {
        let from = [TaskState::Failed, TaskState::Cancelled];
        // A task for any agent of a spec loses its agent with this step.
        let before = self.known_task(id)?;
        let task = self.step(
            id,
            "retry",
            &TaskTransition::plain(&from, TaskState::Queued, "it was queued again on request"),
        )?;
        self.release_queue(&before)?;
        SupervisorControl(self.0).ensure_supervisor();
        Ok(task)
    }

    /// Releases the queue of a task's agent if it is held after a failed turn: the user who retries a task knows that
    /// the agent can work again.
    fn release_queue(&self, task: &Task) -> Result<(), Error> {
        let record = task.agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten();
        let Some(record) = record else { return Ok(()) };
        let released = RegistryWriter(self.0).write(|edit| {
            let mut now = edit.get(&record.name).ok().flatten().filter(|now| now.id == record.id)?;
            now.status = note_after_release(&now.status, self.0.now())?;
            Some(edit.put(now))
        })?;
        if let Some(now) = released {
            StatusTracker(self.0).show_status(&now);
        }
        Ok(())
    }

    /// Records that a task is done, as its agent or the user reports.
    pub fn task_done(&self, id: TaskId, result: Option<&str>) -> Result<Task, Error> {
        // A task with an unknown outcome is `failed`; it becomes `done` when it is reported as done.
        let from = [TaskState::Queued, TaskState::Dispatched, TaskState::Running, TaskState::Failed];
        let step = TaskTransition {
            result,
            ..TaskTransition::plain(&from, TaskState::Done, "it was reported done")
        };
        let task = self.step(id, "done", &step)?;
        TaskCompletion(self.0).note_task_end(id);
        Ok(task)
    }

    /// Records that a task failed, as its agent or the user reports. It is queued again if it has retries left.
    pub fn task_fail(&self, id: TaskId, why: &str) -> Result<Task, Error> {
        let task = self.known_task(id)?;
        if task.state.is_over() || !TaskCompletion(self.0).fail_task(&task, why)? {
            return Err(self.wrong_state_error(id, "fail")?);
        }
        TaskCompletion(self.0).note_task_end(id);
        self.known_task(id)
    }

    /// Records the progress of a task.
    pub fn task_progress(&self, id: TaskId, progress: &TaskProgress) -> Result<Task, Error> {
        if !RegistryWriter(self.0).with_ledger(|ledger| ledger.note_progress(id, progress))? {
            return Err(self.wrong_state_error(id, "progress")?);
        }
        self.known_task(id)
    }

    fn step(&self, id: TaskId, verb: &'static str, step: &TaskTransition<'_>) -> Result<Task, Error> {
        self.known_task(id)?;
        if !RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(id, step, self.0.now()))? {
            return Err(self.wrong_state_error(id, verb)?);
        }
        self.known_task(id)
    }

    fn wrong_state_error(&self, id: TaskId, verb: &'static str) -> Result<Error, Error> {
        let task = self.known_task(id)?;
        Ok(wrong_state(&task, verb))
    }
}

/// Returns the error for a step that the state of the task does not permit.
fn wrong_state(task: &Task, verb: &str) -> Error {
    let (id, state) = (task.id, task.state);
    let attempt = match verb {
        "done" => format!("mark task {id} as done"),
        "fail" => format!("mark task {id} as failed"),
        "progress" => format!("report progress on task {id}"),
        verb => format!("{verb} task {id}"),
    };
    let already = if state.is_over() { "already " } else { "" };
    Error::new(Code::WrongTaskState, format!("cannot {attempt}: it is {already}{state}"))
        .saw_all(Some(&task.why).filter(|why| !why.is_empty()))
        .hint(format!("`symposium task show {id}` shows what happened to it"))
}
