//! Stores uncommitted changes as two patches: the staged changes, and the unstaged changes with untracked files that
//! are not ignored. Binary files, modes and links are included; the content of submodules and of other repositories
//! below the tree is not.

use std::fs;
use std::io::{self};
use std::path::Path;

use super::super::command::{CommandInput, Git, GitError};
use super::super::untrusted_file::open_regular_file;
use super::{Index, WorkingTreeChanges};

/// The kind of changes that a patch contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStage {
    /// The changes in the index.
    Staged,
    /// The changes in the working tree only.
    Unstaged,
}

/// File name of the index copy that also contains untracked files.
const INDEX: &str = "index";
/// File name of the unchanged index copy. It is needed because an index that gets `a/b` loses a file `a`.
const KNOWN_FILE: &str = "known";

/// Prevents git from writing characters in paths as octal escapes, so that a search in the patch finds them.
pub(in crate::git) const NAMES_AS_THEY_ARE: &str = "core.quotePath=false";

/// Writes binary files as binary patches that git can apply.
const AS_BYTES: &str = "--binary";
/// Writes binary files as text for inspection.
const AS_TEXT: &str = "--text";

/// Options for a patch that is independent of the user's configuration, as another machine needs it.
const PLAIN: [&str; 8] = [
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=all",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Writes uncommitted changes as patches and applies them.
#[derive(Debug, Clone, Copy)]
pub struct Patches<'a>(pub &'a Git);

impl Patches<'_> {
    /// Writes both patches; an empty patch is not written. `spared` contains pathspecs with `exclude` for untracked
    /// files to leave out; `scratch_dir` is a directory for temporary files. Returns the directories that are separate
    /// repositories and not submodules; these are left out, too.
    pub fn write(
        &self,
        top: &Path,
        spared: &[String],
        scratch_dir: &Path,
        into: [&Path; 2],
    ) -> Result<Vec<String>, GitError> {
        if !self.0.output(top, &[], &["ls-files", "--unmerged", "-z"])?.is_empty() {
            return Err(failed("diff", "a merge is under way; finish it, or `git merge --abort`"));
        }
        self.write_staged(top, AS_BYTES, into[0])?;
        let others = WorkingTreeChanges(self.0).repositories_below(top)?;
        let apart = others.iter().map(|path| format!(":(top,exclude,literal){path}"));
        let spared: Vec<String> = spared.iter().cloned().chain(apart).collect();
        self.index_with_new_files(top, &spared, scratch_dir)?;
        self.write_unstaged(top, AS_BYTES, scratch_dir, into[1])?;
        for path in into {
            if fs::metadata(path).is_ok_and(|meta| meta.len() == 0) {
                fs::remove_file(path).map_err(unwritable)?;
            }
        }
        Ok(others)
    }

    /// Writes both patches with binary files as text, for inspection. Must be called after `write` with the same
    /// `scratch_dir`.
    pub fn write_as_text(&self, top: &Path, scratch_dir: &Path, into: [&Path; 2]) -> Result<(), GitError> {
        self.write_staged(top, AS_TEXT, into[0])?;
        self.write_unstaged(top, AS_TEXT, scratch_dir, into[1])
    }

    fn write_staged(&self, top: &Path, how: &str, into: &Path) -> Result<(), GitError> {
        let output = format!("--output={}", into.display());
        let what = ["diff", "--cached", how, &output];
        self.0
            .output(top, &[NAMES_AS_THEY_ARE.to_owned()], &[&what[..], &PLAIN, &["HEAD", "--"]].concat())
            .map(drop)
    }

    fn write_unstaged(&self, top: &Path, how: &str, scratch_dir: &Path, into: &Path) -> Result<(), GitError> {
        let new = scratch_dir.join("new");
        // A file must be deleted before a directory can take its place, and vice versa. Therefore deletions come first.
        for (known, filter, into) in [(KNOWN_FILE, "--diff-filter=D", into), (INDEX, "--diff-filter=d", &new)]
        {
            let (output, index) = (format!("--output={}", into.display()), scratch_dir.join(known));
            let what = ["diff", how, filter, &output];
            let also = CommandInput { input: None, index: Some(&index) };
            self.0.output_with_input(
                top,
                &[NAMES_AS_THEY_ARE.to_owned()],
                &[&what[..], &PLAIN, &["--"]].concat(),
                also,
            )?;
        }
        let mut whole = fs::OpenOptions::new().append(true).open(into).map_err(unwritable)?;
        let mut new = fs::File::open(new).map_err(unwritable)?;
        io::copy(&mut new, &mut whole).map(drop).map_err(unwritable)
    }

    /// Creates two copies of the index. One of them also contains the untracked files, as empty files.
    fn index_with_new_files(
        &self,
        top: &Path,
        spared: &[String],
        scratch_dir: &Path,
    ) -> Result<(), GitError> {
        let output = self.0.output(top, &[], &["rev-parse", "--git-path", "index"])?;
        let own = top.join(String::from_utf8_lossy(&output).trim_end_matches('\n'));
        let (index, list) = (scratch_dir.join(INDEX), scratch_dir.join("paths"));
        for copy in [&index, &scratch_dir.join(KNOWN_FILE)] {
            copy_of_index(&own, copy).map_err(unwritable)?;
            Index(self.0).unhide_changes(top, copy, scratch_dir)?;
        }
        let mut paths = b".\0".to_vec();
        for path in spared {
            paths.extend_from_slice(format!("{path}\0").as_bytes());
        }
        fs::write(&list, paths).map_err(unwritable)?;
        let from = format!("--pathspec-from-file={}", list.display());
        let args = ["add", "--intent-to-add", "--ignore-removal", "--pathspec-file-nul", &from];
        self.0.output_with_input(top, &[], &args, CommandInput { input: None, index: Some(&index) }).map(drop)
    }

    /// Applies a patch to a tree. git rejects patches that would write outside of the tree, into `.git` or through a
    /// link.
    pub fn apply(&self, top: &Path, patch: &Path, stage: ChangeStage) -> Result<(), GitError> {
        let path = patch.to_string_lossy();
        let mut args = vec!["apply", "--whitespace=nowarn", "--binary"];
        args.extend((stage == ChangeStage::Staged).then_some("--index"));
        args.push(&path);
        // git keeps the whole result in memory before it writes anything.
        self.0.with_memory_limit().output(top, &[], &args).map(drop)
    }
}

/// Copies the index with its modification time. Otherwise git would consider a file unchanged that was modified in the
/// same instant as the index.
pub(in crate::git) fn copy_of_index(own: &Path, copy: &Path) -> io::Result<()> {
    let mut index = match open_regular_file(own) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let mut written = fs::File::create(copy)?;
    io::copy(&mut index, &mut written)?;
    match index.metadata().and_then(|meta| meta.modified()) {
        Ok(age) => written.set_modified(age),
        Err(_) => Ok(()),
    }
}

fn unwritable(error: io::Error) -> GitError {
    failed("diff", &error.to_string())
}

fn failed(what: &str, output: &str) -> GitError {
    GitError::Failed { what: what.to_owned(), output: output.to_owned() }
}

#[cfg(test)]
mod tests;
