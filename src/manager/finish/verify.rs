//! Verifies that the files of the user are safe: before a plan is shown, and again directly before the base branch moves,
//! because checks may have run for hours in between.

use std::collections::BTreeSet;
use std::path::Path;

use crate::base::sanitize::{shell_word, shown};
use crate::error::{Code, Error};
use crate::git::{Branches, Diffs, Git, GitError, ObjectStore, OverwriteCheck, TreePair, WorkingTreeChanges};
use crate::manager::finish::Finishing;
use crate::manager::finish::compute::{Computation, WorkState};
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::journal::FinishJournal;
use crate::manager::finish::run::CompletedStep;
use crate::model::AgentRecord;
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::refusal::{self, FinishRefusal};
use crate::rules::workspace::finish::undo;
use crate::store::Staging;

/// What a run brings to the worktree of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager) enum WorktreeChange {
    /// Nothing, because the worktree is removed.
    None,
    /// The content of the result, for the checks or for an agent that stays.
    Result,
}

impl Finishing<'_> {
    /// Returns the refusal to overwrite or delete files that git does not track, where the base branch is checked out
    /// and in the worktree if the result is brought there. Where the base branch is checked out, changes that the index
    /// hides are protected as well; in the worktree, they are part of the work.
    pub(in crate::manager) fn files_in_the_way(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (computation, to): (&Computation, &str),
        worktree: WorktreeChange,
    ) -> Result<Option<FinishRefusal>, Error> {
        let mut changes = Vec::new();
        if let Some(directory) = &facts.base.directory {
            let trees = TreePair { from: &facts.base.commit, to };
            let hidden = self.hidden_changes(&computation.git, directory, trees);
            let hidden = hidden.map_err(|why| git_failed(record, &why))?;
            if !hidden.is_empty() {
                return Ok(Some(refusal::hidden_changes(directory, &hidden)));
            }
            changes.push((directory, trees));
        }
        if worktree == WorktreeChange::Result {
            changes.push((&facts.work.directory, TreePair { from: &computation.tip, to }));
        }
        for (directory, trees) in changes {
            let found = OverwriteCheck(&computation.git).files_in_the_way(directory, trees);
            let found = found.map_err(|why| git_failed(record, &why))?;
            if !found.is_empty() {
                return Ok(Some(refusal::files_in_the_way(directory, &found)));
            }
        }
        Ok(None)
    }

    /// Returns the changed files between two trees whose changes in a working tree the index hides.
    fn hidden_changes(
        &self,
        git: &Git,
        directory: &Path,
        trees: TreePair<'_>,
    ) -> Result<Vec<String>, GitError> {
        let mut hidden = WorkingTreeChanges(git).list_hidden(directory)?;
        if !hidden.is_empty() {
            let changed = Diffs(git).changed_files(directory, trees)?;
            let paths = changed.iter().flat_map(|change| [Some(&change.path), change.old_path.as_ref()]);
            let paths: BTreeSet<&Path> = paths.flatten().map(Path::new).collect();
            hidden.retain(|path| paths.contains(&**path));
        }
        Ok(hidden.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Refuses to continue if the worktree has changed since the checks began: the next run would commit files that a check
    /// wrote as work of the agent. `expected` is the state with the commits of this run, and `tip` the last commit of the
    /// agent. Called before anything is ended or pushed.
    pub(in crate::manager) fn verify_after_checks(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (expected, tip): (&WorkState, &str),
        staging: &Staging,
    ) -> Result<(), Error> {
        let failed = |why| git_failed(record, &why).saw("the base branch was not changed");
        let (git, now) =
            self.work_state(record, facts, (ObjectStore::Repository, staging)).map_err(failed)?;
        if now == *expected {
            return Ok(());
        }
        let top = &facts.work.directory;
        let trees = TreePair { from: &expected.tree, to: &now.tree };
        let changed = Diffs(&git).changed_files(top, trees).map_err(failed)?;
        let paths: Vec<String> = changed.into_iter().map(|change| shown(&change.path)).collect();
        let what = match paths.is_empty() {
            true => format!("a branch of agent `{}` changed during the checks", record.name),
            false => format!("files of agent `{}` changed during the checks", record.name),
        };
        let error = Error::new(Code::Workspace, what)
            .saw_all(refusal::listed(&paths))
            .saw("the base branch was not changed, and the agent was not ended");
        let error = match paths.is_empty() {
            true => error,
            false => error
                .hint("remove these files, or let git ignore them if the checks write them")
                .hint(format!("`git -C {} status` shows them", shell_word(top))),
        };
        Err(error.hint_all(self.commit_hints(facts, tip, &expected.head)))
    }

    /// Returns the commits that a run made in the worktree: the commit `tip` with the uncommitted work, and then `head`
    /// with the base branch.
    pub(in crate::manager) fn commit_steps(
        &self,
        facts: &FinishFacts,
        tip: &str,
        head: &str,
    ) -> Vec<CompletedStep> {
        let (top, before) = (&facts.work.directory, &facts.work.head);
        let committed = CompletedStep {
            text: "the uncommitted work is committed".to_owned(),
            undo: Some(undo::uncommit(top, before)),
        };
        let merged = CompletedStep {
            text: format!("the worktree has `{}` now", shown(&facts.base.branch)),
            undo: Some(undo::move_checkout_back(top, tip)),
        };
        (tip != before).then_some(committed).into_iter().chain((head != tip).then_some(merged)).collect()
    }

    /// Returns the same commits as hints, in the order in which they are undone.
    pub(in crate::manager) fn commit_hints(&self, facts: &FinishFacts, tip: &str, head: &str) -> Vec<String> {
        let steps = self.commit_steps(facts, tip, head).into_iter().rev();
        let order = ["undo", "undo after that"];
        let hints = steps
            .zip(order)
            .map(|(step, undo)| format!("{}; {undo}: `{}`", step.text, step.undo.unwrap_or_default()));
        hints.collect()
    }

    /// Refuses to move the base branch if it is checked out elsewhere than when the plan was made, if an operation began
    /// there, or if files that git does not track are in the way now.
    pub(in crate::manager) fn verify_base(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        computation: &Computation,
        journal: &FinishJournal,
    ) -> Result<(), Error> {
        let Some(to) = &journal.to else { return Ok(()) };
        let (git, base) = (&computation.git, &journal.base);
        let stopped = |error: Error| error.saw("the base branch was not changed");
        let checkouts = Branches(git).checked_out(&facts.work.directory, base);
        let checkouts = checkouts.map_err(|why| stopped(git_failed(record, &why)))?;
        let is_as_planned = checkouts.iter().map(|tree| &tree.top).eq(&journal.directory);
        if !is_as_planned || checkouts.iter().any(|tree| tree.operation.is_some()) {
            let places = checkouts.iter().map(|tree| match tree.operation {
                Some(operation) => format!("a {operation} is in progress in {}", tree.top.display()),
                None => format!("it is checked out in {} now", tree.top.display()),
            });
            let places: Vec<String> = match checkouts.is_empty() {
                true => vec!["it is checked out nowhere now".to_owned()],
                false => places.collect(),
            };
            let what = format!("the checkout of `{base}` changed in the meantime");
            return Err(stopped(Error::new(Code::Workspace, what).saw_all(places)));
        }
        let in_the_way = self.files_in_the_way(record, facts, (computation, to), WorktreeChange::None)?;
        in_the_way.map_or(Ok(()), |refusal| {
            let error = Error::new(Code::Workspace, refusal.message).saw_all(refusal.observations);
            Err(stopped(error.hint_all(refusal.hints)))
        })
    }
}
