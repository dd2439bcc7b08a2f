//! Brings the base branch or the result into the worktree of an agent: before the checks, and for an agent that stays.

use std::path::Path;

use crate::error::Error;
use crate::failpoint;
use crate::git::{
    CommitPlan, CommitWriter, ForeignFiles, Git, GitError, History, Objects, TreePair, TreeUpdates,
};
use crate::manager::finish::Finishing;
use crate::manager::finish::compute::Computation;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::journal::{FinishJournal, FinishProgress};
use crate::manager::removal::AgentRemoval;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentRecord, FinishMethod, RecoveredWork};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::store::RunFiles;

impl Finishing<'_> {
    /// Brings the base into the worktree, so that the checks see what the base branch will contain. Returns the new
    /// commit of the worktree.
    pub(in crate::manager) fn bring_base_in(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (computation, result): (&Computation, &str),
        journal: &mut FinishJournal,
    ) -> Result<String, Error> {
        let (top, git, tip) = (&facts.work.directory, &computation.git, &computation.tip);
        let failed = |why| git_failed(record, &why).saw("the base branch was not changed");
        let tree = Objects(git).tree_of(top, result).map_err(failed)?;
        if Objects(git).tree_of(top, tip).map_err(failed)? == tree {
            return Ok(tip.clone());
        }
        let message = format!("Merge branch '{}'", facts.base.branch);
        let parents = [tip.as_str(), &computation.state.base];
        let head = match journal.method {
            FinishMethod::Rebase => result.to_owned(),
            _ => {
                let identity = self.identity();
                let plan =
                    CommitPlan { tree: &tree, parents: &parents, message: &message, identity: &identity };
                CommitWriter(git).write(top, plan).map_err(failed)?
            }
        };
        self.0.progress(&format!("bringing `{}` into the worktree", facts.base.branch));
        journal.brought_in = Some(head.clone());
        journal.progress = FinishProgress::BringingIn;
        self.write_journal(record, journal)?;
        failpoint::reached("finish.bringing");
        let trees = TreePair { from: tip, to: &head };
        journal.replaced = self.change_worktree(record, git, top, trees).map_err(failed)?;
        journal.progress = FinishProgress::Prepared;
        self.write_journal(record, journal)?;
        Ok(head)
    }

    /// Changes files, index and HEAD of a worktree. The files change back if that fails. Returns the copy of commits that
    /// the new commit does not contain, because a squash or rebase replaced them; otherwise only the reflog would have
    /// them.
    pub(in crate::manager) fn change_worktree(
        &self,
        record: &AgentRecord,
        git: &Git,
        top: &Path,
        commits: TreePair<'_>,
    ) -> Result<Option<RecoveredWork>, GitError> {
        let copy = match History(git).is_ancestor(top, commits.from, commits.to)? {
            true => None,
            false => Some(
                AgentRemoval(self.0)
                    .keep_commit(record, top, commits.from)
                    .map_err(|why| GitError::Unverified(why.to_string()))?,
            ),
        };
        failpoint::reached("finish.kept");
        let staging =
            RunFiles(&self.0.store).staging().map_err(|why| GitError::Unverified(why.to_string()))?;
        // An interrupted run may have changed a part of the files.
        let changed = TreeUpdates(git).update(top, commits, staging.path()).or_else(|why| {
            let settled = TreeUpdates(git).settle(top, commits, staging.path(), ForeignFiles::Refuse);
            settled.map(drop).map_err(|_| why)
        });
        changed.and_then(|()| TreeUpdates(git).advance_head(top, commits)).inspect_err(|_| {
            let back = TreePair { from: commits.to, to: commits.from };
            let _ = TreeUpdates(git).settle(top, back, staging.path(), ForeignFiles::Leave);
        })?;
        Ok(copy)
    }

    /// Reverts an interrupted change of the worktree before the checks. Files that the agent changed since then stay.
    pub(in crate::manager) fn revert_bring_in(
        &self,
        record: &AgentRecord,
        journal: &FinishJournal,
    ) -> Result<(), Error> {
        let (git, top) = (self.0.git().with_long_timeout(), Workspaces(self.0).workspace_of(record));
        let failed = |why| git_failed(record, &why).saw("an interrupted run could not be reverted");
        let head = git.head(&top).map_err(failed)?;
        let Some(brought_in) = journal.brought_in.as_ref().filter(|_| head.as_ref() == Some(&journal.tip))
        else {
            return Ok(());
        };
        let staging = RunFiles(&self.0.store).staging()?;
        let back = TreePair { from: brought_in, to: &journal.tip };
        TreeUpdates(&git).settle(&top, back, staging.path(), ForeignFiles::Leave).map(drop).map_err(failed)
    }
}
