//! Unsaved work of an agent that is removed: a preview before the removal, and a copy that is kept after it.

use std::path::Path;

use crate::base::sanitize::shown;
use crate::error::{Code, Error};
use crate::git::{RecoveryCommits, RecoveryPlan, Submodules, verify_link};
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::{Removal, Removed};
use crate::manager::status::StatusTracker;
use crate::manager::workspace::{WorkInspection, Workspaces};
use crate::model::{AgentName, AgentRecord, RecoveredWork, RecoveryRef, RemovalPreview, Workspace};
use crate::rules::workspace::recovery::{
    RECOVERY_PERIOD, RECOVERY_REFS, commands, copy_name, is_expired, kept_until,
};
use crate::store::{RecoveredCopies, RunFiles, recovered_folder};

impl AgentRemoval<'_> {
    /// Reports what removing an agent would delete. Changes nothing.
    pub fn removal_preview(&self, name: &AgentName) -> Result<RemovalPreview, Error> {
        let record = self.0.record(name, "rm")?;
        let running = self.has_processes(&record)?;
        let unsaved = WorkInspection(self.0).unsaved_work(&record);
        let own = record.workspace != Workspace::InPlace;
        let shared_with = self.sharing_agents(&record)?;
        let ignored = match unsaved.unknown {
            None => WorkInspection(self.0).ignored_files(&record),
            Some(_) => Vec::new(),
        };
        Ok(RemovalPreview {
            running,
            path: own.then(|| Workspaces(self.0).workspace_of(&record).display().to_string()),
            branch: record.branch.clone().filter(|_| record.workspace == Workspace::Worktree),
            summary: WorkInspection(self.0).summary_of(&record, &unsaved),
            needs_force: running || !unsaved.is_empty() || !shared_with.is_empty(),
            ignored,
            shared_with,
            workspace: record.workspace,
            name: record.name,
            unsaved,
        })
    }

    /// Returns the other running agents that work in the directory that is removed with an agent.
    pub(in crate::manager) fn sharing_agents(&self, record: &AgentRecord) -> Result<Vec<AgentName>, Error> {
        match record.workspace {
            Workspace::InPlace => Ok(Vec::new()),
            _ => StatusTracker(self.0).others_below(record, &Workspaces(self.0).workspace_of(record)),
        }
    }

    /// Returns shell commands that bring a copy of removed work back.
    pub fn recovery_commands(&self, work: &RecoveredWork) -> Vec<String> {
        commands(work)
    }

    /// Keeps a copy of everything that would be lost with an agent's workspace: a commit if git can store it, otherwise
    /// the directory itself. The agent must not be running.
    pub(in crate::manager) fn keep_unsaved_work(
        &self,
        record: &AgentRecord,
        removal: Removal,
    ) -> Result<Removed, Error> {
        let unsaved = WorkInspection(self.0).unsaved_work(record);
        let has_worktree = record.workspace == Workspace::Worktree && self.has_complete_worktree(record);
        // The reflog of a clean worktree may have commits.
        if unsaved.is_empty() && !has_worktree {
            return Ok(Removed::default());
        }
        let now = self.0.now();
        let dir = RecoveredCopies(&self.0.store).create(&copy_name(&record.name, now))?;
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut copy = RecoveredWork {
            agent: record.name.clone(),
            name,
            at: now,
            until: kept_until(now),
            refs: Vec::new(),
            folder: None,
        };
        let mut is_stored = unsaved.files.is_empty() && unsaved.unknown.is_none();
        if has_worktree && unsaved.unknown.is_none() {
            let note = Workspaces(self.0).worktree_note(record);
            let is_deleted = removal == Removal::Discard && note.made_branch && unsaved.commits > 0;
            let branch = is_deleted.then_some(note.branch.as_str());
            let stored = self.store_in_git(record, &copy.name, branch);
            is_stored = stored.is_some();
            copy.refs = stored.unwrap_or_default();
        }
        if !is_stored {
            self.embed_submodules(record)?;
            copy.folder = Some(recovered_folder(&dir));
            copy.refs.extend(self.store_commits(record, &copy.name)?);
        }
        if copy.refs.is_empty() && copy.folder.is_none() {
            // Commits on a branch and stashes stay in the repository.
            RecoveredCopies(&self.0.store).forget(&dir)?;
            return Ok(Removed {
                summary: WorkInspection(self.0).summary_of(record, &unsaved),
                recovered: None,
            });
        }
        // Written before the directory is moved: a copy without a description would never expire.
        RecoveredCopies(&self.0.store).write_description(&dir, &copy)?;
        if copy.folder.is_some() {
            RecoveredCopies(&self.0.store)
                .move_into(&self.0.store.instance(&record.name).workspace(), &dir)?;
        }
        Ok(Removed { summary: WorkInspection(self.0).summary_of(record, &unsaved), recovered: Some(copy) })
    }

    /// Keeps a commit of an agent's worktree that its branch will not contain any more.
    pub(in crate::manager) fn keep_commit(
        &self,
        record: &AgentRecord,
        top: &Path,
        commit: &str,
    ) -> Result<RecoveredWork, Error> {
        let now = self.0.now();
        let dir = RecoveredCopies(&self.0.store).create(&copy_name(&record.name, now))?;
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let reference = format!("{RECOVERY_REFS}{name}");
        let repository = Workspaces(self.0).worktree_note(record).repository;
        RecoveryCommits(&self.0.git().with_long_timeout()).store_commit(top, &reference, commit).map_err(
            |why| {
                Error::new(
                    Code::Workspace,
                    format!("no copy of the work of agent `{}` can be kept", record.name),
                )
                .saw(shown(&why.to_string()))
            },
        )?;
        let copy = RecoveredWork {
            agent: record.name.clone(),
            name,
            at: now,
            until: kept_until(now),
            refs: vec![RecoveryRef { repository, reference }],
            folder: None,
        };
        RecoveredCopies(&self.0.store).write_description(&dir, &copy)?;
        Ok(copy)
    }

    /// Returns whether an agent has a worktree that was set up completely and still exists.
    fn has_complete_worktree(&self, record: &AgentRecord) -> bool {
        let workspaces = Workspaces(self.0);
        let is_complete = workspaces.worktree_note(record).finished && !workspaces.is_half_moved(record);
        is_complete && workspaces.workspace_of(record).join(".git").exists()
    }

    /// Copies the repositories of submodules into a workspace that is kept as a directory.
    fn embed_submodules(&self, record: &AgentRecord) -> Result<(), Error> {
        if record.workspace != Workspace::Worktree {
            return Ok(());
        }
        let (top, note) = (Workspaces(self.0).workspace_of(record), Workspaces(self.0).worktree_note(record));
        Submodules(&self.0.git().with_long_timeout()).embed(&top, &note.repository).map_err(|why| {
            Error::new(Code::Workspace, format!("no copy of the work of agent `{}` can be kept", record.name))
                .saw(shown(&why.to_string()))
                .saw("its worktree was not changed")
        })
    }

    /// Stores unsaved work as commits, with those of a branch that is deleted. Returns `None` if git cannot store all of it.
    fn store_in_git(
        &self,
        record: &AgentRecord,
        name: &str,
        branch: Option<&str>,
    ) -> Option<Vec<RecoveryRef>> {
        let copied = Workspaces(self.0).worktree_note(record).copied;
        let left_out: Vec<String> =
            copied.iter().map(|path| format!(":(top,exclude,literal){}", path.display())).collect();
        let staging = RunFiles(&self.0.store).staging().ok()?;
        let reference = format!("{RECOVERY_REFS}{name}");
        let work = if branch.is_some() { "work" } else { "uncommitted work" };
        let subject = format!("{work} of agent {}, removed by symposium", record.name);
        let plan = RecoveryPlan {
            reference: &reference,
            subject: &subject,
            left_out: &left_out,
            branch,
            scratch: staging.path(),
        };
        let stored = RecoveryCommits(&self.0.git().with_long_timeout().with_changed_line_ends())
            .store_work(&Workspaces(self.0).workspace_of(record), plan)
            .ok()?;
        let to_ref = |repository| RecoveryRef { repository, reference: reference.clone() };
        Some(stored.into_iter().map(to_ref).collect())
    }

    /// Keeps the commits and staged versions of a worktree that is kept as a directory. The HEAD, the reflog and the index
    /// of the worktree, which may be the only references to them, are deleted with it. A worktree of another repository is
    /// left alone.
    fn store_commits(&self, record: &AgentRecord, name: &str) -> Result<Option<RecoveryRef>, Error> {
        let (top, note) = (Workspaces(self.0).workspace_of(record), Workspaces(self.0).worktree_note(record));
        if !self.has_complete_worktree(record) || verify_link(&top, &note.repository).is_err() {
            return Ok(None);
        }
        let reference = format!("{RECOVERY_REFS}{name}");
        let subject = format!("commits of agent {}, removed by symposium", record.name);
        let branch = Some(note.branch.as_str()).filter(|_| note.made_branch);
        let staging = RunFiles(&self.0.store).staging()?;
        let plan = RecoveryPlan {
            reference: &reference,
            subject: &subject,
            left_out: &[],
            branch,
            scratch: staging.path(),
        };
        let stored = RecoveryCommits(&self.0.git().with_long_timeout()).store_without_files(&top, plan);
        let is_stored = stored.map_err(|why| {
            Error::new(Code::Workspace, format!("no copy of the work of agent `{}` can be kept", record.name))
                .saw(shown(&why.to_string()))
                .saw("its worktree was not changed")
        })?;
        Ok(is_stored.then_some(RecoveryRef { repository: note.repository, reference }))
    }

    /// Deletes copies of removed work whose retention period is over, and old refs in `repository`.
    pub(in crate::manager) fn expire_recovered(&self, repository: &Path) {
        let (now, git) = (self.0.now(), self.0.git());
        let before = now.checked_sub(RECOVERY_PERIOD).unwrap_or(jiff::Timestamp::MIN);
        if repository.is_dir() {
            let _ = RecoveryCommits(&git).delete_before(repository, RECOVERY_REFS, before);
        }
        for (dir, copy) in RecoveredCopies(&self.0.store).list() {
            if !is_expired(copy.at, now) {
                continue;
            }
            // A repository that is gone has no refs to delete.
            let failed = copy.refs.iter().any(|saved| {
                saved.repository.is_dir()
                    && RecoveryCommits(&git).delete_before(&saved.repository, RECOVERY_REFS, before).is_err()
            });
            if !failed {
                let _ = RecoveredCopies(&self.0.store).forget(&dir);
            }
        }
    }
}
