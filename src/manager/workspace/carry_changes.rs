//! The uncommitted changes of a tree from which a worktree is created: `--with-changes` copies them, otherwise the user
//! is informed that they stay behind.

use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::git::{ChangeStage, Git, GitError, Patches, WorkingTreeChanges};
use crate::manager::specs::spawn_request::UncommittedChanges;
use crate::manager::workspace::Workspaces;
use crate::manager::workspace::worktree::work_refused;
use crate::model::{ChangedFile, is_deceptive};
use crate::rules::workspace::unsaved_work::named;
use crate::store::{RunFiles, Staging};

/// Uncommitted changes for a new worktree.
pub(super) struct CarriedChanges {
    /// Patches that are applied to the worktree.
    patches: Vec<(PathBuf, ChangeStage)>,
    /// Holds the patches if they were taken from the original tree.
    staging: Option<Staging>,
    /// Uncommitted files of the original tree that are not copied.
    left_behind: Vec<ChangedFile>,
}

impl CarriedChanges {
    /// The changes of an imported agent.
    pub(super) fn imported(patches: Vec<(PathBuf, ChangeStage)>) -> CarriedChanges {
        CarriedChanges { patches, staging: None, left_behind: Vec::new() }
    }

    /// Applies the patches to the worktree.
    pub(super) fn apply(&self, git: &Git, worktree: &Path) -> Result<(), Error> {
        let refuse = if self.staging.is_some() { changes_refused } else { work_refused };
        for (patch, stage) in &self.patches {
            Patches(git).apply(worktree, patch, *stage).map_err(|why| refuse(&why))?;
        }
        Ok(())
    }
}

impl Workspaces<'_> {
    /// Takes the uncommitted changes of a tree, or lists those that stay behind. The tree is not changed.
    pub(super) fn plan_changes(
        &self,
        top: &Path,
        choice: UncommittedChanges,
    ) -> Result<CarriedChanges, Error> {
        match choice {
            UncommittedChanges::TakeAlong => {
                let staging = RunFiles(&self.0.store).staging()?;
                let patches = self.copy_changes(top, staging.path())?;
                Ok(CarriedChanges { patches, staging: Some(staging), left_behind: Vec::new() })
            }
            UncommittedChanges::StayBehind => {
                let left_behind = WorkingTreeChanges(&self.0.git()).list_all(top).unwrap_or_default();
                Ok(CarriedChanges { patches: Vec::new(), staging: None, left_behind })
            }
        }
    }

    /// Reports how many uncommitted files a new worktree does not get.
    pub(super) fn warn_of_changes_left_behind(&self, changes: &CarriedChanges, copied: &[PathBuf]) {
        let is_missing = |file: &&ChangedFile| !copied.iter().any(|path| path == Path::new(&file.path));
        let files: Vec<ChangedFile> = changes.left_behind.iter().filter(is_missing).cloned().collect();
        if !files.is_empty() {
            let named = named("uncommitted file", &files);
            self.0.notice(format!("not in the new worktree: {named} (`--with-changes` copies them)"));
        }
    }

    /// Writes the uncommitted changes of a tree as patches into a directory.
    fn copy_changes(&self, top: &Path, staging: &Path) -> Result<Vec<(PathBuf, ChangeStage)>, Error> {
        let (staged, unstaged) = (staging.join("staged.patch"), staging.join("unstaged.patch"));
        let others =
            Patches(&self.0.git().with_long_timeout()).write(top, &[], staging, [&staged, &unstaged]);
        let others = others.map_err(|why| changes_refused(&why))?;
        for path in others {
            let path = path.replace(is_deceptive, " ");
            self.0.notice(format!("`{path}` is a separate repository and is not copied"));
        }
        let both = [(staged, ChangeStage::Staged), (unstaged, ChangeStage::Unstaged)];
        Ok(both.into_iter().filter(|(path, _)| path.exists()).collect())
    }
}

/// Returns the error for uncommitted changes that do not apply to the new worktree.
fn changes_refused(why: &GitError) -> Error {
    Error::new(
        Code::Workspace,
        format!("the uncommitted changes cannot be copied: {why}").replace(is_deceptive, " "),
    )
    .saw("nothing was started; the changes are still where they were")
    .hint("commit or stash them, and spawn without `--with-changes`")
}
