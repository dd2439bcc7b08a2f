//! What is not committed, as two patches: what is staged, and what is changed beside that, with files that git does not
//! know yet and does not ignore. Binary files, modes and links are in them as they are; what is in submodules is not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::door::{Also, Git, GitError};

/// Which changes a patch holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Those that the next commit would have.
    Staged,
    /// Those in the files alone.
    Unstaged,
}

/// As another machine needs it, whatever somebody likes to see.
const PLAIN: [&str; 9] = [
    "--binary",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules=all",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

impl Git {
    /// Writes both patches; an empty one is not written. `spared` are new files that stay where they are, as git's
    /// pathspecs with `exclude`; `room` is a directory for what is needed meanwhile.
    pub fn patches(
        &self,
        top: &Path,
        spared: &[String],
        room: &Path,
        into: [&Path; 2],
    ) -> Result<(), GitError> {
        if !self.ask(top, &[], &["ls-files", "--unmerged", "-z"])?.is_empty() {
            return Err(failed("diff", "a merge is under way; finish it, or `git merge --abort`"));
        }
        let off = self.own_filters_off(top)?;
        let [staged, unstaged] = into;
        let output = |path: &Path| format!("--output={}", path.display());
        self.ask(top, &off, &[&["diff", "--cached", &output(staged)][..], &PLAIN, &["HEAD", "--"]].concat())?;
        let index = self.index_with_new_files(top, &off, spared, room)?;
        let also = Also { input: None, index: Some(&index) };
        self.ask_with(top, &off, &[&["diff", &output(unstaged)][..], &PLAIN, &["--"]].concat(), also)?;
        for path in into {
            if fs::metadata(path).is_ok_and(|meta| meta.len() == 0) {
                fs::remove_file(path).map_err(unwritable)?;
            }
        }
        Ok(())
    }

    /// A copy of the index that also knows the files that git does not know yet, as empty ones.
    fn index_with_new_files(
        &self,
        top: &Path,
        off: &[String],
        spared: &[String],
        room: &Path,
    ) -> Result<PathBuf, GitError> {
        let said = self.ask(top, &[], &["rev-parse", "--git-path", "index"])?;
        let own = top.join(String::from_utf8_lossy(&said).trim_end_matches('\n'));
        let (index, list) = (room.join("index"), room.join("paths"));
        match fs::copy(&own, &index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            copied => drop(copied.map_err(unwritable)?),
        }
        // As old as the original, or git would take a file that was changed in the same instant for the one it knows.
        let age = fs::metadata(&own).and_then(|meta| meta.modified());
        if let Ok(age) = age {
            let copy = fs::OpenOptions::new().append(true).open(&index).map_err(unwritable)?;
            copy.set_modified(age).map_err(unwritable)?;
        }
        let mut paths = b".\0".to_vec();
        for path in spared {
            paths.extend_from_slice(format!("{path}\0").as_bytes());
        }
        fs::write(&list, paths).map_err(unwritable)?;
        let from = format!("--pathspec-from-file={}", list.display());
        let args = ["add", "--intent-to-add", "--ignore-removal", "--pathspec-file-nul", &from];
        self.ask_with(top, off, &args, Also { input: None, index: Some(&index) })?;
        Ok(index)
    }

    /// Puts a patch onto a tree. git refuses one that would write outside of it, into `.git` or through a link.
    pub fn apply(&self, top: &Path, patch: &Path, stage: Stage) -> Result<(), GitError> {
        let off = self.own_filters_off(top)?;
        let path = patch.to_string_lossy();
        let mut args = vec!["apply", "--whitespace=nowarn", "--binary"];
        args.extend((stage == Stage::Staged).then_some("--index"));
        args.push(&path);
        self.ask(top, &off, &args).map(drop)
    }
}

fn unwritable(error: io::Error) -> GitError {
    failed("diff", &error.to_string())
}

fn failed(what: &str, said: &str) -> GitError {
    GitError::Failed { what: what.to_owned(), said: said.to_owned() }
}

#[cfg(test)]
mod tests;
