//! The locks of one agent, of typing into it, and of the supervisor.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::file_lock::AgentLock;
use crate::model::AgentName;
use crate::store::{Store, StoreError, home};

/// Locks of single agents.
#[derive(Debug, Clone, Copy)]
pub struct AgentLocks<'a>(pub &'a Store);

impl AgentLocks<'_> {
    /// Waits for the lock of one agent. `doing` is the operation that is shown to other processes while the lock is
    /// held.
    pub fn lock(&self, name: &AgentName, doing: &str) -> Result<AgentLock, StoreError> {
        self.lock_after(name, doing, Duration::ZERO)
    }

    /// Waits for the lock of one agent, longer than [`AgentLocks::lock`] by the time that its holder may need.
    pub fn lock_after(
        &self,
        name: &AgentName,
        doing: &str,
        holder_needs: Duration,
    ) -> Result<AgentLock, StoreError> {
        let path = self.path(name)?;
        AgentLock::acquire(&path, doing, self.0.lock_timeout.saturating_add(holder_needs))?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// Takes the lock of one agent without waiting. Returns `None` if another process holds it.
    pub fn try_lock(&self, name: &AgentName, doing: &str) -> Result<Option<AgentLock>, StoreError> {
        AgentLock::acquire(&self.path(name)?, doing, Duration::ZERO)
    }

    /// Returns all names that have a lock file, whether there is a record with this name or not.
    pub fn names(&self) -> Result<Vec<AgentName>, StoreError> {
        let run = self.0.home.run();
        let entries = match fs::read_dir(&run) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            Err(error) => return Err(StoreError::read(&run)(error)),
        };
        let name = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_suffix(".lock")?.parse().ok();
        Ok(entries.filter_map(Result::ok).filter_map(name).collect())
    }

    /// Waits for the lock for typing into an agent. It is separate from the agent's lock, because typing must not
    /// prevent a kill.
    pub fn lock_typing(&self, name: &AgentName) -> Result<AgentLock, StoreError> {
        self.lock_typing_within(name, self.0.lock_timeout)
    }

    /// Waits for the lock for typing into an agent, for at most `timeout`.
    pub fn lock_typing_within(&self, name: &AgentName, timeout: Duration) -> Result<AgentLock, StoreError> {
        let path = self.0.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", timeout)?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// Takes the lock for typing into an agent without waiting. Returns `None` if another process holds it.
    pub fn try_lock_typing(&self, name: &AgentName) -> Result<Option<AgentLock>, StoreError> {
        let path = self.0.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", Duration::ZERO)
    }

    /// Waits for the lock for the checkpoints of an agent, for at most `timeout`. Returns `None` if another process
    /// holds it. It is separate from the agent's lock, because a checkpoint is taken while the agent is being started.
    pub fn lock_checkpoints(
        &self,
        name: &AgentName,
        timeout: Duration,
    ) -> Result<Option<AgentLock>, StoreError> {
        let path = self.0.instance(name).state_dir().join("checkpoints.lock");
        AgentLock::acquire(&path, "checkpoint", timeout)
    }

    pub(in crate::store) fn path(&self, name: &AgentName) -> Result<PathBuf, StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        Ok(run.join(format!("{name}.lock")))
    }
}

/// The lock that a running supervisor holds.
#[derive(Debug, Clone, Copy)]
pub struct SupervisorLock<'a>(pub &'a Store);

impl SupervisorLock<'_> {
    /// Waits for the lock of the supervisor, at most as long as `timeout`. Returns `None` if another supervisor holds
    /// it.
    pub fn acquire(&self, timeout: Duration) -> Result<Option<AgentLock>, StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        AgentLock::acquire(&run.join("_supervisor.lock"), "supervise", timeout)
    }

    /// Returns the process id of the supervisor, if one is running. Takes no exclusive lock: a probe must not prevent a
    /// supervisor from starting.
    pub fn holder(&self) -> Option<i32> {
        crate::store::locks::file_lock::holder(&self.0.home.run().join("_supervisor.lock"))
            .map(|(pid, _)| pid)
    }
}
