//! `agent restore`: after a reboot or a crash of tmux, brings back what was lost.

use super::Manager;
use super::resume::{How, Watch};
use super::side_by_side::side_by_side;
use crate::env::Env;
use crate::error::Error;
use crate::model::{AgentName, AgentRecord, Status};

/// What became of one agent.
#[derive(Debug)]
pub struct Restored {
    /// The agent.
    pub name: AgentName,
    /// What was done, or why not.
    pub outcome: Result<String, Error>,
}

impl Manager {
    /// The agents that are lost now.
    pub fn lost(&self) -> Result<Vec<AgentName>, Error> {
        let survey = self.survey()?;
        if let Some(silence) = survey.silence {
            return Err(silence);
        }
        Ok(survey
            .agents
            .into_iter()
            .filter(|agent| agent.status == Status::Lost)
            .map(|agent| agent.name)
            .collect())
    }

    /// Brings these back, several at once; `each` hears of every one that is done.
    pub fn restore(&self, names: &[AgentName], each: &(dyn Fn(&Restored) + Sync)) -> Vec<Restored> {
        let done = side_by_side(names, |name| {
            let restored = Restored { name: name.clone(), outcome: self.restore_one(name) };
            each(&restored);
            restored
        });
        let mut restored: Vec<Restored> = done.into_iter().map(|(_, restored)| restored).collect();
        self.tell_of_early_deaths(&mut restored);
        self.ensure_supervisor();
        restored
    }

    fn restore_one(&self, name: &AgentName) -> Result<String, Error> {
        let lock = self.store.lock_agent(name, "restore")?;
        let record = self.record(name, "restore")?;
        self.resume_locked(record, How { watch: Watch::Later, ..How::ASKED }, &lock)
            .map(|resumed| resumed.remark)
    }

    /// One look at all of them, after each has had the time that its kind takes to settle.
    fn tell_of_early_deaths(&self, restored: &mut [Restored]) {
        let Ok(records) = self.store.read(Env::now()) else { return };
        for one in restored.iter_mut().filter(|one| one.outcome.is_ok()) {
            let Some(record) = records.iter().find(|record| record.name == one.name) else { continue };
            if let Err(error) = self.settle_what_is_left(record) {
                one.outcome = Err(error);
            }
        }
    }

    fn settle_what_is_left(&self, record: &AgentRecord) -> Result<(), Error> {
        let mut kind = self.kind_of(record)?;
        let passed = record.started_at.map_or(0, |at| Env::now().duration_since(at).as_millis());
        kind.settle_ms = kind.settle_ms.saturating_sub(u64::try_from(passed).unwrap_or(0));
        self.settle(record, &kind)
    }
}
