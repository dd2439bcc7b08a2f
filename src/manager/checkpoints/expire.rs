//! Deletes checkpoints: old ones, and all of a removed agent.

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::git::CheckpointStore;
use crate::manager::checkpoints::Checkpoints;
use crate::model::AgentRecord;
use crate::rules::workspace::checkpoints::{expired, refs_of};
use crate::store::{AgentLock, AgentLocks, RunFiles};

/// How long a removal waits for a checkpoint that is being taken.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

impl Checkpoints<'_> {
    /// Deletes the checkpoints of an agent that is removed. Returns the lock for its checkpoints.
    pub(in crate::manager) fn forget(&self, record: &AgentRecord) -> Option<AgentLock> {
        // Taken before the state is read: the first checkpoint may be under way.
        let lock = AgentLocks(&self.0.store).lock_checkpoints(&record.name, LOCK_TIMEOUT).ok().flatten();
        let repository = self.state(record).repository;
        if repository.as_os_str().is_empty() {
            return lock;
        }
        let deleted = self.delete(record, &repository, |known| known);
        if let Err(why) = deleted {
            self.0.notice(format!("checkpoints of `{}` may remain: {why}", record.name));
        }
        lock
    }

    /// Deletes the old checkpoints of all agents.
    pub(in crate::manager) fn expire_all(&self) -> Result<(), Error> {
        let (config, now) = (self.0.settings(), self.0.now());
        for record in self.0.store.read(now)? {
            let repository = self.state(&record).repository;
            if repository.as_os_str().is_empty() {
                continue;
            }
            let Some(_lock) = AgentLocks(&self.0.store).lock_checkpoints(&record.name, Duration::ZERO)?
            else {
                continue;
            };
            let git = self.0.git();
            let known = CheckpointStore(&git).list(&repository, &refs_of(record.id)).unwrap_or_default();
            let old = expired(&known, &config.checkpoints, 0, now);
            // A repository that cannot be written now is tried again at the next clean-up.
            let _ = self.delete(&record, &repository, |_| old);
        }
        Ok(())
    }

    fn delete(
        &self,
        record: &AgentRecord,
        repository: &Path,
        choose: impl FnOnce(Vec<u64>) -> Vec<u64>,
    ) -> Result<(), Error> {
        if !repository.is_dir() {
            return Ok(());
        }
        let (git, prefix) = (self.0.git().with_long_timeout(), refs_of(record.id));
        let failed = |why: crate::git::GitError| Error::io("git")(std::io::Error::other(why));
        let known = CheckpointStore(&git).list(repository, &prefix).map_err(failed)?;
        let numbers = choose(known.into_iter().map(|checkpoint| checkpoint.number).collect());
        let scratch = RunFiles(&self.0.store).staging()?;
        CheckpointStore(&git).delete(repository, &prefix, &numbers, scratch.path()).map_err(failed)
    }
}
