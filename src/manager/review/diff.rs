//! `agent diff`: everything that an agent changed since its base, with commits, uncommitted and untracked files.
//!
//! The working tree is stored as a tree object in a temporary directory, so one comparison of two trees shows all of
//! it. The repository, its index and its working tree stay as they are.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::base::plural::counted;
use crate::error::Error;
use crate::git::{
    self, Branches, Diffs, Git, History, ObjectStore, Objects, SnapshotPlan, Snapshots, TreePair,
    UnsavedWorkSearch, WorkingTreeChanges,
};
use crate::manager::review::Reviews;
use crate::manager::review::base::unreadable;
use crate::manager::workspace::{WorkInspection, Workspaces};
use crate::model::{
    AgentName, AgentRecord, BaseSource, BlobPair, DiffBase, DiffSide, Exit, WorkDiff, Workspace,
};
use crate::process::{self, Run};
use crate::rules::review::target::path_in_tree;
use crate::store::{RunFiles, Staging};

/// The pager if the user has configured none.
const DEFAULT_PAGER: &str = "less -R";

/// Variables of git that the user's diff program gets. Others would select another repository.
const KEPT_VARIABLES: [&str; 3] = ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_CONFIG_GLOBAL"];

/// Which part of the work to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffPart {
    /// Commits and uncommitted changes together.
    All,
    /// Only what is committed.
    Committed,
    /// Only what is not committed.
    Uncommitted,
}

/// A request for the changes of an agent.
#[derive(Debug, Clone)]
pub struct DiffRequest {
    /// Name of the agent.
    pub name: AgentName,
    /// The base that the user names. It is remembered.
    pub base: Option<String>,
    /// Which part of the work to show.
    pub part: DiffPart,
}

/// A working tree and the commit to compare it with.
pub(in crate::manager) struct Comparison {
    /// Root of the working tree.
    pub top: PathBuf,
    /// The commit that it is compared with.
    pub base: DiffBase,
    /// Which part of the work to show.
    pub part: DiffPart,
    /// Paths that are not compared.
    pub left_out: Vec<String>,
    /// Facts that limit what the diff can show.
    pub remarks: Vec<String>,
}

/// A computed diff, from which patches can be written as long as it exists.
pub struct DiffSession {
    /// The changes of the agent.
    pub diff: WorkDiff,
    git: Git,
    top: PathBuf,
    from: String,
    to: String,
    record: AgentRecord,
    scratch: Staging,
}

/// One version of a file of a diff.
#[derive(Debug, Clone)]
pub struct DiffFile {
    /// Path of the file in this version.
    pub path: String,
    /// The versions that the diff compares; both are the same if the file is not part of the diff.
    pub blobs: BlobPair,
    /// The content; `None` for a binary file.
    pub text: Option<String>,
}

impl DiffSession {
    /// Returns one version of a file, or `None` if there is no such file. The file need not be part of the diff.
    pub fn file(&self, path: &str, side: DiffSide) -> Result<Option<DiffFile>, Error> {
        let failed = |why| unreadable(&self.record, &why);
        let Some(path) = path_in_tree(path, &self.top) else { return Ok(None) };
        let change = self.diff.files.iter().find(|change| change.path == path);
        let (tree, path) = match side {
            DiffSide::New => (&self.to, path),
            DiffSide::Old => (&self.from, change.and_then(|change| change.old_path.clone()).unwrap_or(path)),
        };
        let Some(blob) = Objects(&self.git).blob_at(&self.top, tree, &path).map_err(failed)? else {
            return Ok(None);
        };
        let Some(content) = Objects(&self.git).blob(&self.top, &blob).map_err(failed)? else {
            return Ok(None);
        };
        let text = (!content.contains(&0)).then(|| String::from_utf8_lossy(&content).into_owned());
        let same = || BlobPair { old_blob: Some(blob.clone()), new_blob: Some(blob.clone()) };
        let blobs = change.map_or_else(same, |change| change.blobs.clone());
        Ok(Some(DiffFile { path, blobs, text }))
    }

