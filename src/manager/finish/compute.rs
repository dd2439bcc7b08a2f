//! Computes the result of finishing with objects only: no ref, index or file changes, so a conflict leaves nothing
//! behind.

use std::path::Path;

use crate::error::Error;
use crate::git::{
    Branches, CommitIdentity, CommitPlan, CommitWriter, Diffs, Git, GitError, History, MergeDetection,
    MergedTree, Merges, ObjectStore, Objects, ReplayedCommits, SnapshotPlan, Snapshots, TreePair,
};
use crate::manager::finish::Finishing;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::request::FinishRequest;
use crate::manager::finish::run::changed_meanwhile;
use crate::manager::recaps::Recaps;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentRecord, FinishMethod, MergeState};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::message;
use crate::store::Staging;

/// The state of the work and of the base branch that a plan was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::manager) struct WorkState {
    /// Commit that is checked out in the worktree.
    pub head: String,
    /// The content of the worktree as a tree.
    pub tree: String,
    /// Commit of the base branch.
    pub base: String,
}

/// The computed result.
#[derive(Debug)]
pub(in crate::manager) struct Computation {
    /// The state that the result was computed from.
    pub state: WorkState,
    /// The last commit of the agent, with its uncommitted work.
    pub tip: String,
    /// Whether HEAD has the content of the files already, but the index has another one.
    pub has_stale_index: bool,
    /// Message of the commit with the uncommitted work.
    pub message: String,
    /// The commit at which the work starts if it is stacked on other work that the base branch has already.
    pub start: Option<String>,
    /// Result of the merge.
    pub outcome: MergeOutcome,
    /// The git that can read the computed objects.
    pub git: Git,
}

/// Result of merging the work into the base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::manager) enum MergeOutcome {
    /// The base branch has all of the work already.
    Nothing,
    /// A commit that contains the base branch.
    Commit {
        /// Id of the commit.
        id: String,
        /// Number of files that change in the base branch.
        files: usize,
    },
    /// The work conflicts with the base branch.
    Conflicts(Vec<String>),
    /// The work contains merge commits, and a rebase would lose how they resolved conflicts.
    MergesInTheWay,
}

