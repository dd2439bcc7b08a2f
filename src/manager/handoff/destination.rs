//! Chooses where an imported agent works: in a worktree of a repository that has its history, in a new repository, or
//! in a scratch directory. All checks that can refuse the import run here, before anything is created.

use std::path::{Path, PathBuf};

use super::{ImportRequest, OpenedHandoff};
use crate::error::{Error, shown};
use crate::git;
use crate::manager::handoff::Handoff;
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

impl Handoff<'_> {
    pub(super) fn landing(
        &self,
        parcel: &OpenedHandoff,
        request: &ImportRequest,
    ) -> Result<ImportTarget, Error> {
        let Some(work) = &parcel.manifest.work else {
            return match (&request.clone_to, &request.dir) {
                (Some(_), _) => Err(Error::Usage {
                    what: "it brings no commits that a repository could be made of".into(),
                    hint: Some("leave `--clone-to` away".into()),
                }),
                (None, Some(dir)) => Ok(ImportTarget::Place(self.0.working_directory(Some(dir))?)),
                (None, None) => Ok(ImportTarget::Scratch),
            };
        };
        if let Some(dir) = &request.clone_to {
            return self.fresh(dir);
        }
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let Some(top) = git::project(&dir) else {
            return Err(no_place(format!("`{}` is in no git repository", dir.display()), work));
        };
        let known: Vec<String> = work.roots.iter().chain([&work.head]).cloned().collect();
        match self.0.git().has_any(&top, &known) {
            Ok(true) => Ok(ImportTarget::Worktree(top)),
            Ok(false) => {
                Err(no_place(format!("the repository `{}` has nothing of its history", top.display()), work))
            }
            Err(why) => Err(no_place(format!("`{}` cannot be asked: {why}", top.display()), work)),
        }
    }

    fn fresh(&self, dir: &Path) -> Result<ImportTarget, Error> {
        let path = SpecCatalog(self.0).path_here(dir);
        let bad = |why: &str| Error::Workspace {
            what: format!("no repository can be made in `{}`: {why}", shown(&path.to_string_lossy())),
            saw: vec!["nothing was changed".into()],
            hint: "name another directory with `--clone-to`: one that is not there yet".into(),
        };
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        let (Some(parent), Some(name)) = (parent, path.file_name()) else {
            return Err(bad("the directory around it is not there"));
        };
        let path = parent.join(name);
        if path.to_str().is_none() {
            return Err(bad("its name is not valid UTF-8"));
        }
        match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ImportTarget::Fresh(path)),
            Err(error) => Err(bad(&error.to_string())),
            Ok(_) => Err(bad("it is there already")),
        }
    }
}

fn no_place(what: String, work: &HandedWork) -> Error {
    let saw = work
        .remotes
        .iter()
        .map(|address| format!("it was cloned from {}", address.replace(is_deceptive, " ")));
    Error::Workspace {
        what,
        saw: saw.chain(["nothing was changed".to_owned()]).collect(),
        hint: "go into a clone of its repository, or name one with `--dir`; `--clone-to DIR` makes one of what is in it"
            .into(),
    }
}
