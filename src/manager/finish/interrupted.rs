//! Runs that were interrupted: the next `agent finish` continues them from the journal.

use crate::error::{Code, Error};
use crate::manager::finish::Finishing;
use crate::manager::finish::journal::FinishProgress;
use crate::manager::finish::run::FinishReport;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord};
use crate::store::AgentLocks;

/// A run that was interrupted when the base branch was about to move, or had moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedFinish {
    /// Name of the agent.
    pub agent: AgentName,
    /// The base branch.
    pub base: String,
    /// Whether the base branch has the work already.
    pub has_moved: bool,
    /// Whether agent, worktree and branch stay.
    pub keeps: bool,
}

impl Finishing<'_> {
    /// Returns the run that `continue_interrupted` would complete. Earlier interruptions are only reverted.
    pub fn interrupted_finish(&self, name: &AgentName) -> Result<Option<InterruptedFinish>, Error> {
        let record = self.0.record(name, "finish")?;
        let journal = self.journal(&record)?;
        let is_moving = |progress| matches!(progress, FinishProgress::Moving | FinishProgress::Moved);
        Ok(journal.filter(|journal| is_moving(journal.progress)).map(|journal| InterruptedFinish {
            agent: record.name.clone(),
            base: journal.base,
            has_moved: journal.progress == FinishProgress::Moved,
            keeps: journal.keeps,
        }))
    }

    /// Continues a run that was interrupted. Returns `None` if there is none, or if nothing in the base branch had
    /// changed yet, so that a new run can start.
    pub fn continue_interrupted(&self, name: &AgentName) -> Result<Option<FinishReport>, Error> {
        let record = self.0.record(name, "finish")?;
        if self.journal(&record)?.is_none() {
            return Ok(None);
        }
        let lock = AgentLocks(&self.0.store).lock(name, "finish")?;
        let record = self.0.record(name, "finish")?;
        let Some(mut journal) = self.journal(&record)? else { return Ok(None) };
        // The worktree may be gone already.
        let repository = Workspaces(self.0).worktree_note(&record).repository;
        match journal.progress {
            FinishProgress::Prepared => {
                self.remove_journal(&record)?;
                Ok(None)
            }
            FinishProgress::BringingIn => {
                self.revert_bring_in(&record, &journal)?;
                self.remove_journal(&record)?;
                Ok(None)
            }
            FinishProgress::Moving => match self.complete_move(&record, &repository, &mut journal)? {
                true => self.clean_up(&record, &journal, &lock).map(Some),
                false => Ok(None),
            },
            FinishProgress::Moved => self.clean_up(&record, &journal, &lock).map(Some),
        }
    }

    /// Refuses to plan a run while an interrupted one has changed something: its files would count as changes of the user.
    pub(in crate::manager) fn refuse_interrupted(&self, record: &AgentRecord) -> Result<(), Error> {
        let name = &record.name;
        match self.journal(record)? {
            Some(journal) if journal.progress != FinishProgress::Prepared => {
                Err(Error::new(Code::Workspace, format!("finishing agent `{name}` was interrupted"))
                    .hint(format!("continue: `symposium agent finish {name}`"))
                    .hint(format!("or abort: `symposium agent finish {name} --abort`")))
            }
            _ => Ok(()),
        }
    }
}
