//! The position of an agent's branch relative to its base, with the number of uncommitted files and of conflicts.

use std::path::Path;

use crate::git::{BaseSearch, Branches, GitError, History, UPSTREAM, WorkingTreeChanges};
use crate::manager::review::Reviews;
use crate::model::{Agent, BranchPosition, Workspace};
use crate::rules::workspace::unsaved_work::branch_outcome;

impl Reviews<'_> {
    /// Compares the branch of a worktree with the base of its work, as `agent list --work` does, and that of another
    /// agent with its upstream or the main branch. Runs git.
    pub fn branch_position(&self, agent: &Agent) -> BranchPosition {
        let Ok(record) = self.0.record(&agent.name, "show") else { return BranchPosition::default() };
        let Ok(top) = self.working_tree(&record) else { return BranchPosition::default() };
        if record.workspace == Workspace::Worktree {
            let work = self.work_without_size(&record);
            return BranchPosition {
                changed: work.counts.changed,
                ahead: work.base.as_ref().map(|base| base.ahead),
                behind: work.base.as_ref().map(|base| base.behind),
                outcome: branch_outcome(&work),
            };
        }
        let git = self.0.git();
        let base = self.comparison(&top).ok().flatten();
        let position = base.and_then(|base| History(&git).ahead_and_behind(&top, &base).ok().flatten());
        BranchPosition {
            changed: WorkingTreeChanges(&git).list(&top).ok().map(|files| files.len()),
            ahead: position.map(|(ahead, _)| ahead),
            behind: position.map(|(_, behind)| behind),
            outcome: None,
        }
    }

    /// Returns the ref to compare the branch of an agent with that has no worktree of its own. Without an upstream, the
    /// main branch takes the place of a base.
    pub(in crate::manager) fn comparison(&self, top: &Path) -> Result<Option<String>, GitError> {
        let git = self.0.git();
        if Branches(&git).has_upstream(top) {
            return Ok(Some(UPSTREAM.to_owned()));
        }
        let own = Branches(&git).current(top)?;
        Ok(BaseSearch(&git).nearest_main_branch(top, own.as_deref())?.map(|base| base.reference))
    }
}