    /// Writes the changes as a patch, limited to `paths` if there are any.
    pub fn write_patch(&self, paths: &[String], into: &mut dyn Write) -> Result<(), Error> {
        let trees = TreePair { from: &self.from, to: &self.to };
        Diffs(&self.git)
            .write_patch(&self.top, trees, paths, into)
            .map_err(|why| unreadable(&self.record, &why))
    }

    /// Writes the changes as a patch with all lines of the changed files, limited to `paths` if there are any.
    pub fn write_whole_files(&self, paths: &[String], into: &mut dyn Write) -> Result<(), Error> {
        let trees = TreePair { from: &self.from, to: &self.to };
        Diffs(&self.git)
            .write_whole_files(&self.top, trees, paths, into)
            .map_err(|why| unreadable(&self.record, &why))
    }
}

impl Reviews<'_> {
    /// Shows a diff with the program that the user has configured as `diff.external`, or else in the pager for diffs,
    /// such as `less` or `delta`. Both come from the user's own git configuration or environment, never from the
    /// repository.
    pub fn show_with_tool(&self, session: &DiffSession) -> Result<Exit, Error> {
        let is_configured = self.variable("GIT_EXTERNAL_DIFF").is_some()
            || self.0.git().user_setting("diff.external").is_some();
        if is_configured { self.show_with_program(session) } else { self.show_in_pager(session) }
    }

    fn variable(&self, key: &str) -> Option<String> {
        let value = self.0.env.var(key)?.to_str()?.to_owned();
        Some(value).filter(|value| !value.is_empty())
    }

    /// Lets git start the user's program for each file, in a repository without configuration and attributes.
    fn show_with_program(&self, session: &DiffSession) -> Result<Exit, Error> {
        let failed = |why| unreadable(&session.record, &why);
        let repository =
            Diffs(&session.git).repository_for_tools(&session.top, session.scratch.path()).map_err(failed)?;
        let program = session.git.program().map_err(failed)?;
        let is_kept = |name: &OsString| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_") || KEPT_VARIABLES.contains(&&*name)
        };
        let env: Vec<(OsString, OsString)> =
            self.0.env.all().iter().filter(|(name, _)| is_kept(name)).cloned().collect();
        let place = format!("--git-dir={}", repository.display());
        let args = [&place, "diff", "--ext-diff", &session.from, &session.to, "--"].map(str::to_owned);
        let run = Run { program: &program, args: &args, dir: Some(session.scratch.path()), env: Some(&env) };
        process::run_foreground(&run, |_| ()).map_err(Error::io("cannot run `git diff`"))
    }

    fn show_in_pager(&self, session: &DiffSession) -> Result<Exit, Error> {
        let git = self.0.git();
        let variable = |key: &str| self.variable(key);
        let pager = variable("GIT_PAGER")
            .or_else(|| git.user_setting("pager.diff"))
            .or_else(|| git.user_setting("core.pager"))
            .or_else(|| variable("PAGER"))
            .unwrap_or_else(|| DEFAULT_PAGER.to_owned());
        let cannot = || Error::io("cannot write the patch");
        let path = session.scratch.path().join("patch");
        let mut file = File::create(&path).map_err(cannot())?;
        session.write_patch(&[], &mut file)?;
        // As in git, the pager is a shell command. The path of the patch is an argument and not a part of it.
        let args = ["-c".to_owned(), format!("{pager} < \"$0\""), path.to_string_lossy().into_owned()];
        let run = Run { program: Path::new("/bin/sh"), args: &args, dir: None, env: Some(self.0.env.all()) };
        process::run_foreground(&run, |_| ()).map_err(Error::io(format!("cannot run `{pager}`")))
    }

    /// Compares the work of an agent with its base.
    pub fn diff(&self, request: &DiffRequest) -> Result<DiffSession, Error> {
        let record = self.0.record(&request.name, "diff")?;
        Workspaces(self.0).refuse_unfinished(&record)?;
        let top = self.working_tree(&record)?;
        let base = self.base(&record, &top, request.base.as_deref())?;
        let mut remarks = self.remarks(&record, &base);
        let verified = WorkInspection(self.0).verify_worktree(&record, &top);
        remarks.extend(verified.err().map(|why| format!("this may not be the work of the agent: {why}")));
        let copies = Workspaces(self.0).unchanged_copies(&record);
        let copies = copies.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        self.compare(record, Comparison { top, base, part: request.part, left_out: copies, remarks })
    }

    /// Compares a working tree with a commit.
    pub(in crate::manager) fn compare(
        &self,
        record: AgentRecord,
        comparison: Comparison,
    ) -> Result<DiffSession, Error> {
        let Comparison { top, base, part, left_out: copies, mut remarks } = comparison;
        let scratch = RunFiles(&self.0.store).staging()?;
        let plain = self.0.git().with_long_timeout().with_changed_line_ends();
        let failed = |why| unreadable(&record, &why);
        let embedded = WorkingTreeChanges(&plain).repositories_below(&top).map_err(failed)?;
        let left_out: Vec<String> = copies
            .into_iter()
            .chain(embedded.iter().cloned())
            .map(|path| format!(":(top,exclude,literal){path}"))
            .collect();
        remarks.extend(
            embedded.iter().map(|path| format!("`{path}` is a repository of its own and is left out")),
        );
        for (path, work) in UnsavedWorkSearch(&plain).in_submodules(&top).map_err(failed)? {
            if !work.changed.is_empty() {
                let files = counted(work.changed.len(), "uncommitted file", "uncommitted files");
                remarks.push(format!("submodule `{}` has {files}, not shown here", path.display()));
            }
        }
        let plan =
            SnapshotPlan { left_out: &left_out, scratch: scratch.path(), objects: ObjectStore::Scratch };
        let git = Snapshots(&plain).git_for(&top, plan).map_err(failed)?;
        let tree = Snapshots(&git).write(&top, plan).map_err(failed)?;
        let empty = Objects(&git).empty_tree(&top).map_err(failed)?;
        let head = git.head(&top).map_err(failed)?.unwrap_or_else(|| empty.clone());
        let start = base.commit.clone().unwrap_or(empty);
        let (from, to) = match part {
            DiffPart::All => (start.clone(), tree.clone()),
            DiffPart::Committed => (start.clone(), head.clone()),
            DiffPart::Uncommitted => (head.clone(), tree.clone()),
        };
        let changed =
            |from: &str, to: &str| Diffs(&git).changed_files(&top, TreePair { from, to }).map_err(failed);
        let commits = match (&base.commit, part) {
            (Some(base), DiffPart::All | DiffPart::Committed) => {
                History(&git).commits_between(&top, TreePair { from: base, to: &head }).map_err(failed)?
            }
            _ => Vec::new(),
        };
        let uncommitted = match part {
            DiffPart::Committed => Vec::new(),
            _ => changed(&head, &tree)?.into_iter().map(|change| change.path).collect(),
        };
        let diff = WorkDiff {
            agent: record.name.clone(),
            directory: top.to_string_lossy().into_owned(),
            branch: git::branch(&top).or_else(|| Branches(&git).current(&top).ok().flatten()),
            base,
            commits,
            files: changed(&from, &to)?,
            uncommitted,
            remarks,
        };
        Ok(DiffSession { diff, git, top, from, to, record, scratch })
    }

    /// Returns facts that limit what a diff with this base can show.
    fn remarks(&self, record: &AgentRecord, base: &DiffBase) -> Vec<String> {
        let name = &record.name;
        let mut remarks = Vec::new();
        if record.workspace != Workspace::Worktree {
            remarks.push(match base.source {
                BaseSource::Head => format!(
                    "`{name}` works in place and git does not record where it started: only uncommitted changes are shown"
                ),
                _ => format!(
                    "`{name}` works in place: changes that you or other agents made in this directory are shown, too"
                ),
            });
        } else if base.source == BaseSource::Head {
            remarks.push(
                "no base branch was found, so only uncommitted changes are shown; `--base REF` names one"
                    .to_owned(),
            );
        }
        remarks
    }
}
