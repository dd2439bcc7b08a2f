//! Heartbeats: queues the periodic prompts of agents when they are due.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Error;
use crate::ledger::TaskQuery;
use crate::manager::maintenance::Maintenance;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::model::{AgentName, Assignee, EventKind, Heartbeat, NewTask, TaskState};
use crate::rules::tasks::heartbeat::{due, next};

/// The source of tasks that a heartbeat queues.
const SOURCE: &str = "heartbeat";

/// Result of one round of heartbeats.
#[derive(Debug, Default)]
pub struct HeartbeatReport {
    /// Agents that got a task.
    pub queued: Vec<AgentName>,
    /// Time of the next round.
    pub next: Option<Timestamp>,
}

impl Maintenance<'_> {
    /// Queues the heartbeats that are due. An agent whose last heartbeat task is not done gets no other, and missed
    /// heartbeats are not made up for.
    pub fn queue_due_heartbeats(&self) -> Result<HeartbeatReport, Error> {
        let zone = TimeZone::system();
        let mut report = HeartbeatReport::default();
        for record in self.0.store.read(self.0.now())? {
            let Some(heartbeat) = &record.heartbeat else { continue };
            let now = self.0.now();
            let was_due = due(heartbeat, record.created_at, now, &zone);
            if let Some(at) = was_due {
                // The record is stored first: if the supervisor is killed in between, a heartbeat is skipped, and none
                // is queued twice.
                let is_mine = RegistryWriter(self.0).write(|edit| {
                    let Ok(Some(mut record)) = edit.get(&record.name) else { return false };
                    // Compares for equality and not for an earlier time: after the clock was set back, the last
                    // heartbeat is in the future.
                    let is_as_read = |beat: &&mut Heartbeat| beat.last == heartbeat.last;
                    let Some(heartbeat) = record.heartbeat.as_mut().filter(is_as_read) else { return false };
                    heartbeat.last = Some(at);
                    edit.put(record);
                    true
                })?;
                if is_mine && !self.has_queued_heartbeat(&record.id)? {
                    let assignee = Assignee::Agent(record.id, record.name.clone());
                    let task = NewTask::plain(assignee, heartbeat.prompt.clone(), SOURCE);
                    TaskQueue(self.0).queue(&task)?;
                    RegistryWriter(self.0).record_event(
                        &record,
                        EventKind::Heartbeat,
                        heartbeat.prompt.clone(),
                    );
                    report.queued.push(record.name.clone());
                }
            }
            let mut later = heartbeat.clone();
            later.last = was_due.or(later.last);
            let at = next(&later, record.created_at, now, &zone);
            report.next = report.next.into_iter().chain(at).min();
        }
        Ok(report)
    }

    fn has_queued_heartbeat(&self, agent: &crate::model::AgentId) -> Result<bool, Error> {
        let open = [TaskState::Queued, TaskState::Dispatched, TaskState::Running];
        let tasks = RegistryWriter(self.0).with_ledger(|ledger| {
            ledger.tasks(&TaskQuery { agent: Some(*agent), states: &open, newest: None })
        })?;
        Ok(tasks.iter().any(|task| task.source == SOURCE))
    }
}
