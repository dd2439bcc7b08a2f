//! The worktree of an agent and its base branch, as git reports them. Changes nothing.

use std::path::{Path, PathBuf};

use crate::base::sanitize::shown;
use crate::error::{Code, Error};
use crate::git::{
    self, BaseSearch, Branches, Git, GitError, History, Index, Submodules, UnsavedWorkSearch,
    WorkingTreeChanges, Worktrees,
};
use crate::manager::finish::Finishing;
use crate::manager::removal::AgentRemoval;
use crate::manager::review::Reviews;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::manage::TaskFilter;
use crate::manager::workspace::{WorkInspection, Workspaces};
use crate::model::{AgentRecord, ChangedFile, Status, TaskId, TaskState, Workspace};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::finish::facts::{BaseFacts, FinishFacts, UpstreamFacts, WorkFacts};
use crate::rules::workspace::finish::refusal::FinishRefusal;

impl Finishing<'_> {
    /// Returns the facts about an agent's work and its base branch.
    pub(in crate::manager) fn facts(
        &self,
        record: &AgentRecord,
        into: Option<&str>,
    ) -> Result<FinishFacts, Error> {
        let top = self.worktree_of(record)?;
        let branch = self.base_branch(record, &top, into)?;
        let is_running = AgentRemoval(self.0).has_processes(record)?;
        let failed = |why| git_failed(record, &why);
        let base = self.base_facts(&top, &branch).map_err(failed)?;
        Ok(FinishFacts {
            agent: record.name.clone(),
            is_running,
            busy: self.busy_status(record)?,
            queued: self.queued_tasks(record)?,
            signs_commits: signs_commits(&self.0.git()),
            work: self.work_facts(record, &top, &base.commit).map_err(failed)?,
            base,
        })
    }

    /// Returns the status of an agent that may change files at any time. A plain command has no turns.
    fn busy_status(&self, record: &AgentRecord) -> Result<Option<Status>, Error> {
        if record.kind == PLAIN_COMMAND {
            return Ok(None);
        }
        let current = StatusTracker(self.0).current_agents()?;
        let status = current.agents.iter().find(|agent| agent.name == record.name).map(|agent| agent.status);
        let is_busy =
            |status: &Status| matches!(status, Status::Starting | Status::Working | Status::Waiting);
        Ok(status.filter(is_busy))
    }

    fn queued_tasks(&self, record: &AgentRecord) -> Result<Vec<TaskId>, Error> {
        let states = vec![TaskState::Queued];
        let filter = TaskFilter { agent: Some(record.name.clone()), states, ..TaskFilter::default() };
        Ok(Tasks(self.0).task_list(&filter)?.into_iter().map(|task| task.id).collect())
    }

    /// Returns the worktree of an agent. Other agents have nothing to merge.
    pub(in crate::manager) fn worktree_of(&self, record: &AgentRecord) -> Result<PathBuf, Error> {
        let name = &record.name;
        let why = match record.workspace {
            Workspace::Worktree => {
                Workspaces(self.0).refuse_unfinished(record)?;
                let top = Reviews(self.0).working_tree(record)?;
                StatusTracker(self.0).refuse_shared(record, &top)?;
                let verified = self.verify_worktree(record, &top);
                verified.map_err(|error| error.saw("nothing was changed"))?;
                return Ok(top);
            }
            Workspace::InPlace => format!("agent `{name}` works in place: its changes are in your directory"),
            Workspace::Scratch => {
                format!("agent `{name}` works in a scratch folder, which has no base branch")
            }
        };
        Err(Error::usage(why).hint(format!("`symposium agent show {name}` shows the directory")))
    }

    /// Refuses a worktree for which git would use another directory or repository.
    pub(in crate::manager) fn verify_worktree(&self, record: &AgentRecord, top: &Path) -> Result<(), Error> {
        let repository = Workspaces(self.0).worktree_note(record).repository;
        let verified = Worktrees(&self.0.git().with_long_timeout()).verify(top, &repository);
        verified.map_err(|why| git_failed(record, &why))
    }

    /// Returns the local branch that gets the work: the one that the user named, or the base of `agent diff`.
    fn base_branch(&self, record: &AgentRecord, top: &Path, into: Option<&str>) -> Result<String, Error> {
        let git = self.0.git();
        let exists = |branch: &str| -> Result<bool, Error> {
            Ok(Branches(&git).tip(top, branch).map_err(|why| git_failed(record, &why))?.is_some())
        };
        let name = &record.name;
        let hint = format!("name a branch: `symposium agent finish {name} --into main`");
        if let Some(branch) = into {
            return match exists(branch)? {
                true => Ok(branch.to_owned()),
                false => Err(Error::usage(format!("there is no local branch `{}`", shown(branch)))),
            };
        }
        let base = Reviews(self.0).base(record, top, None)?;
        let branch = match base.name {
            Some(branch) => Some(branch),
            None => self.branch_with_finished_base(record)?,
        };
        let Some(base) = branch else {
            let why = format!("the base of agent `{name}` is a commit and not a branch");
            return Err(Error::new(Code::Workspace, why).saw("nothing was changed").hint(hint));
        };
        // The base may be a copy of the branch on a remote.
        let copy = base.split_once('/').map(|(_, branch)| branch.to_owned());
        for branch in std::iter::once(base.clone()).chain(copy) {
            if exists(&branch)? {
                return Ok(branch);
            }
        }
        let why = format!("the base `{}` of agent `{name}` is no local branch", shown(&base));
        Err(Error::new(Code::Workspace, why).saw("nothing was changed").hint(hint))
    }

    /// Returns the branch that got the work of the finished agent on whose branch this agent is stacked.
    fn branch_with_finished_base(&self, record: &AgentRecord) -> Result<Option<String>, Error> {
        let note = Workspaces(self.0).worktree_note(record);
        let Some(below) = note.base.and_then(|base| base.branch) else { return Ok(None) };
        let records = self.0.store.read(self.0.now())?;
        let notes = records.iter().map(|other| Workspaces(self.0).worktree_note(other));
        let mut finished = notes.filter(|other| other.repository == note.repository && other.branch == below);
        Ok(finished.find_map(|other| other.merged_into))
    }

    fn base_facts(&self, top: &Path, branch: &str) -> Result<BaseFacts, GitError> {
        let git = self.0.git().with_long_timeout();
        let commit = Branches(&git).tip(top, branch)?.unwrap_or_default();
        let mut checkouts = Branches(&git).checked_out(top, branch)?.into_iter();
        let checked_out = checkouts.next();
        let upstream = match Branches(&git).behind_upstream(top, branch)? {
            Some((name, commits)) if commits > 0 => {
                let common = BaseSearch(&git).at(top, &name)?.map(|base| base.merge_base);
                let in_work = match common {
                    Some(common) => History(&git).count_between(top, &commit, &common)?,
                    None => 0,
                };
                Some(UpstreamFacts { name, commits, in_work })
            }
            _ => None,
        };
        Ok(BaseFacts {
            branch: branch.to_owned(),
            commit,
            directory: checked_out.as_ref().map(|tree| tree.top.clone()),
            operation: checked_out.as_ref().and_then(|tree| tree.operation),
            other_directories: checkouts.map(|tree| tree.top).collect(),
            changed: checked_out.map(|tree| tree.changed).unwrap_or_default(),
            upstream,
        })
    }

    fn work_facts(&self, record: &AgentRecord, top: &Path, base: &str) -> Result<WorkFacts, GitError> {
        let git = self.0.git().with_long_timeout();
        let note = Workspaces(self.0).worktree_note(record);
        let mut uncommitted = WorkingTreeChanges(&git).list_all(top)?;
        WorkInspection(self.0).leave_out_copies(record, &mut uncommitted);
        let head = git.head(top)?.unwrap_or_default();
        let in_submodules =
            UnsavedWorkSearch(&git).in_submodules(top)?.into_iter().flat_map(|(submodule, work)| {
                let inside = move |file: &str| submodule.join(file).to_string_lossy().into_owned();
                work.changed.into_iter().map(move |file| ChangedFile { path: inside(&file.path), ..file })
            });
        let copies = Workspaces(self.0).unchanged_copies(record);
        let is_copy = |path: &String| copies.iter().any(|copy| copy == Path::new(path));
        let mut ignored = WorkingTreeChanges(&git).list_ignored(top)?;
        ignored.retain(|path| !is_copy(path));
        Ok(WorkFacts {
            directory: top.to_owned(),
            branch: Branches(&git).current(top)?,
            left_out_commits: History(&git).count_outside(top, &note.branch, &[&head, base])?,
            in_submodules: in_submodules.collect(),
            unsaved_submodules: Submodules(&git).with_unsaved_commits(top)?,
            own_branch: Some(note.branch).filter(|_| note.made_branch),
            operation: git::operation_in_progress(top),
            unmerged: Index(&git).unmerged_paths(top)?,
            embedded: WorkingTreeChanges(&git).repositories_below(top)?,
            uncommitted,
            ignored,
            commits: History(&git).count_between(top, base, &head)?,
            behind: History(&git).count_between(top, &head, base)?,
            head,
        })
    }
}

/// Returns whether the user's own configuration makes git sign commits.
fn signs_commits(git: &Git) -> bool {
    let value = git.user_setting("commit.gpgSign").unwrap_or_default();
    ["true", "yes", "on", "1"].contains(&value.to_lowercase().as_str())
}

/// Converts a refusal to an error for the user.
pub(in crate::manager) fn refused(refusal: FinishRefusal) -> Error {
    let error = Error::new(Code::Workspace, refusal.message).saw_all(refusal.observations);
    refusal.hints.into_iter().fold(error.saw("nothing was changed"), Error::hint)
}

/// Reports that git failed.
pub(in crate::manager) fn git_failed(record: &AgentRecord, why: &GitError) -> Error {
    let error = Error::new(Code::Workspace, format!("git cannot finish the work of agent `{}`", record.name))
        .saw(shown(&why.to_string()));
    why.hints().into_iter().fold(error, Error::hint)
}
