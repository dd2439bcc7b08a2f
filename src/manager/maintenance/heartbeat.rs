//! Heartbeats: what an agent is asked regularly is put on its queue when it is due.

use crate::manager::maintenance::Maintenance;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::env::Env;
use crate::error::Error;
use crate::ledger::TaskQuery;
use crate::model::{AgentName, Doer, Heartbeat, NewTask, TaskState, What};
use crate::rules::tasks::heartbeat::{due, next};

/// Who puts such a task on the queue.
const SOURCE: &str = "heartbeat";

/// What was due.
#[derive(Debug, Default)]
pub struct Beaten {
    /// Who got a task.
    pub asked: Vec<AgentName>,
    /// When to come back.
    pub next: Option<Timestamp>,
}

impl Maintenance<'_> {
    /// Queues what is due. One that is still unanswered is not asked again, and missed ones are not made up for.
    pub fn beat(&self) -> Result<Beaten, Error> {
        let zone = TimeZone::system();
        let mut beaten = Beaten::default();
        for record in self.0.store.read(Env::now())? {
            let Some(heartbeat) = &record.heartbeat else { continue };
            let now = Env::now();
            let was_due = due(heartbeat, record.created_at, now, &zone);
            if let Some(at) = was_due {
                // Written down first: killed in between, one is left out, and none is asked twice.
                let is_mine = RegistryWriter(self.0).write(|edit| {
                    let Ok(Some(mut record)) = edit.get(&record.name) else { return false };
                    // As it was read, not merely earlier: a clock that was set back leaves a last beat to come.
                    let is_as_read = |beat: &&mut Heartbeat| beat.last == heartbeat.last;
                    let Some(heartbeat) = record.heartbeat.as_mut().filter(is_as_read) else { return false };
                    heartbeat.last = Some(at);
                    edit.put(record);
                    true
                })?;
                if is_mine && !self.is_asked_already(&record.id)? {
                    let doer = Doer::Agent(record.id, record.name.clone());
                    let task = NewTask::plain(doer, heartbeat.prompt.clone(), SOURCE);
                    TaskQueue(self.0).queue(&task)?;
                    RegistryWriter(self.0).happened(&record, What::Heartbeat, heartbeat.prompt.clone());
                    beaten.asked.push(record.name.clone());
                }
            }
            let mut later = heartbeat.clone();
            later.last = was_due.or(later.last);
            let at = next(&later, record.created_at, now, &zone);
            beaten.next = beaten.next.into_iter().chain(at).min();
        }
        Ok(beaten)
    }

    fn is_asked_already(&self, agent: &crate::model::AgentId) -> Result<bool, Error> {
        let open = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];
        let tasks = RegistryWriter(self.0).with_ledger(|ledger| {
            ledger.tasks(&TaskQuery { agent: Some(*agent), states: &open, newest: None })
        })?;
        Ok(tasks.iter().any(|task| task.source == SOURCE))
    }
}