impl Finishing<'_> {
    /// Computes the result. Objects are written to the repository or to `staging`, as `store` says.
    pub(in crate::manager) fn compute(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        request: &FinishRequest,
        (store, staging): (ObjectStore, &Staging),
    ) -> Result<Computation, Error> {
        let failed = |why| git_failed(record, &why).saw("nothing was changed");
        let words = Recaps(self.0).recap_of(record, self.0.now())?.last_words;
        let message = message::for_uncommitted(&record.name, request.message.as_deref(), words.as_deref());
        let (git, state) = self.work_state(record, facts, (store, staging)).map_err(failed)?;
        // The result would be compared with another commit than it is based on.
        if state.base != facts.base.commit {
            return Err(changed_meanwhile(request));
        }
        let (top, identity) = (&facts.work.directory, self.identity());
        // A run may have been killed after it committed the work and before it updated the index.
        let is_committed = Objects(&git).tree_of(top, &state.head).is_ok_and(|tree| tree == state.tree);
        let has_stale_index = is_committed && !facts.work.uncommitted.is_empty();
        let tip = match is_committed || facts.work.uncommitted.is_empty() {
            true => state.head.clone(),
            false => {
                let parents = [state.head.as_str()];
                let plan = CommitPlan {
                    tree: &state.tree,
                    parents: &parents,
                    message: &message,
                    identity: &identity,
                };
                CommitWriter(&git).write(top, plan).map_err(failed)?
            }
        };
        let method = self.method(request)?;
        let (base, scratch) = (&state.base, staging.path());
        let start = match request.opens_pull_request {
            // A forge does not know where the work starts.
            true => None,
            false => self.stacked_start(record, facts, (&state, scratch)).map_err(failed)?,
        };
        let start_of = start.as_deref();
        let input =
            MergeInput { git: &git, top, base, tip: &tip, start: start_of, scratch, identity: &identity };
        let outcome = match method {
            FinishMethod::Rebase => rebased(&input),
            FinishMethod::Merge => {
                let branch = facts.work.branch.as_deref();
                let message = message::for_merge(&record.name, request.message.as_deref(), branch);
                merged(&input, &message, &[&state.base, &tip])
            }
            FinishMethod::Squash => {
                let messages = messages(&input).map_err(failed)?;
                let given = request.message.as_deref();
                let message = message::for_squash(&record.name, given, words.as_deref(), &messages);
                merged(&input, &message, &[&state.base])
            }
        };
        let outcome = outcome.map_err(failed)?;
        Ok(Computation { state, tip, has_stale_index, message, start, outcome, git })
    }

    /// Returns the commit at which the work starts if it is stacked on other work that the base branch has as other commits,
    /// for example squashed. The changes before this commit would conflict with their copy.
    fn stacked_start(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (state, scratch): (&WorkState, &Path),
    ) -> Result<Option<String>, GitError> {
        let Some(base) = Workspaces(self.0).worktree_note(record).base else { return Ok(None) };
        let (git, top) = (self.0.git().with_long_timeout(), &facts.work.directory);
        // The agent may have left the commit, and git may have deleted it since then.
        let is_stacked = History(&git).is_ancestor(top, &base.commit, &state.head).unwrap_or(false)
            && !History(&git).is_ancestor(top, &base.commit, &state.base)?;
        if !is_stacked {
            return Ok(None);
        }
        let targets = [state.base.clone()];
        let found = MergeDetection(&git).state(top, (&base.commit, None), &targets, scratch)?;
        Ok((found == MergeState::Merged).then_some(base.commit))
    }

    /// Returns how the work gets into the base branch: as requested, or as configured. The commits of a pull request may
    /// have been pushed already, so they are not rebased.
    pub(in crate::manager) fn method(&self, request: &FinishRequest) -> Result<FinishMethod, Error> {
        Ok(match request.method {
            Some(method) => method,
            None if request.opens_pull_request => FinishMethod::Squash,
            None => self.0.config()?.finish.method,
        })
    }

    /// Returns the author and the committer that the environment of the caller names.
    pub(in crate::manager) fn identity(&self) -> CommitIdentity {
        CommitIdentity::from_variables(|name| {
            self.0.env.var(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// Stores the content of the worktree as a tree and returns it with the commits that the plan depends on.
    pub(in crate::manager) fn work_state(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (store, staging): (ObjectStore, &Staging),
    ) -> Result<(Git, WorkState), GitError> {
        let top = &facts.work.directory;
        let copies = Workspaces(self.0).unchanged_copies(record);
        let left_out: Vec<String> =
            copies.iter().map(|path| format!(":(top,exclude,literal){}", path.display())).collect();
        let plan = SnapshotPlan { left_out: &left_out, scratch: staging.path(), objects: store };
        let git = Snapshots(&self.0.git().with_long_timeout()).git_for(top, plan)?;
        let tree = Snapshots(&git).write(top, plan)?;
        let head = git.head(top)?.unwrap_or_default();
        let base = Branches(&git).tip(top, &facts.base.branch)?.unwrap_or_default();
        Ok((git, WorkState { head, tree, base }))
    }
}

/// The commits to merge, and the git that does it.
struct MergeInput<'a> {
    git: &'a Git,
    top: &'a Path,
    base: &'a str,
    tip: &'a str,
    start: Option<&'a str>,
    scratch: &'a Path,
    identity: &'a CommitIdentity,
}

/// Merges the tip into the base, as a commit with these parents.
fn merged(input: &MergeInput<'_>, message: &str, parents: &[&str]) -> Result<MergeOutcome, GitError> {
    let MergeInput { git, top, base, tip, start, identity, .. } = *input;
    if History(git).is_ancestor(top, tip, base)? {
        return Ok(MergeOutcome::Nothing);
    }
    let tree = match Merges(git).merged_tree(top, start, (base, tip))? {
        MergedTree::Clean(tree) => tree,
        MergedTree::Conflicts(paths) => return Ok(MergeOutcome::Conflicts(paths)),
    };
    if tree == Objects(git).tree_of(top, base)? && parents.len() == 1 {
        return Ok(MergeOutcome::Nothing);
    }
    let id = CommitWriter(git).write(top, CommitPlan { tree: &tree, parents, message, identity })?;
    with_files(input, id)
}

/// Copies the commits of the tip onto the base.
fn rebased(input: &MergeInput<'_>) -> Result<MergeOutcome, GitError> {
    let MergeInput { git, top, base, tip, start, scratch, identity } = *input;
    let from = start.unwrap_or(base);
    let id = match CommitWriter(git).replay(top, (from, base, tip), (identity, scratch))? {
        ReplayedCommits::Done(id) => id,
        ReplayedCommits::Conflicts { paths, .. } => return Ok(MergeOutcome::Conflicts(paths)),
    };
    // A merge commit may have content that none of the copied commits has.
    if History(git).has_merges(top, from, tip)? {
        let merged = Merges(git).merged_tree(top, start, (base, tip))?;
        if merged != MergedTree::Clean(Objects(git).tree_of(top, &id)?) {
            return Ok(MergeOutcome::MergesInTheWay);
        }
    }
    if id == base {
        return Ok(MergeOutcome::Nothing);
    }
    with_files(input, id)
}

fn with_files(input: &MergeInput<'_>, id: String) -> Result<MergeOutcome, GitError> {
    let trees = TreePair { from: input.base, to: &id };
    let files = Diffs(input.git).changed_files(input.top, trees)?.len();
    Ok(MergeOutcome::Commit { id, files })
}

/// Returns the messages of the commits, the oldest first.
fn messages(input: &MergeInput<'_>) -> Result<Vec<String>, GitError> {
    let MergeInput { git, top, base, tip, start, .. } = *input;
    History(git).messages_between(top, start.unwrap_or(base), tip)
}
