//! Restarts agents that ended by themselves, according to their restart policy: one at a time, with exponential backoff
//! and a limit on attempts. Planning takes no time; a restart may take seconds, because an idle agent may have to be
//! hibernated first, so the supervisor executes restarts beside its loop.
//!
//! A restart is stored before it is executed. If the supervisor is killed in between, the agent counts as ended and is
//! scheduled again: it counts one restart too many, but is never started twice.

use std::time::Duration;

use jiff::Timestamp;

use crate::error::Error;
use crate::failpoint;
use crate::manager::launch::start::EnvFrom;
use crate::manager::lifecycle::resume::{EarlyExitCheck, ResumeOptions};
use crate::manager::lifecycle::{Capacity, Resumption};
use crate::manager::maintenance::AutoRestart;
use crate::manager::registry::RegistryWriter;
use crate::model::{AgentName, AgentRecord, EventKind, Status, StatusNote};
use crate::rules::lifecycle::restart::{RestartDecision, plan};
use crate::store::AgentLocks;

/// Delay before the next attempt if there was no free capacity.
const CAPACITY_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Result of one round of planning.
#[derive(Debug, Default)]
pub struct RestartSchedule {
    /// Agents that reached the limit of restarts.
    pub gave_up: Vec<AgentName>,
    /// Whether a restart is due now.
    pub is_due: bool,
    /// Time of the next restart that is not due yet.
    pub next: Option<Timestamp>,
}

impl AutoRestart<'_> {
    /// Schedules restarts and gives up agents that reached the limit. Starts nothing.
    pub fn plan_restarts(&self) -> Result<RestartSchedule, Error> {
        let config = self.0.settings().restart.clone();
        let mut schedule = RestartSchedule::default();
        let mut soonest = |at: Timestamp| schedule.next = Some(schedule.next.map_or(at, |next| next.min(at)));
        let mut planned = Vec::new();
        let mut hopeless = Vec::new();
        for record in self.0.store.read(self.0.now())? {
            match plan(&record, &config, jitter, self.0.now()) {
                RestartDecision::Nothing => record.restart.next_at.into_iter().for_each(&mut soonest),
                RestartDecision::At { at } => {
                    soonest(at);
                    planned.push((record, at));
                }
                RestartDecision::GiveUp { why } => hopeless.push((record, why)),
                RestartDecision::Now => schedule.is_due = true,
            }
        }
        self.note_plans(&planned)?;
        for (record, why) in hopeless {
            if self.give_up(&record, &why)? {
                schedule.gave_up.push(record.name);
            }
        }
        Ok(schedule)
    }

    /// Returns the agents whose restart is due, the earliest first.
    pub fn due_restarts(&self) -> Result<Vec<AgentRecord>, Error> {
        let config = self.0.settings().restart.clone();
        let now = self.0.now();
        let mut due = self.0.store.read(now)?;
        due.retain(|record| plan(record, &config, || 0.0, now) == RestartDecision::Now);
        due.sort_by_key(|record| record.restart.next_at);
        Ok(due)
    }

    fn note_plans(&self, planned: &[(AgentRecord, Timestamp)]) -> Result<(), Error> {
        if planned.is_empty() {
            return Ok(());
        }
        RegistryWriter(self.0).write(|edit| {
            for (before, at) in planned {
                if let Ok(Some(mut record)) = edit.get(&before.name)
                    && record.status == before.status
                {
                    record.restart.next_at = Some(*at);
                    edit.put(record);
                }
            }
        })
    }

    fn give_up(&self, before: &AgentRecord, why: &str) -> Result<bool, Error> {
        let written = RegistryWriter(self.0).write(|edit| {
            let mut record = edit.get(&before.name).ok().flatten()?;
            if record.status != before.status {
                return None;
            }
            record.status = StatusNote::new(Status::Crashed, record.status.since, why);
            record.restart.next_at = None;
            Some(edit.put(record))
        })?;
        if let Some(record) = &written {
            RegistryWriter(self.0).record_event(record, EventKind::GaveUp, why.to_owned());
        }
        Ok(written.is_some())
    }

    /// Restarts an agent whose restart is due. Returns a remark, or `None` if another process holds the agent's lock or
    /// has changed the agent meanwhile. This may take several seconds, for example if an idle agent has to be
    /// hibernated first.
    pub fn restart(&self, before: &AgentRecord) -> Option<Result<String, Error>> {
        let config = self.0.settings().restart.clone();
        failpoint::reached("restart.chosen");
        let lock = AgentLocks(&self.0.store).try_lock(&before.name, "restart by itself").ok()??;
        let now = self.0.now();
        let mut record = self.0.store.find(&before.name, now).ok()??;
        if plan(&record, &config, || 0.0, now) != RestartDecision::Now {
            return None;
        }
        // Capacity is reserved before the agent counts as running. Agents that took its capacity in the meantime keep
        // it.
        let slot = match Capacity(self.0).acquire_start_slot(&record) {
            Ok(slot) => slot,
            Err(error) => return Some(Err(self.postpone(&record, now).err().unwrap_or(error))),
        };
        let after = record.status.reason.clone();
        let window = now - config.window;
        record.restarts.retain(|at| *at > window && *at <= now);
        record.restarts.push(now);
        record.restart.count += 1;
        record.restart.next_at = None;
        let why = format!("it is restarted ({} of {}): {after}", record.restarts.len(), config.max_restarts);
        record.status = StatusNote::new(Status::Starting, now, why);
        if let Err(error) = RegistryWriter(self.0).write(|edit| edit.put(record.clone())) {
            return Some(Err(error));
        }
        failpoint::reached("restart.noted");
        RegistryWriter(self.0).record_event(&record, EventKind::Restarted, after);
        let how = ResumeOptions { watch: EarlyExitCheck::Later, env: EnvFrom::Session };
        let name = record.name.clone();
        let resumed = Resumption(self.0)
            .resume_locked(record, how, &lock)
            .and_then(|resumed| Resumption(self.0).queue_first(resumed));
        let outcome = resumed.map(|resumed| resumed.remark);
        if let Err(error) = &outcome {
            self.note_failed_restart(&name, error);
        }
        drop(slot);
        failpoint::reached("restart.done");
        Some(outcome)
    }

    /// Postpones a restart. The delay does not count as a restart.
    fn postpone(&self, before: &AgentRecord, now: Timestamp) -> Result<(), Error> {
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(&before.name)
                && record.status == before.status
            {
                record.restart.next_at = Some(now + CAPACITY_RETRY_DELAY);
                edit.put(record);
            }
        })
    }

    /// Records why the agent could not be restarted as the reason of its status.
    fn note_failed_restart(&self, name: &AgentName, error: &Error) {
        let _ = RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(name)
                && record.status.status == Status::Starting
            {
                let why = format!("it could not be restarted: {error}");
                record.status = StatusNote::new(Status::Crashed, self.0.now(), why);
                edit.put(record);
            }
        });
    }
}

/// Returns a random number from 0 to 1, so that agents that ended together do not start together.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}
