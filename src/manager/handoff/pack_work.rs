//! Packs the work of an agent: the commits of its branch and its uncommitted changes. Files outside of a repository are
//! not packed.

use std::path::{Path, PathBuf};

use super::export::ENDING;
use crate::base::plural::counted;
use crate::error::{Code, Error};
use crate::git::{self, Bundles, GitError, Patches, UnsavedWorkSearch};
use crate::manager::handoff::HandoffExport;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentRecord, HandedWork, Part, Workspace, is_deceptive};
use crate::rules::workspace::handoff::without_credentials;

/// Work that is ready to be packed.
pub(super) struct Packed {
    pub handed: HandedWork,
    /// The top directory of the working tree.
    pub top: PathBuf,
}

impl HandoffExport<'_> {
    /// Writes the bundle and the patches to the staging directory. Returns `None` and adds a remark if there is no
    /// repository or no commit.
    pub(super) fn pack_work(
        &self,
        record: &AgentRecord,
        staging: &Path,
        remarks: &mut Vec<String>,
    ) -> Result<Option<Packed>, Error> {
        let dir = Path::new(&record.working_directory);
        let own = Workspaces(self.0).workspace_of(record);
        // A scratch directory may lie in a repository of something else, such as the user's whole home.
        let is_its = |top: &PathBuf| record.workspace != Workspace::Scratch || top.starts_with(&own);
        let Some(top) = git::project(dir).filter(is_its).filter(|_| dir.is_dir()) else {
            remarks.push(format!(
                "`{}` is not in a git repository: the files in it are not packed; `git init` and a commit there change that",
                dir.display()
            ));
            return Ok(None);
        };
        let git = self.0.git().with_long_timeout();
        let failed = |why| cannot_pack(record, &top, &why);
        self.0.progress("packing its commits");
        let Some(tip) = Bundles(&git).write(&top, &staging.join(Part::Bundle.name())).map_err(failed)? else {
            remarks.push("its repository has no commit yet: the files in it are not packed".into());
            return Ok(None);
        };
        self.pack_changes(record, &top, staging, remarks)?;
        let branch = git::branch(dir).filter(|branch| !tip.head.starts_with(branch.as_str()));
        if let Ok(Some(work)) = UnsavedWorkSearch(&git).in_tree(&top, branch.as_deref())
            && work.stashes > 0
        {
            let stashes = counted(work.stashes, "stash", "stashes");
            remarks.push(format!("not included, although made on its branch: {stashes}"));
        }
        let below = dir.strip_prefix(&top).unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let mut remotes: Vec<String> =
            tip.remotes.iter().filter_map(|address| without_credentials(address)).collect();
        remotes.sort();
        remotes.dedup();
        let (head, base, roots) = (tip.head, tip.base, tip.roots);
        let handed = HandedWork { workspace: record.workspace, branch, head, base, roots, below, remotes };
        Ok(Some(Packed { handed, top }))
    }

    /// Writes the patches of the uncommitted changes, and adds a remark for what they do not include.
    fn pack_changes(
        &self,
        record: &AgentRecord,
        top: &Path,
        staging: &Path,
        remarks: &mut Vec<String>,
    ) -> Result<(), Error> {
        let copied = match record.workspace {
            Workspace::Worktree => Workspaces(self.0).worktree_note(record).copied,
            _ => Vec::new(),
        };
        let copied = copied.iter().map(|path| format!(":(top,exclude,literal){}", path.display()));
        // Earlier hand-offs are excluded as well.
        let spared: Vec<String> = copied.chain([format!(":(top,exclude,glob)**/*{ENDING}")]).collect();
        let scrap = staging.join("scrap");
        std::fs::create_dir(&scrap).map_err(Error::io(format!("cannot make {}", scrap.display())))?;
        let (staged, unstaged) = (staging.join(Part::Staged.name()), staging.join(Part::Unstaged.name()));
        let git = self.0.git().with_long_timeout();
        let others = Patches(&git)
            .write(top, &spared, &scrap, [&staged, &unstaged])
            .map_err(|why| cannot_pack(record, top, &why))?;
        remarks.extend(others.iter().map(|path| {
            format!("`{}` is a separate repository and is not included", path.replace(is_deceptive, " "))
        }));
        if top.join(".gitmodules").exists() {
            remarks
                .push("submodules are not included: the importing user needs a clone that has them".into());
        }
        Ok(())
    }
}

fn cannot_pack(record: &AgentRecord, top: &Path, why: &GitError) -> Error {
    let message = format!("the work of agent `{}` cannot be packed: {why}", record.name);
    Error::new(Code::Workspace, message)
        .saw("nothing was written")
        .hint(format!("fix it in `{}`, then try again", top.display()))
}
