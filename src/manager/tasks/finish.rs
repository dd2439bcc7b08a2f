//! The end of tasks: notes which are over because their turn, their agent or their time is, and puts back what is to be
//! tried again. Types nothing.

use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::Tasks;
use std::collections::HashMap;

use jiff::Timestamp;

use crate::env::Env;
use crate::error::Error;
use crate::ledger::TaskMove;
use crate::manager::status::evidence::WORDS;
use crate::model::{AgentId, AgentName, AgentRecord, Task, TaskId, TaskState, What};
use crate::rules::status::from_hook::one_line;
use crate::rules::tasks::queue::{Ending, deadline, ending};

/// What settling found.
#[derive(Debug, Default)]
pub struct Settled {
    /// Tasks as they were before they ended or went back to their queue.
    pub over: Vec<Task>,
    /// Agents that are still at something that took too long.
    pub too_long: Vec<AgentName>,
    /// When the next task's time is over.
    pub next: Option<Timestamp>,
}

impl Tasks<'_> {
    /// A task that failed is tried again as often as it may be.
    pub(in crate::manager) fn fail_task(&self, task: &Task, why: &str) -> Result<bool, Error> {
        let from = [task.state];
        let again = task.attempts.max(1) <= task.retries;
        let words = match again {
            true => format!("attempt {} failed: {why}", task.attempts),
            false => why.to_owned(),
        };
        let to = if again { TaskState::Queued } else { TaskState::Failed };
        let step = TaskMove::plain(&from, to, &words);
        RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(task.id, &step, Env::now()))
    }

    /// Notes which tasks are over because their turn, their agent or their time is; says which, and when the next
    /// one's time is over.
    pub fn settle_tasks(&self) -> Result<Settled, Error> {
        let mut settled = Settled::default();
        if !RegistryWriter(self.0).has_queues() {
            return Ok(settled);
        }
        let running = RegistryWriter(self.0).tasks(&[TaskState::Running])?;
        if running.is_empty() {
            return Ok(settled);
        }
        let records = self.0.store.read(Env::now())?;
        let by_id: HashMap<AgentId, &AgentRecord> =
            records.iter().map(|record| (record.id, record)).collect();
        for task in running {
            let record = task.agent.and_then(|id| by_id.get(&id).copied());
            let moved = match ending(&task, record, Env::now()) {
                Ending::NotYet => {
                    settled.next = settled.next.into_iter().chain(deadline(&task)).min();
                    continue;
                }
                Ending::Failed(_) if record.is_none() && TaskQueue(self.0).is_being_born(&task)? => continue,
                Ending::Done(_) if !TaskQueue(self.0).has_begun(&task)? => continue,
                Ending::Done(reason) => {
                    let words = record.and_then(|record| self.whole_words(record)).unwrap_or(reason);
                    let step = TaskMove {
                        result: Some(&words),
                        ..TaskMove::plain(&[TaskState::Running], TaskState::Done, "its turn is over")
                    };
                    RegistryWriter(self.0)
                        .with_ledger(|ledger| ledger.move_task(task.id, &step, Env::now()))?
                }
                Ending::Failed(why) => self.fail_task(&task, &why)?,
                Ending::TooLong(why) => {
                    settled.too_long.extend(record.map(|record| record.name.clone()));
                    self.fail_task(&task, &why)?
                }
            };
            if moved {
                self.note_over(task.id);
                settled.over.push(task);
            }
        }
        Ok(settled)
    }

    /// Returns when the next queue is released that is held after a failed turn.
    pub fn next_release(&self) -> Result<Option<Timestamp>, Error> {
        if !RegistryWriter(self.0).has_queues() {
            return Ok(None);
        }
        let now = Env::now();
        let records = self.0.store.read(now)?;
        let held = records.iter().filter_map(|record| record.status.failure()?.held_until);
        Ok(held.filter(|until| *until > now).min())
    }

    /// Writes down that a task is over, for notices; what goes back to its queue is not.
    pub(in crate::manager) fn note_over(&self, id: TaskId) {
        let Ok(Some(task)) = TaskQueue(self.0).task(id) else { return };
        let record = task.agent.and_then(|agent| RegistryWriter(self.0).record_by_id(agent).ok()?);
        let (what, words) = match task.state {
            TaskState::Done => (What::TaskDone, task.result.as_deref().unwrap_or_default()),
            TaskState::Failed => (What::TaskFailed, task.why.as_str()),
            _ => return,
        };
        if let Some(record) = record {
            let words = one_line(words);
            RegistryWriter(self.0).happened(
                &record,
                what,
                format!("task {} ({}): {words}", task.id, task.title()),
            );
        }
    }

    /// All it said in the turn that its status tells the beginning of.
    fn whole_words(&self, record: &AgentRecord) -> Option<String> {
        let words = self.0.store.instance(&record.name).read_state(WORDS).ok().flatten()?;
        String::from_utf8(words).ok().filter(|words| one_line(words) == record.status.reason)
    }
}
