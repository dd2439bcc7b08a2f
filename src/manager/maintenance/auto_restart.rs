//! Starts agents again that ended by themselves, as their policy says: one at a time, later each time, and not
//! for ever.
//!
//! A restart is written down before it is done. Killed in between, the agent is seen as ended again and waits its
//! turn once more: it counts one restart too many, and is never started twice.

use crate::manager::lifecycle::Lifecycle;
use crate::manager::maintenance::Maintenance;
use crate::manager::registry::RegistryWriter;
use std::time::Duration;

use jiff::Timestamp;

use crate::env::Env;
use crate::error::Error;
use crate::failpoint;
use crate::manager::lifecycle::launch::EnvFrom;
use crate::manager::lifecycle::resume::{How, Watch};
use crate::model::{AgentName, AgentRecord, RestartConfig, Status, StatusNote, What};
use crate::rules::lifecycle::restart::{Plan, plan};

/// How soon one is looked at again for which there was no room.
const WITHOUT_ROOM: Duration = Duration::from_secs(5);

/// What was done.
#[derive(Debug, Default)]
pub struct KeptAlive {
    /// Who was started again, or why not.
    pub restarted: Vec<(AgentName, Result<String, Error>)>,
    /// Who was given up.
    pub gave_up: Vec<AgentName>,
    /// When to come back.
    pub next: Option<Timestamp>,
}

impl Maintenance<'_> {
    /// Plans what is to be planned and does the one restart that is due first.
    pub fn keep_alive(&self) -> Result<KeptAlive, Error> {
        let config = self.0.settings().restart.clone();
        let mut done = KeptAlive::default();
        let mut due: Option<AgentRecord> = None;
        let mut soonest = |at: Timestamp| done.next = Some(done.next.map_or(at, |next| next.min(at)));
        let mut planned = Vec::new();
        let mut hopeless = Vec::new();
        for record in self.0.store.read(Env::now())? {
            match plan(&record, &config, jitter, Env::now()) {
                Plan::Nothing => record.restart.next_at.into_iter().for_each(&mut soonest),
                Plan::At { at } => {
                    soonest(at);
                    planned.push((record, at));
                }
                Plan::GiveUp { why } => hopeless.push((record, why)),
                Plan::Now => {
                    if due.as_ref().is_none_or(|due| record.restart.next_at < due.restart.next_at) {
                        due = Some(record);
                    }
                    soonest(Env::now());
                }
            }
        }
        self.note_plans(&planned)?;
        for (record, why) in hopeless {
            if self.give_up(&record, &why)? {
                done.gave_up.push(record.name);
            }
        }
        if let Some(record) = due
            && let Some(outcome) = self.restart_by_itself(&record, &config)
        {
            done.restarted.push((record.name, outcome));
        }
        Ok(done)
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
            RegistryWriter(self.0).happened(record, What::GaveUp, why.to_owned());
        }
        Ok(written.is_some())
    }

    /// None when somebody else is at work on it, or has been meanwhile.
    fn restart_by_itself(
        &self,
        before: &AgentRecord,
        config: &RestartConfig,
    ) -> Option<Result<String, Error>> {
        failpoint::reached("restart.chosen");
        let lock = self.0.store.try_lock_agent(&before.name, "restart by itself").ok()??;
        let now = Env::now();
        let mut record = self.0.store.find(&before.name, now).ok()??;
        if plan(&record, config, || 0.0, now) != Plan::Now {
            return None;
        }
        // Before it counts as one that runs: whoever has its place by now keeps it.
        let room = match Lifecycle(self.0).make_room(&record) {
            Ok(room) => room,
            Err(error) => return Some(Err(self.put_off(&record, now).err().unwrap_or(error))),
        };
        let after = record.status.reason.clone();
        let window = now - config.window;
        record.restarts.retain(|at| *at > window && *at <= now);
        record.restarts.push(now);
        record.restart.count += 1;
        record.restart.next_at = None;
        let why = format!("it is started again ({} of {}): {after}", record.restarts.len(), config.most);
        record.status = StatusNote::new(Status::Starting, now, why);
        if let Err(error) = RegistryWriter(self.0).write(|edit| edit.put(record.clone())) {
            return Some(Err(error));
        }
        failpoint::reached("restart.noted");
        RegistryWriter(self.0).happened(&record, What::Restarted, after);
        let how = How { watch: Watch::Later, env: EnvFrom::Session };
        let name = record.name.clone();
        let resumed = Lifecycle(self.0)
            .resume_locked(record, how, &lock)
            .and_then(|resumed| Lifecycle(self.0).queue_first(resumed));
        let outcome = resumed.map(|resumed| resumed.remark);
        if let Err(error) = &outcome {
            self.note_in_vain(&name, error);
        }
        drop(room);
        failpoint::reached("restart.done");
        Some(outcome)
    }

    /// It waits its turn, and what it waits does not count as a restart.
    fn put_off(&self, before: &AgentRecord, now: Timestamp) -> Result<(), Error> {
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(&before.name)
                && record.status == before.status
            {
                record.restart.next_at = Some(now + WITHOUT_ROOM);
                edit.put(record);
            }
        })
    }

    /// Why it is down is no longer how it ended, but why it could not be started.
    fn note_in_vain(&self, name: &AgentName, error: &Error) {
        let _ = RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(name)
                && record.status.status == Status::Starting
            {
                let why = format!("it could not be started again: {error}");
                record.status = StatusNote::new(Status::Crashed, Env::now(), why);
                edit.put(record);
            }
        });
    }
}

/// A number from 0 to 1, so that many agents that ended together do not start together.
fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}
