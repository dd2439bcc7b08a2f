//! Chooses where an imported agent works: in a worktree of a repository that has its history, in a new repository, or
//! in a scratch directory. All checks that can refuse the import run here, before anything is created.

use std::path::{Path, PathBuf};

use super::{ImportRequest, OpenedHandoff};
use crate::error::{Code, Error, shown};
use crate::git;
use crate::git::History;
use crate::manager::handoff::HandoffImport;
use crate::manager::specs::SpecCatalog;
use crate::model::{HandedWork, Workspace, is_deceptive};

/// The destination of an imported agent.
#[derive(Debug)]
pub(super) enum ImportTarget {
    /// A worktree of the repository that contains this directory.
    Worktree(PathBuf),
    /// A new repository in this directory.
    Fresh(PathBuf),
    /// This directory as it is, because the hand-off contains no work.
    Place(PathBuf),
    /// An empty scratch directory.
    Scratch,
}

impl ImportTarget {
    pub(super) fn workspace(&self) -> Workspace {
        match self {
            ImportTarget::Worktree(_) => Workspace::Worktree,
            ImportTarget::Fresh(_) | ImportTarget::Place(_) => Workspace::InPlace,
            ImportTarget::Scratch => Workspace::Scratch,
        }
    }
}

impl HandoffImport<'_> {
    pub(super) fn choose_destination(
        &self,
        opened: &OpenedHandoff,
        request: &ImportRequest,
    ) -> Result<ImportTarget, Error> {
        let Some(work) = &opened.manifest.work else {
            return match (&request.clone_to, &request.dir) {
                (Some(_), _) => Err(Error::usage(
                    "the hand-off contains no commits from which a repository could be created",
                )
                .hint("omit `--clone-to`")),
                (None, Some(dir)) => Ok(ImportTarget::Place(self.0.working_directory(Some(dir))?)),
                (None, None) => Ok(ImportTarget::Scratch),
            };
        };
        if let Some(dir) = &request.clone_to {
            return self.fresh(dir);
        }
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let Some(top) = git::project(&dir) else {
            return Err(no_destination(format!("`{}` is not in a git repository", dir.display()), work));
        };
        let known: Vec<String> = work.roots.iter().chain([&work.head]).cloned().collect();
        match History(&self.0.git()).has_any(&top, &known) {
            Ok(true) => Ok(ImportTarget::Worktree(top)),
            Ok(false) => Err(no_destination(
                format!("the repository `{}` shares no history with it", top.display()),
                work,
            )),
            Err(why) => Err(no_destination(format!("`{}` cannot be queried: {why}", top.display()), work)),
        }
    }

    fn fresh(&self, dir: &Path) -> Result<ImportTarget, Error> {
        let path = SpecCatalog(self.0).path_here(dir);
        let bad = |why: &str| {
            Error::new(
                Code::Workspace,
                format!("cannot create a repository in `{}`: {why}", shown(&path.to_string_lossy())),
            )
            .saw("nothing was changed")
            .hint("choose a directory that does not exist with `--clone-to`")
        };
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        let (Some(parent), Some(name)) = (parent, path.file_name()) else {
            return Err(bad("its parent directory does not exist"));
        };
        let path = parent.join(name);
        if path.to_str().is_none() {
            return Err(bad("its name is not valid UTF-8"));
        }
        match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ImportTarget::Fresh(path)),
            Err(error) => Err(bad(&error.to_string())),
            Ok(_) => Err(bad("it already exists")),
        }
    }
}

fn no_destination(what: String, work: &HandedWork) -> Error {
    let saw = work
        .remotes
        .iter()
        .map(|address| format!("it was cloned from {}", address.replace(is_deceptive, " ")));
    Error::new(Code::Workspace, what).saw_all(saw).saw("nothing was changed").hint("change to a clone of its repository, or choose one with `--dir`; `--clone-to DIR` creates one from the hand-off")
}
