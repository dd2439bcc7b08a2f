//! Moves the base branch to the result, and the files of the working tree that has it checked out.
//!
//! The files change first and the ref last. If the ref has moved in the meantime, or git was killed while it wrote files,
//! the files change back.

use std::path::{Path, PathBuf};

use crate::base::sanitize::shell_word;
use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{BranchMove, Branches, ForeignFiles, GitError, History, TreePair, TreeUpdates};
use crate::manager::finish::Finishing;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::journal::{FinishJournal, FinishProgress};
use crate::manager::finish::request::FinishRequest;
use crate::model::AgentRecord;
use crate::rules::workspace::finish::refusal::listed;
use crate::store::RunFiles;

impl Finishing<'_> {
    /// Moves the base branch as the journal says. `top` is a working tree of the repository.
    pub(in crate::manager) fn move_base(
        &self,
        record: &AgentRecord,
        (top, request): (&Path, &FinishRequest),
        journal: &mut FinishJournal,
    ) -> Result<(), Error> {
        let Some(to) = journal.to.clone() else { return Ok(()) };
        journal.progress = FinishProgress::Moving;
        self.write_journal(record, journal)?;
        failpoint::reached("finish.moving");
        let git = self.0.git().with_long_timeout();
        let trees = TreePair { from: &journal.from, to: &to };
        let staging = RunFiles(&self.0.store).staging()?;
        if let Some(directory) = &journal.directory
            && let Err(why) = TreeUpdates(&git).update(directory, trees, staging.path())
        {
            let error = git_failed(record, &why).saw(format!(
                "`{}` is checked out in {}",
                journal.base,
                directory.display()
            ));
            return Err(self.change_back(record, journal, error));
        }
        failpoint::reached("finish.files");
        let plan = BranchMove { branch: &journal.base, from: &journal.from, to: &to };
        if let Err(why) = Branches(&git).move_tip(top, plan) {
            let error = Error::new(Code::Workspace, format!("`{}` moved in the meantime", journal.base))
                .saw(why.to_string())
                .hint(format!("run it again: `{}`", request.command(&[])));
            return Err(self.change_back(record, journal, error));
        }
        failpoint::reached("finish.moved");
        self.note_moved(record, journal)
    }

    /// Changes the files of the base branch back after a failure, and describes the result. The journal stays if this
    /// fails, so that the next run or `--abort` can repeat it.
    fn change_back(&self, record: &AgentRecord, journal: &FinishJournal, error: Error) -> Error {
        let name = &record.name;
        let reverted = match &journal.directory {
            Some(directory) => self.revert_files(directory, journal),
            None => Ok(Vec::new()),
        };
        match (reverted, &journal.directory) {
            (Err(why), Some(directory)) => error
                .saw("the base branch was not changed")
                .saw(format!("the files in {} could not be restored: {why}", directory.display()))
                .hint(format!("restore them with `symposium agent finish {name} --abort`")),
            _ => match self.remove_journal(record) {
                Ok(()) => error.saw("the base branch was not changed"),
                Err(why) => why,
            },
        }
    }

    /// Gives the files in the working tree of the base branch their old content. Returns those that have content of
    /// neither commit, which stay.
    fn revert_files(&self, directory: &Path, journal: &FinishJournal) -> Result<Vec<String>, GitError> {
        let Some(to) = &journal.to else { return Ok(Vec::new()) };
        let staging =
            RunFiles(&self.0.store).staging().map_err(|why| GitError::Unverified(why.to_string()))?;
        let trees = TreePair { from: to, to: &journal.from };
        TreeUpdates(&self.0.git().with_long_timeout()).settle(
            directory,
            trees,
            staging.path(),
            ForeignFiles::Leave,
        )
    }

    /// Records that the base branch has the work.
    pub(in crate::manager) fn note_moved(
        &self,
        record: &AgentRecord,
        journal: &mut FinishJournal,
    ) -> Result<(), Error> {
        journal.progress = FinishProgress::Moved;
        self.write_journal(record, journal)?;
        failpoint::reached("finish.noted");
        Ok(())
    }

    /// Completes a move that was interrupted. Returns whether the base branch has the work now.
    pub(in crate::manager) fn complete_move(
        &self,
        record: &AgentRecord,
        top: &Path,
        journal: &mut FinishJournal,
    ) -> Result<bool, Error> {
        let Some(to) = journal.to.clone() else { return Ok(true) };
        let git = self.0.git().with_long_timeout();
        let failed = |why| git_failed(record, &why).saw("an interrupted run could not be continued");
        let now = Branches(&git).tip(top, &journal.base).map_err(failed)?.unwrap_or_default();
        if now == journal.from {
            if let Some(directory) = self.directory_of_base(top, journal).map_err(failed)? {
                let staging = RunFiles(&self.0.store).staging()?;
                let trees = TreePair { from: &journal.from, to: &to };
                let settled =
                    TreeUpdates(&git).settle(&directory, trees, staging.path(), ForeignFiles::Refuse);
                settled.map_err(|why| {
                    failed(why)
                        .hint(format!("`git -C {} status` shows the files", shell_word(&directory)))
                        .hint(format!(
                            "restore the other files: `symposium agent finish {} --abort`",
                            record.name
                        ))
                })?;
            }
            let plan = BranchMove { branch: &journal.base, from: &journal.from, to: &to };
            Branches(&git).move_tip(top, plan).map_err(failed)?;
        } else if !History(&git).is_ancestor(top, &to, &now).map_err(failed)? {
            // The branch was moved elsewhere after the interruption, so the work is not in it.
            self.remove_journal(record)?;
            return Ok(false);
        }
        self.note_moved(record, journal)?;
        Ok(true)
    }

    /// Reverts a move that was interrupted. Fails if the base branch has the work already.
    pub(in crate::manager) fn revert_move(
        &self,
        record: &AgentRecord,
        journal: &FinishJournal,
        top: &Path,
    ) -> Result<(), Error> {
        let git = self.0.git().with_long_timeout();
        let failed = |why| git_failed(record, &why).saw("an interrupted run could not be reverted");
        let now = Branches(&git).tip(top, &journal.base).map_err(failed)?.unwrap_or_default();
        let to = journal.to.as_deref().unwrap_or(&journal.from);
        if now != journal.from {
            let has_work = History(&git).is_ancestor(top, to, &now).map_err(failed)?;
            return if has_work { Err(already_merged(record, journal)) } else { Ok(()) };
        }
        let Some(directory) = self.directory_of_base(top, journal).map_err(failed)? else { return Ok(()) };
        let left = self.revert_files(&directory, journal).map_err(failed)?;
        if !left.is_empty() {
            let left = listed(&left).join(", ");
            self.0.notice(format!("files in {} that you changed stay: {left}", directory.display()));
        }
        Ok(())
    }

    /// Returns the working tree of an interrupted move if it still has the base branch checked out.
    fn directory_of_base(&self, top: &Path, journal: &FinishJournal) -> Result<Option<PathBuf>, GitError> {
        let Some(directory) = &journal.directory else { return Ok(None) };
        let checkouts = Branches(&self.0.git().with_long_timeout()).checked_out(top, &journal.base)?;
        match checkouts.iter().find(|tree| tree.top != *directory) {
            Some(other) => Err(GitError::Unverified(format!(
                "`{}` is checked out in {} now",
                journal.base,
                other.top.display()
            ))),
            None => Ok(checkouts.into_iter().next().map(|tree| tree.top)),
        }
    }
}

/// Reports that a run cannot be aborted any more.
pub(in crate::manager) fn already_merged(record: &AgentRecord, journal: &FinishJournal) -> Error {
    let name = &record.name;
    Error::new(Code::Workspace, format!("`{}` has the work of agent `{name}` already", journal.base))
        .hint(format!("complete the interrupted run: `symposium agent finish {name}`"))
}
