//! The position of an agent's branch relative to its upstream or base, with the number of uncommitted files.

use std::path::Path;

use crate::git::{self, GitError, UPSTREAM};
use crate::manager::review::Reviews;
use crate::manager::workspace::WorkInspection;
use crate::model::{Agent, AgentRecord, BranchPosition, Workspace};

impl Reviews<'_> {
    /// Compares an agent's branch with its upstream, or with the base of `agent diff` if it has none. Runs git.
    pub fn branch_position(&self, agent: &Agent) -> BranchPosition {
        let Ok(record) = self.0.record(&agent.name, "show") else { return BranchPosition::default() };
        let Ok(top) = self.working_tree(&record) else { return BranchPosition::default() };
        let git = self.0.git();
        let base = self.comparison(&record, &top).ok().flatten();
        let position = base.and_then(|base| git.ahead_and_behind(&top, &base).ok().flatten());
        let mut changed = git.uncommitted(&top).ok();
        if let Some(files) = changed.as_mut().filter(|_| record.workspace == Workspace::Worktree) {
            WorkInspection(self.0).leave_out_copies(&record, files);
        }
        BranchPosition {
            changed: changed.map(|files| files.len()),
            ahead: position.map(|(ahead, _)| ahead),
            behind: position.map(|(_, behind)| behind),
        }
    }

    /// Returns the ref or commit to compare with. An agent that works in place has no branch of its own, so the main
    /// branch takes the place of its base.
    pub(in crate::manager) fn comparison(
        &self,
        record: &AgentRecord,
        top: &Path,
    ) -> Result<Option<String>, GitError> {
        let git = self.0.git();
        if git.has_upstream(top) {
            return Ok(Some(UPSTREAM.to_owned()));
        }
        if record.workspace == Workspace::Worktree {
            let base = self.base(record, top, None).ok();
            return Ok(base.and_then(|base| base.name.or(base.commit)));
        }
        let own = git::checked_out_branch(top);
        Ok(git.nearest_main_branch(top, own.as_deref())?.map(|base| base.reference))
    }
}
