//! `agent checkpoint restore`: brings the files and the index of a checkpoint back.
//!
//! What is there is stored as another checkpoint first, with ignored files that would be overwritten. git then changes all files in one process that outlives this
//! one, so an interrupted command leaves the files either as they were or restored. HEAD and the branches stay as they
//! are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::plural::counted;
use crate::base::sanitize::{shell_word, shown};
use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{self, CheckpointStore, Diffs, ExactFiles, ExactTrees, Index, OverwriteCheck, TreePair};
use crate::manager::checkpoints::{CheckpointState, Checkpoints};
use crate::manager::review::Reviews;
use crate::manager::review::base::unreadable;
use crate::manager::status::StatusTracker;
use crate::manager::status::shared_directory::works_in_tree;
use crate::manager::workspace::WorkInspection;
use crate::model::{Agent, AgentName, AgentRecord, Checkpoint, CheckpointNote, CheckpointReason, Status};
use crate::rules::workspace::checkpoints::{CheckpointCandidate, unstorable};
use crate::store::AgentLocks;

/// How long to wait for a checkpoint that is being taken.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The result of a restore.
#[derive(Debug)]
pub struct CheckpointRestore {
    /// The checkpoint that was restored.
    pub restored: Checkpoint,
    /// The checkpoint that holds what was there before.
    pub saved: Checkpoint,
    /// Paths of the files that were changed.
    pub changed: Vec<String>,
    /// Files that the restore did not change, as sentences.
    pub remarks: Vec<String>,
}

