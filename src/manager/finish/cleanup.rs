//! Removes what is not needed after the base branch has the work: the agent's processes, worktree and branch. Each part
//! can be repeated, and a copy of everything that is not in the base branch is kept for 30 days.

use std::time::Duration;

use crate::error::Error;
use crate::failpoint;
use crate::git::{Branches, History, TreePair};
use crate::manager::finish::Finishing;
use crate::manager::finish::journal::FinishJournal;
use crate::manager::finish::run::{CompletedStep, FinishReport};
use crate::manager::lifecycle::Termination;
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removal;
use crate::manager::workspace::worktree::WorktreeNote;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::AgentRecord;
use crate::rules::workspace::finish::undo;
use crate::store::AgentLock;

/// How long the processes of a finished agent get to exit before they are killed.
pub(in crate::manager) const FINISH_GRACE: Duration = Duration::from_secs(5);

impl Finishing<'_> {
    /// Removes worktree and branch, or brings the result to them if they stay.
    pub(in crate::manager) fn clean_up(
        &self,
        record: &AgentRecord,
        journal: &FinishJournal,
        lock: &AgentLock,
    ) -> Result<FinishReport, Error> {
        let mut report = self.report_of(record, journal);
        if journal.keeps {
            self.advance(record, journal, &mut report);
        } else {
            Termination(self.0).kill_locked(record, FINISH_GRACE, lock)?;
            self.remove_workspace(record, journal, &mut report)?;
        }
        failpoint::reached("finish.cleaned");
        self.forget_conflict(&record.name)?;
        self.remove_journal(record)?;
        Ok(report)
    }

    /// Returns the steps that are done once the base branch has the work.
    fn report_of(&self, record: &AgentRecord, journal: &FinishJournal) -> FinishReport {
        let mut steps = Vec::new();
        if let Some(to) = &journal.to {
            let short: String = to.chars().take(12).collect();
            let undo = match &journal.directory {
                Some(directory) => undo::move_checkout_back(directory, &journal.from),
                None => {
                    let repository = Workspaces(self.0).worktree_note(record).repository;
                    undo::move_branch_back(&repository, &journal.base, (&journal.from, to))
                }
            };
            steps.extend(journal.replaced.iter().map(|copy| CompletedStep {
                text: "the commits before the rebase are kept for 30 days".to_owned(),
                undo: Some(undo::recover(&copy.name)),
            }));
            steps.push(CompletedStep {
                text: format!("`{}` is at {short} ({})", journal.base, journal.method),
                undo: Some(undo),
            });
        }
        FinishReport {
            finished: record.name.clone(),
            base: journal.base.clone(),
            method: journal.method,
            from: journal.from.clone(),
            commit: journal.to.clone(),
            steps,
            recovered: journal.replaced.clone(),
        }
    }

    /// Moves the branch of the agent to the result, so that it continues from there.
    fn advance(&self, record: &AgentRecord, journal: &FinishJournal, report: &mut FinishReport) {
        let Some(to) = journal.to.as_deref().filter(|to| *to != journal.tip) else { return };
        let (git, top) = (self.0.git().with_long_timeout(), Workspaces(self.0).workspace_of(record));
        let trees = TreePair { from: &journal.tip, to };
        let is_there = git.head(&top).is_ok_and(|head| head.as_deref() == Some(to));
        let moved = if is_there { Ok(None) } else { self.change_worktree(record, &git, &top, trees) };
        match moved {
            Ok(copy) => {
                report.steps.push(CompletedStep {
                    text: format!("{} has the result", top.display()),
                    undo: Some(undo::move_checkout_back(&top, &journal.tip)),
                });
                report.recovered = report.recovered.take().or(copy);
            }
            Err(why) => self.0.notice(format!("the worktree of `{}` stays as it was: {why}", record.name)),
        }
    }

    fn remove_workspace(
        &self,
        record: &AgentRecord,
        journal: &FinishJournal,
        report: &mut FinishReport,
    ) -> Result<(), Error> {
        let note = Workspaces(self.0).worktree_note(record);
        let merged = [&journal.tip[..], &journal.from];
        // An error keeps the branch, too.
        let is_part = matches!(
            History(&self.0.git().with_long_timeout()).count_outside(&note.repository, &note.branch, &merged),
            Ok(0)
        );
        let (removal, branch) = match is_part {
            // The copy contains the commits that a squash or rebase replaced.
            true => (Removal::Discard, BranchRemoval::IfStored),
            false => (Removal::Force, BranchRemoval::Never),
        };
        let kept = AgentRemoval(self.0).keep_unsaved_work(record, removal)?;
        failpoint::reached("finish.kept");
        let own_tip = Branches(&self.0.git()).tip(&note.repository, &note.branch).ok().flatten();
        WorkInspection(self.0).forget_worktree(record, branch);
        // A folder that is not a worktree any more.
        let _ = std::fs::remove_dir_all(self.0.store.instance(&record.name).workspace());
        let undo = kept.recovered.as_ref().map(|copy| undo::recover(&copy.name));
        report.steps.push(CompletedStep { text: "the worktree is removed".to_owned(), undo });
        let is_gone =
            Branches(&self.0.git()).tip(&note.repository, &note.branch).is_ok_and(|tip| tip.is_none());
        if note.made_branch && is_gone {
            // The agent may have finished its work on another branch.
            let tip = own_tip.as_ref().unwrap_or(&journal.tip);
            report.steps.push(CompletedStep {
                text: format!("branch `{}` is removed", note.branch),
                undo: Some(undo::restore_branch(&note.repository, &note.branch, tip)),
            });
        }
        report.recovered = report.recovered.take().or(kept.recovered);
        report.steps.push(CompletedStep {
            text: "the agent is ended; its record, recap and conversation stay".to_owned(),
            undo: Some(undo::resume(&record.name)),
        });
        let merged = WorktreeNote { merged_into: Some(journal.base.clone()), ..note.clone() };
        Workspaces(self.0).write_worktree_note(record, &merged)?;
        let reason = format!("its work is in `{}`", journal.base);
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name)
                && now.id == record.id
            {
                now.status.reason = reason;
                edit.put(now);
            }
        })?;
        AgentRemoval(self.0).expire_recovered(&note.repository);
        Ok(())
    }
}
