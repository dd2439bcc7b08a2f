//! The work in an agent's workspace: counted on request, and protected when the workspace is removed.

use std::path::Path;

use crate::error::Error;
use crate::failpoint;
use crate::git::{Git, GitError};
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentRecord, ChangeKind, ChangedFile, UnsavedWork, Work, WorkCounts, Workspace};
use crate::rules::workspace::unsaved_work;

impl Workspaces<'_> {
    /// Counts the work in an agent's workspace. Runs git.
    pub fn work_counts(&self, agent: &Agent) -> WorkCounts {
        let Ok(record) = self.0.record(&agent.name, "show") else { return WorkCounts::default() };
        let found = match record.workspace {
            Workspace::Worktree => self.work_in_worktree(&record, self.0.git()).ok().flatten(),
            _ => self.0.git().work(Path::new(&record.working_directory), None).ok().flatten(),
        };
        let own = self.0.store.instance(&record.name);
        WorkCounts {
            changed: found.as_ref().map(|work| work.changed.len()),
            ahead: found.as_ref().map(|work| work.commits),
            stashes: found.as_ref().map(|work| work.stashes),
            size: (record.workspace != Workspace::InPlace).then(|| own.workspace_size()),
        }
    }

    fn work_in_worktree(&self, record: &AgentRecord, git: Git) -> Result<Option<Work>, GitError> {
        let note = self.worktree_note(record);
        let at = self.workspace_of(record);
        let born_on = Some(note.branch.as_str()).filter(|name| !name.is_empty());
        let Some(mut work) = git.work(&at, born_on)? else { return Ok(None) };
        // A copied file that has not changed still exists in the original tree.
        work.changed.retain(|file| {
            let is_copy = file.kind == ChangeKind::Untracked
                && note.copied.iter().any(|copied| copied == Path::new(&file.path));
            !is_copy || !same(&note.copied_from.join(&file.path), &at.join(&file.path))
        });
        Ok(Some(work))
    }

    /// Returns the work in an agent's own workspace that exists nowhere else.
    pub(in crate::manager) fn unsaved_work(&self, record: &AgentRecord) -> UnsavedWork {
        // After an interrupted import, the hand-off file still contains everything.
        if self.is_half_moved(record) {
            return UnsavedWork::default();
        }
        match record.workspace {
            Workspace::InPlace => UnsavedWork::default(),
            Workspace::Scratch => self.unsaved_in_scratch(record),
            Workspace::Worktree if !self.worktree_note(record).finished => UnsavedWork::default(),
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
        files.sort_by(|one, other| one.path.cmp(&other.path));
        UnsavedWork { files, ..UnsavedWork::default() }
    }

    fn unsaved_in_worktree(&self, record: &AgentRecord) -> UnsavedWork {
        if std::fs::read_dir(self.workspace_of(record)).map_or(0, Iterator::count) == 0 {
            return UnsavedWork::default();
        }
        let unknown = |why: String| UnsavedWork { unknown: Some(why), ..UnsavedWork::default() };
        match self.work_in_worktree(record, self.0.git().patient()) {
            Ok(Some(Work { changed, commits, stashes })) => {
                UnsavedWork { files: changed, commits, stashes, unknown: None }
            }
            Ok(None) => unknown("git does not recognize it as a working tree any more".to_owned()),
            Err(error) => unknown(format!("git cannot report its state: {error}")),
        }
    }

    /// Returns the unsaved work of an agent as sentences, one for each kind of work.
    pub(in crate::manager) fn summary_of(&self, record: &AgentRecord, unsaved: &UnsavedWork) -> Vec<String> {
        match record.workspace {
            Workspace::Scratch => unsaved_work::scratch_summary(unsaved),
            _ => unsaved_work::summary(unsaved, &self.worktree_note(record).branch),
        }
    }

    /// Refuses an operation that would delete the only copy of an agent's work.
    pub(in crate::manager) fn refuse_to_lose_work(&self, record: &AgentRecord) -> Result<(), Error> {
        let unsaved = self.unsaved_work(record);
        if unsaved.is_empty() {
            return Ok(());
        }
        let (name, place) = (record.name.clone(), self.workspace_of(record).display().to_string());
        let found = self.summary_of(record, &unsaved);
        match record.workspace {
            Workspace::Scratch => Err(Error::Unsafe {
                what: format!("the scratch folder of agent `{name}` holds {}", found.join("; ")),
                hint: format!(
                    "look at `{place}`; `symposium agent rm --force {name}` keeps a copy for 30 days"
                ),
            }),
            _ => Err(Error::UnsavedWorkInWorktree { name, place, found }),
        }
    }

    /// Refuses to overwrite the work of an earlier agent with this name whose record was lost.
    pub(in crate::manager) fn refuse_to_bury_work(&self, record: &AgentRecord) -> Result<(), Error> {
        let left = self.0.store.instance(&record.name).workspace();
        if !left.join(".git").exists() || !self.worktree_note(record).finished {
            return Ok(());
        }
        let found = self.summary_of(record, &self.unsaved_in_worktree(record));
        if found.is_empty() {
            return Ok(());
        }
        Err(Error::UnsavedWorkInWorktree {
            name: record.name.clone(),
            place: left.display().to_string(),
            found,
        })
    }

    /// Removes an agent's worktree from its repository, and its branch if nothing was committed on it.
    pub(in crate::manager) fn forget_worktree(&self, record: &AgentRecord) {
        if record.workspace != Workspace::Worktree {
            return;
        }
        let (note, at, git) = (self.worktree_note(record), self.workspace_of(record), self.0.git().patient());
        // Inner submodules are removed first. Errors are ignored, because the repository may no longer exist.
        for inner in note.submodules.iter().rev() {
            let _ = git.forget_submodule(&at, inner);
        }
        // git does not remove a worktree whose `.git` the agent has deleted, but it prunes one whose directory is gone.
        let forgotten = git.forget_worktree(&note.repository, &at).or_else(|_| {
            let _ = std::fs::remove_dir_all(&at);
            git.forget_worktree(&note.repository, &at)
        });
        failpoint::reached("rm.worktree");
        // The branch of an incomplete import is removed by the rollback of the import.
        if forgotten.is_ok() && note.made_branch && !self.is_half_moved(record) {
            match git.drop_empty_branch(&note.repository, &note.branch) {
                Ok(true) => {}
                Ok(false) => {
                    self.0.notice(format!("branch `{}` stays: it has commits of its own", note.branch))
                }
                Err(error) => self.0.notice(format!("branch `{}` may be left: {error}", note.branch)),
            }
        }
    }
}

/// Returns whether two files have the same content, or two links the same target; false if one cannot be read.
fn same(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (std::fs::read_link(one), std::fs::read_link(other)) {
        return one == other;
    }
    let plain = |path: &Path| std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    match (plain(one), plain(other)) {
        (Some(first), Some(second)) if first.len() == second.len() => {
            matches!((std::fs::read(one), std::fs::read(other)), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}
