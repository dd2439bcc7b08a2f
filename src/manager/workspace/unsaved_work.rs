//! The work in an agent's workspace: counted on request, and protected when the workspace is removed.

use std::path::Path;

use crate::error::Error;
use crate::failpoint;
use crate::git::{
    self, Branches, Git, GitError, Submodules, UnsavedWorkSearch, WorkingTreeChanges, Worktrees,
};
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::{
    Agent, AgentRecord, ChangeKind, ChangedFile, UnsavedWork, WorkCounts, Workspace, WorktreeState,
};
use crate::rules::workspace::recovery::RECOVERY_REFS;
use crate::rules::workspace::unsaved_work;

impl WorkInspection<'_> {
    /// Counts the work in an agent's workspace. Runs git.
    pub fn work_counts(&self, agent: &Agent) -> WorkCounts {
        self.0.record(&agent.name, "show").map(|record| self.counts_of(&record)).unwrap_or_default()
    }

    /// Counts the work in the workspace of a stored agent and measures its size. Runs git.
    pub(in crate::manager) fn counts_of(&self, record: &AgentRecord) -> WorkCounts {
        WorkCounts { size: self.measured_size(record), ..self.counts_without_size(record) }
    }

    /// Measures the disk usage of a workspace that belongs to the agent alone. Reads all of its directories.
    pub(in crate::manager) fn measured_size(&self, record: &AgentRecord) -> Option<u64> {
        let own = self.0.store.instance(&record.name);
        (record.workspace != Workspace::InPlace).then(|| own.workspace_size())
    }

    /// Counts the work in the workspace of a stored agent. Runs git.
    pub(in crate::manager) fn counts_without_size(&self, record: &AgentRecord) -> WorkCounts {
        let found = match record.workspace {
            Workspace::Worktree => self.work_in_worktree(record, self.0.git()).ok().flatten(),
            _ => UnsavedWorkSearch(&self.0.git())
                .in_tree(Path::new(&record.working_directory), None)
                .ok()
                .flatten(),
        };
        WorkCounts {
            changed: found.as_ref().map(|work| work.changed.len()),
            ahead: found.as_ref().map(|work| work.commits),
            stashes: found.as_ref().map(|work| work.stashes),
            size: None,
        }
    }

    fn work_in_worktree(&self, record: &AgentRecord, git: Git) -> Result<Option<WorktreeState>, GitError> {
        let note = Workspaces(self.0).worktree_note(record);
        let at = Workspaces(self.0).workspace_of(record);
        let born_on = Some(note.branch.as_str()).filter(|name| !name.is_empty());
        if at.is_dir() && git::project(&at).is_some() {
            self.verify_worktree(record, &at)?;
        }
        let Some(mut work) = UnsavedWorkSearch(&git).in_tree(&at, born_on)? else { return Ok(None) };
        self.leave_out_copies(record, &mut work.changed);
        Ok(Some(work))
    }

    /// Returns an error if git would use another directory or repository for the worktree of an agent.
    pub(in crate::manager) fn verify_worktree(
        &self,
        record: &AgentRecord,
        top: &Path,
    ) -> Result<(), GitError> {
        if record.workspace != Workspace::Worktree {
            return Ok(());
        }
        let repository = Workspaces(self.0).worktree_note(record).repository;
        Worktrees(&self.0.git().with_long_timeout()).verify(top, &repository)
    }

    /// Returns the ignored files of a worktree, without unchanged copies of files from the original tree.
    pub(in crate::manager) fn ignored_files(&self, record: &AgentRecord) -> Vec<String> {
        let at = Workspaces(self.0).workspace_of(record);
        if record.workspace != Workspace::Worktree || self.verify_worktree(record, &at).is_err() {
            return Vec::new();
        }
        let copies = Workspaces(self.0).unchanged_copies(record);
        let is_copy = |path: &String| copies.iter().any(|copy| copy == Path::new(path));
        let mut ignored =
            WorkingTreeChanges(&self.0.git().with_long_timeout()).list_ignored(&at).unwrap_or_default();
        ignored.retain(|path| !is_copy(path));
        ignored
    }

    /// Removes files that were copied into a worktree and have not changed: they still exist in the original tree.
    pub(in crate::manager) fn leave_out_copies(&self, record: &AgentRecord, files: &mut Vec<ChangedFile>) {
        let (note, at) = (Workspaces(self.0).worktree_note(record), Workspaces(self.0).workspace_of(record));
        files.retain(|file| {
            let is_copy = file.kind == ChangeKind::Untracked
                && note.copied.iter().any(|copied| copied == Path::new(&file.path));
            !is_copy || !same(&note.copied_from.join(&file.path), &at.join(&file.path))
        });
    }

    /// Returns the work in an agent's own workspace that exists nowhere else.
    pub(in crate::manager) fn unsaved_work(&self, record: &AgentRecord) -> UnsavedWork {
        // After an interrupted import, the hand-off file still contains everything.
        if Workspaces(self.0).is_half_moved(record) {
            return UnsavedWork::default();
        }
        match record.workspace {
            Workspace::InPlace => UnsavedWork::default(),
            Workspace::Scratch => self.unsaved_in_scratch(record),
            Workspace::Worktree if !Workspaces(self.0).worktree_note(record).finished => {
                UnsavedWork::default()
            }
            Workspace::Worktree => self.unsaved_in_worktree(record),
        }
    }

    /// Returns the unsaved work in a scratch directory, which has the only copy of its files.
    fn unsaved_in_scratch(&self, record: &AgentRecord) -> UnsavedWork {
        let entries = std::fs::read_dir(self.0.store.instance(&record.name).workspace());
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let file = |name: std::ffi::OsString| ChangedFile {
            kind: ChangeKind::Untracked,
            path: name.to_string_lossy().into_owned(),
        };
        let mut files: Vec<ChangedFile> = names.map(file).collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        UnsavedWork { files, ..UnsavedWork::default() }
    }

    fn unsaved_in_worktree(&self, record: &AgentRecord) -> UnsavedWork {
        if std::fs::read_dir(Workspaces(self.0).workspace_of(record)).map_or(0, Iterator::count) == 0 {
            return UnsavedWork::default();
        }
        let unknown = |why: String| UnsavedWork { unknown: Some(why), ..UnsavedWork::default() };
        match self.work_in_worktree(record, self.0.git().with_long_timeout()) {
            Ok(Some(WorktreeState { changed, commits, stashes })) => {
                UnsavedWork { files: changed, commits, stashes, unknown: None }
            }
            Ok(None) => unknown("git no longer recognizes it as a working tree".to_owned()),
            Err(error) => unknown(format!("git cannot report its state: {error}")),
        }
    }

    /// Returns the unsaved work of an agent as sentences, one for each kind of work.
    pub(in crate::manager) fn summary_of(&self, record: &AgentRecord, unsaved: &UnsavedWork) -> Vec<String> {
        match record.workspace {
            Workspace::Scratch => unsaved_work::scratch_summary(unsaved),
            _ => unsaved_work::summary(unsaved, &Workspaces(self.0).worktree_note(record).branch),
        }
    }

    /// Refuses an operation that would delete the only copy of an agent's work.
    pub(in crate::manager) fn refuse_to_lose_work(&self, record: &AgentRecord) -> Result<(), Error> {
        let unsaved = self.unsaved_work(record);
        if unsaved.is_empty() {
            return Ok(());
        }
        let (name, place) =
            (record.name.clone(), Workspaces(self.0).workspace_of(record).display().to_string());
        let found = self.summary_of(record, &unsaved);
        match record.workspace {
            Workspace::Scratch => Err(Error::not_safe(format!(
                "the scratch folder of agent `{name}` holds {}",
                found.join("; ")
            ))
            .hint(format!(
                "look at `{place}`; `symposium agent rm --force {name}` keeps a copy for 30 days"
            ))),
            _ => Err(Error::unsaved_work(&name, &place, found)),
        }
    }

    /// Refuses to overwrite the work of an earlier agent with this name whose record was lost.
    pub(in crate::manager) fn refuse_to_overwrite_work(&self, record: &AgentRecord) -> Result<(), Error> {
        let left = self.0.store.instance(&record.name).workspace();
        if !left.join(".git").exists() || !Workspaces(self.0).worktree_note(record).finished {
            return Ok(());
        }
        let found = self.summary_of(record, &self.unsaved_in_worktree(record));
        if found.is_empty() {
            return Ok(());
        }
        Err(Error::unsaved_work(&record.name, &left.display().to_string(), found))
    }

    /// Removes an agent's worktree from its repository, and the branch that was created for it unless that would lose
    /// commits.
    pub(in crate::manager) fn forget_worktree(&self, record: &AgentRecord, branch: BranchRemoval) {
        if record.workspace != Workspace::Worktree {
            return;
        }
        Workspaces(self.0).release_ports(record);
        let (note, at, git) = (
            Workspaces(self.0).worktree_note(record),
            Workspaces(self.0).workspace_of(record),
            self.0.git().with_long_timeout(),
        );
        // Inner submodules are removed first. Errors are ignored, because the repository may no longer exist.
        for inner in note.submodules.iter().rev() {
            let _ = Submodules(&git).forget(&at, inner);
        }
        // git does not remove a worktree whose `.git` the agent has deleted, but it prunes one whose directory is gone.
        let forgotten = Worktrees(&git).forget(&note.repository, &at).or_else(|_| {
            let _ = std::fs::remove_dir_all(&at);
            Worktrees(&git).forget(&note.repository, &at)
        });
        failpoint::reached("rm.worktree");
        // The branch of an incomplete import is removed by the rollback of the import.
        if forgotten.is_ok() && note.made_branch && !Workspaces(self.0).is_half_moved(record) {
            let dropped = match branch {
                BranchRemoval::Never => return,
                BranchRemoval::IfEmpty => Branches(&git).delete_if_empty(&note.repository, &note.branch),
                BranchRemoval::IfStored => {
                    Branches(&git).delete_if_stored(&note.repository, &note.branch, RECOVERY_REFS)
                }
            };
            match dropped {
                Ok(true) => {}
                Ok(false) => {
                    self.0.notice(format!("branch `{}` is kept: it has commits of its own", note.branch))
                }
                Err(error) => self.0.notice(format!("branch `{}` may remain: {error}", note.branch)),
            }
        }
    }
}

/// Returns whether two files have the same content, or two links the same target; false if one cannot be read.
pub(in crate::manager) fn same(left: &Path, right: &Path) -> bool {
    if let (Ok(left), Ok(right)) = (std::fs::read_link(left), std::fs::read_link(right)) {
        return left == right;
    }
    let plain = |path: &Path| std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    match (plain(left), plain(right)) {
        (Some(first), Some(second)) if first.len() == second.len() => {
            matches!((std::fs::read(left), std::fs::read(right)), (Ok(left), Ok(right)) if left == right)
        }
        _ => false,
    }
}