impl Checkpoints<'_> {
    /// Restores a checkpoint, by default the newest one.
    pub fn restore(&self, name: &AgentName, number: Option<u64>) -> Result<CheckpointRestore, Error> {
        let _lock = AgentLocks(&self.0.store).lock(name, "checkpoint restore")?;
        let record = self.0.record(name, "checkpoint restore")?;
        let Some(_checkpoints) = AgentLocks(&self.0.store).lock_checkpoints(name, LOCK_TIMEOUT)? else {
            return Err(Error::busy(name, "a checkpoint is being taken"));
        };
        let top = Reviews(self.0).working_tree(&record)?;
        let verified = WorkInspection(self.0).verify_worktree(&record, &top);
        verified.map_err(|why| unreadable(&record, &why).saw("nothing was changed"))?;
        self.refuse_while_used(&record, &top)?;
        let target = self.find(&record, &top, number)?;
        let git = self.0.git().with_long_timeout();
        if Index(&git).has_conflicts(&top).map_err(|why| unreadable(&record, &why))? {
            return Err(not_restored(&target, "a merge or rebase in the working tree has conflicts")
                .hint("finish it, or abort it with `git merge --abort` or `git rebase --abort`"));
        }
        let note = CheckpointNote { reason: CheckpointReason::Restore, ..CheckpointNote::default() };
        let replaced = self.replaced_files(&record, &top, &target)?;
        let saved = self.take(&record, &top, note, &replaced)?;
        failpoint::reached("restore.saved");
        let before = saved.checkpoint;
        let state = CheckpointState { repository: git::repository(&top), ..self.state(&record) };
        let unfinished = CheckpointState { unfinished_restore: Some(target.number), ..state.clone() };
        self.write_state(&record, &unfinished)?;
        failpoint::reached("restore.noted");
        let trees = TreePair { from: &before.tree, to: &target.tree };
        let changed = Diffs(&git).changed_files(&top, trees).map_err(|why| unreadable(&record, &why))?;
        let writer = git.clone().without_wrapper();
        let (from, to) = (before.note.exact.as_deref(), target.note.exact.as_deref());
        let exact = ExactTrees { from, to, files: &target.tree };
        let restored = CheckpointStore(&writer)
            .restore_files(&top, saved.scratch.path(), trees)
            .and_then(|()| ExactFiles(&writer).restore(&top, exact));
        if let Err(why) = restored {
            let _ = self.write_state(&record, &CheckpointState { unfinished_restore: None, ..state });
            return Err(not_restored(&target, &why.to_string())
                .saw(format!("what was there before is checkpoint {}", before.number)));
        }
        failpoint::reached("restore.files");
        if let Some(index) = &target.note.index {
            CheckpointStore(&git).restore_index(&top, index).map_err(|why| {
                not_restored(&target, &why.to_string())
                    .saw("the files are restored, but not what was staged")
                    .hint(format!("`symposium agent checkpoint restore {name} {}`", target.number))
            })?;
        }
        failpoint::reached("restore.index");
        self.write_state(&record, &CheckpointState { unfinished_restore: None, ..state })?;
        let changed = changed.into_iter().flat_map(|change| [change.old_path, Some(change.path)]);
        Ok(CheckpointRestore {
            changed: changed.flatten().collect(),
            remarks: remarks(&target, &before),
            restored: target,
            saved: before,
        })
    }

    /// Returns the files in place of files of the checkpoint. git may ignore them, so a usual checkpoint would not store
    /// them. Refuses if one cannot be stored.
    fn replaced_files(
        &self,
        record: &AgentRecord,
        top: &Path,
        target: &Checkpoint,
    ) -> Result<Vec<PathBuf>, Error> {
        let found =
            OverwriteCheck(&self.0.git().with_long_timeout()).untracked_in_place_of(top, &target.tree);
        let found = found.map_err(|why| unreadable(record, &why))?;
        let candidates: Vec<CheckpointCandidate> = found
            .iter()
            .map(|path| CheckpointCandidate {
                path: path.to_string_lossy().into_owned(),
                bytes: top.join(path).symlink_metadata().map_or(0, |meta| meta.len()),
            })
            .collect();
        match unstorable(&candidates, &self.never_stored(record)) {
            None => Ok(found),
            Some(refusal) => Err(not_restored(target, "files in the working tree would be overwritten")
                .saw_all(refusal.paths.iter().map(|path| shown(path)))
                .saw(format!("no checkpoint can store them: {}", refusal.reason))
                .saw("nothing was changed")
                .hint(format!("move them out of {}", shell_word(top)))),
        }
    }

    /// Refuses while this agent or another one in the same working tree may change files.
    fn refuse_while_used(&self, record: &AgentRecord, top: &Path) -> Result<(), Error> {
        let current = StatusTracker(self.0).current_agents()?;
        let is_busy = |agent: &&Agent| {
            matches!(agent.status, Status::Starting | Status::Working | Status::Waiting)
                && (agent.name == record.name || works_in_tree(agent, top))
        };
        match current.agents.iter().find(is_busy) {
            None => Ok(()),
            Some(agent) => Err(Error::new(
                Code::StillRunning,
                format!("agent `{}` is {} in this directory", agent.name, agent.status),
            )
            .saw("nothing was changed")
            .hint(format!(
                "wait until it is idle: `symposium agent wait {0} --for idle`, or `symposium agent interrupt {0}`",
                agent.name
            ))),
        }
    }
}

/// Describes what a restore leaves as it is.
fn remarks(target: &Checkpoint, before: &Checkpoint) -> Vec<String> {
    let mut remarks = Vec::new();
    if target.note.head != before.note.head {
        let head = target.note.head.as_deref().map_or("no commit", |id| id.get(..12).unwrap_or(id));
        remarks.push(format!(
            "commits since the checkpoint stay on the branch; HEAD was {head} at the checkpoint"
        ));
    }
    if target.note.index.is_none() {
        remarks.push("the index had conflicts at the checkpoint, so staged changes were not restored".into());
    }
    for (checkpoint, what) in [(target, "not in the checkpoint"), (before, "not changed")] {
        let count = checkpoint.note.left_out_count;
        if count > 0 {
            remarks.push(format!("{what} because of the size limit: {}", counted(count, "file", "files")));
        }
    }
    remarks
}

fn not_restored(target: &Checkpoint, why: &str) -> Error {
    Error::new(Code::Workspace, format!("checkpoint {} was not restored", target.number)).saw(why)
}
