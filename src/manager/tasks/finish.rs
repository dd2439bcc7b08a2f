//! The end of tasks: records which tasks are over because their turn, their agent or their time is over, and queues
//! tasks again that may be retried. Types nothing.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::error::Error;
use crate::ledger::TaskTransition;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::evidence::LAST_WORDS_FILE;
use crate::manager::tasks::TaskCompletion;
use crate::model::{AgentId, AgentName, AgentRecord, EventKind, Task, TaskId, TaskState};
use crate::rules::status::from_hook::one_line;
use crate::rules::tasks::readiness::{TaskEnd, deadline, ending};
use crate::rules::tasks::retry::may_retry;

/// The result of checking running tasks.
#[derive(Debug, Default)]
pub struct FinishedTasks {
    /// Tasks as they were before they ended or returned to their queue.
    pub over: Vec<Task>,
    /// Agents that still work on a task whose time limit has passed.
    pub too_long: Vec<AgentName>,
    /// Deadline of the next task with a time limit.
    pub next: Option<Timestamp>,
}

impl TaskCompletion<'_> {
    /// Marks a task as failed, or queues it again if it has retries left. Returns whether its state changed.
    pub(in crate::manager) fn fail_task(&self, task: &Task, why: &str) -> Result<bool, Error> {
        let from = [task.state];
        let again = may_retry(task);
        let words = match again {
            true => format!("attempt {} failed: {why}", task.attempts),
            false => why.to_owned(),
        };
        let to = if again { TaskState::Queued } else { TaskState::Failed };
        let step = TaskTransition::plain(&from, to, &words);
        RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(task.id, &step, self.0.now()))
    }

    /// Records which tasks are over because their turn, their agent or their time is over. Returns them with the next
    /// deadline.
    pub fn finish_tasks(&self) -> Result<FinishedTasks, Error> {
        let mut settled = FinishedTasks::default();
        if !RegistryWriter(self.0).has_queues() {
            return Ok(settled);
        }
        let running = RegistryWriter(self.0).tasks(&[TaskState::Running])?;
        if running.is_empty() {
            return Ok(settled);
        }
        let records = self.0.store.read(self.0.now())?;
        let by_id: HashMap<AgentId, &AgentRecord> =
            records.iter().map(|record| (record.id, record)).collect();
        for task in running {
            let record = task.agent.and_then(|id| by_id.get(&id).copied());
            let moved = match ending(&task, record, self.0.now()) {
                TaskEnd::NotYet => {
                    settled.next = settled.next.into_iter().chain(deadline(&task)).min();
                    continue;
                }
                TaskEnd::Failed(_) if record.is_none() && TaskQueue(self.0).is_spawning(&task)? => continue,
                TaskEnd::Done(_) if !TaskQueue(self.0).has_begun(&task)? => continue,
                TaskEnd::Done(reason) => {
                    let words = record.and_then(|record| self.whole_words(record)).unwrap_or(reason);
                    let step = TaskTransition {
                        result: Some(&words),
                        ..TaskTransition::plain(&[TaskState::Running], TaskState::Done, "its turn is over")
                    };
                    RegistryWriter(self.0)
                        .with_ledger(|ledger| ledger.move_task(task.id, &step, self.0.now()))?
                }
                TaskEnd::Failed(why) => self.fail_task(&task, &why)?,
                TaskEnd::TooLong(why) => {
                    settled.too_long.extend(record.map(|record| record.name.clone()));
                    self.fail_task(&task, &why)?
                }
            };
            if moved {
                self.note_task_end(task.id);
                settled.over.push(task);
            }
        }
        Ok(settled)
    }

    /// Returns the earliest time at which a queue is released that is held after a failed turn.
    pub fn next_release(&self) -> Result<Option<Timestamp>, Error> {
        if !RegistryWriter(self.0).has_queues() {
            return Ok(None);
        }
        let now = self.0.now();
        let records = self.0.store.read(now)?;
        let held = records.iter().filter_map(|record| record.status.failure()?.held_until);
        Ok(held.filter(|until| *until > now).min())
    }

    /// Records an event for a task that is over, for notices. A task that returned to its queue has none.
    pub(in crate::manager) fn note_task_end(&self, id: TaskId) {
        let Ok(Some(task)) = TaskQueue(self.0).task(id) else { return };
        let record = task.agent.and_then(|agent| RegistryWriter(self.0).record_by_id(agent).ok()?);
        let (what, words) = match task.state {
            TaskState::Done => (EventKind::TaskDone, task.result.as_deref().unwrap_or_default()),
            TaskState::Failed => (EventKind::TaskFailed, task.why.as_str()),
            _ => return,
        };
        if let Some(record) = record {
            let words = one_line(words);
            RegistryWriter(self.0).record_event(
                &record,
                what,
                format!("task {} ({}): {words}", task.id, task.title()),
            );
        }
    }

    /// Returns the complete last message of the turn. The status reason holds only its beginning.
    fn whole_words(&self, record: &AgentRecord) -> Option<String> {
        let words = self.0.store.instance(&record.name).read_state(LAST_WORDS_FILE).ok().flatten()?;
        String::from_utf8(words).ok().filter(|words| one_line(words) == record.status.reason)
    }
}
