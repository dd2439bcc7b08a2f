//! Verifies that the files of the user are safe: before a plan is shown, and again directly before the base branch moves,
//! because checks may have run for hours in between.

use crate::error::{Code, Error};
use crate::git::TreePair;
use crate::manager::finish::Finishing;
use crate::manager::finish::compute::Computation;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::journal::FinishJournal;
use crate::model::AgentRecord;
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::refusal::{self, FinishRefusal};

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
    /// and in the worktree if the result is brought there.
    pub(in crate::manager) fn files_in_the_way(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (computation, to): (&Computation, &str),
        worktree: WorktreeChange,
    ) -> Result<Option<FinishRefusal>, Error> {
        let mut changes = Vec::new();
        if let Some(directory) = &facts.base.directory {
            changes.push((directory, TreePair { from: &facts.base.commit, to }));
        }
        if worktree == WorktreeChange::Result {
            changes.push((&facts.work.directory, TreePair { from: &computation.tip, to }));
        }
        for (directory, trees) in changes {
            let found = computation.git.files_in_the_way(directory, trees);
            let found = found.map_err(|why| git_failed(record, &why))?;
            if !found.is_empty() {
                return Ok(Some(refusal::files_in_the_way(directory, &found)));
            }
        }
        Ok(None)
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
        let checkouts = git.checked_out(&facts.work.directory, base);
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
            Err(stopped(refusal.hints.into_iter().fold(error, Error::hint)))
        })
    }
}
