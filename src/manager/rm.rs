//! `agent rm`: forgets an agent and all its files. Session first, then files, then the record: cut short, the
//! record is still there to do it again.

use std::time::Duration;

use super::Manager;
use super::reconcile::target_of;
use super::rename::adopt;
use crate::error::Error;
use crate::failpoint;
use crate::model::{AgentName, AgentRecord};
use crate::process;
use crate::store::AgentLock;

/// What may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Only an agent that does not run, and leaves nothing of its own behind.
    Careful,
    /// Also one that runs, and whatever is in its workspace.
    Force,
}

impl Manager {
    /// Forgets an agent.
    pub fn rm(&self, name: &AgentName, removal: Removal) -> Result<(), Error> {
        let lock = self.store.lock_agent(name, "rm")?;
        let record = self.record(name, "rm")?;
        self.finish_move(&record)?;
        if removal == Removal::Careful {
            let alive = !process::tree(&target_of(&record))
                .map_err(Error::io("cannot look at processes"))?
                .is_empty();
            if alive {
                return Err(Error::StillRunning { name: name.clone(), verb: "rm" });
            }
            self.refuse_to_lose_work(&record)?;
        }
        self.remove_locked(&record, &lock)?;
        lock.retire();
        Ok(())
    }

    pub(super) fn remove_locked(&self, record: &AgentRecord, lock: &AgentLock) -> Result<(), Error> {
        self.kill_locked(record, Duration::from_secs(2), lock)?;
        failpoint::reached("rm.killed");
        self.forget_worktree(record);
        self.forget_handoff(record);
        self.forget_editor(record.id)?;
        self.store.instance(&record.name).remove()?;
        failpoint::reached("rm.files");
        // By what it is, not by its name: another agent of that name must not find its mail.
        if let Err(error) = self.with_existing_ledger(|ledger| ledger.drop_mail(record.id)) {
            self.notice(format!("mail of `{}` could not be forgotten: {error}", record.name));
        }
        self.write(|edit| {
            // Its children are its parent's now; another agent of its name must not find them its own.
            adopt(edit, &record.name, record.parent.as_ref());
            edit.remove(&record.name)
        })?;
        Ok(())
    }
}
