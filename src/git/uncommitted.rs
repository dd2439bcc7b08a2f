//! What is not committed, as two patches: what is staged, and what is changed beside that, with files that git does not
//! know yet and does not ignore. Binary files, modes and links are in them as they are; what is in submodules and in other
//! repositories below is not.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::command::{Also, Git, GitError};

/// Which changes a patch holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Those that the next commit would have.
    Staged,
    /// Those in the files alone.
    Unstaged,
}

/// What the copy of the index is called that knows new files too.
const INDEX: &str = "index";
/// And the one that is as the original: one that learns of `a/b` forgets that there was a file `a`.
const KNOWN: &str = "known";

/// Without numbers in the place of letters: what is looked for in a name must be found.
pub(super) const NAMES_AS_THEY_ARE: &str = "core.quotePath=false";

/// What cannot be compared as it is, for git to put back.
const AS_BYTES: &str = "--binary";
/// The same as if it were text, for somebody to read.
const AS_TEXT: &str = "--text";

/// As another machine needs it, whatever somebody likes to see.
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

impl Git {
    /// Writes both patches; an empty one is not written. `spared` are new files that stay where they are, as git's
    /// pathspecs with `exclude`; `room` is a directory for what is needed meanwhile. Says which directories are
    /// repositories of their own that git does not know of: they stay too.
    pub fn patches(
        &self,
        top: &Path,
        spared: &[String],
        room: &Path,
        into: [&Path; 2],
    ) -> Result<Vec<String>, GitError> {
        if !self.ask(top, &[], &["ls-files", "--unmerged", "-z"])?.is_empty() {
            return Err(failed("diff", "a merge is under way; finish it, or `git merge --abort`"));
        }
        let off = [self.own_filters_off(top)?, vec![NAMES_AS_THEY_ARE.to_owned()]].concat();
        self.staged((top, &off), AS_BYTES, into[0])?;
        let others = self.repositories_below(top)?;
        let apart = others.iter().map(|path| format!(":(top,exclude,literal){path}"));
        let spared: Vec<String> = spared.iter().cloned().chain(apart).collect();
        self.index_with_new_files(top, &off, &spared, room)?;
        self.unstaged((top, &off), AS_BYTES, room, into[1])?;
        for path in into {
            if fs::metadata(path).is_ok_and(|meta| meta.len() == 0) {
                fs::remove_file(path).map_err(unwritable)?;
            }
        }
        Ok(others)
    }

    /// The directories that git does not look into because they are repositories, without those that are submodules.
    pub(super) fn repositories_below(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let args = ["ls-files", "--others", "--exclude-standard", "-z"];
        self.stream(top, &[], &args, |said| {
            let mut found = Vec::new();
            for path in BufReader::new(said).split(0) {
                let path = path.map_err(unwritable)?;
                // Of all that is new only these are named without what is in them.
                found.extend(path.strip_suffix(b"/").map(|path| String::from_utf8_lossy(path).into_owned()));
            }
            Ok(found)
        })
    }

    /// The same for somebody to look through, with what was not to be compared as text; after the patches, in their room.
    pub fn patches_as_text(&self, top: &Path, room: &Path, into: [&Path; 2]) -> Result<(), GitError> {
        let off = [self.own_filters_off(top)?, vec![NAMES_AS_THEY_ARE.to_owned()]].concat();
        self.staged((top, &off), AS_TEXT, into[0])?;
        self.unstaged((top, &off), AS_TEXT, room, into[1])
    }

    fn staged(&self, (top, off): (&Path, &[String]), how: &str, into: &Path) -> Result<(), GitError> {
        let output = format!("--output={}", into.display());
        let what = ["diff", "--cached", how, &output];
        self.ask(top, off, &[&what[..], &PLAIN, &["HEAD", "--"]].concat()).map(drop)
    }

    fn unstaged(
        &self,
        (top, off): (&Path, &[String]),
        how: &str,
        room: &Path,
        into: &Path,
    ) -> Result<(), GitError> {
        let new = room.join("new");
        // A file must be gone before there can be a directory in its place, and the other way round.
        for (known, filter, into) in [(KNOWN, "--diff-filter=D", into), (INDEX, "--diff-filter=d", &new)] {
            let (output, index) = (format!("--output={}", into.display()), room.join(known));
            let what = ["diff", how, filter, &output];
            let also = Also { input: None, index: Some(&index) };
            self.ask_with(top, off, &[&what[..], &PLAIN, &["--"]].concat(), also)?;
        }
        let mut whole = fs::OpenOptions::new().append(true).open(into).map_err(unwritable)?;
        let mut new = fs::File::open(new).map_err(unwritable)?;
        io::copy(&mut new, &mut whole).map(drop).map_err(unwritable)
    }

    /// Two copies of the index; one also knows the files that git does not know yet, as empty ones.
    fn index_with_new_files(
        &self,
        top: &Path,
        off: &[String],
        spared: &[String],
        room: &Path,
    ) -> Result<(), GitError> {
        let said = self.ask(top, &[], &["rev-parse", "--git-path", "index"])?;
        let own = top.join(String::from_utf8_lossy(&said).trim_end_matches('\n'));
        let (index, list) = (room.join(INDEX), room.join("paths"));
        for copy in [&index, &room.join(KNOWN)] {
            copy_of_index(&own, copy).map_err(unwritable)?;
        }
        let mut paths = b".\0".to_vec();
        for path in spared {
            paths.extend_from_slice(format!("{path}\0").as_bytes());
        }
        fs::write(&list, paths).map_err(unwritable)?;
        let from = format!("--pathspec-from-file={}", list.display());
        let args = ["add", "--intent-to-add", "--ignore-removal", "--pathspec-file-nul", &from];
        self.ask_with(top, off, &args, Also { input: None, index: Some(&index) }).map(drop)
    }

    /// Puts a patch onto a tree. git refuses one that would write outside of it, into `.git` or through a link.
    pub fn apply(&self, top: &Path, patch: &Path, stage: Stage) -> Result<(), GitError> {
        let off = self.own_filters_off(top)?;
        let path = patch.to_string_lossy();
        let mut args = vec!["apply", "--whitespace=nowarn", "--binary"];
        args.extend((stage == Stage::Staged).then_some("--index"));
        args.push(&path);
        // It keeps all that it makes in memory before it writes any of it.
        self.wary().ask(top, &off, &args).map(drop)
    }
}

/// As old as the original, or git would take a file that was changed in the same instant for the one it knows.
pub(super) fn copy_of_index(own: &Path, copy: &Path) -> io::Result<()> {
    match fs::copy(own, copy) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        copied => copied?,
    };
    match fs::metadata(own).and_then(|meta| meta.modified()) {
        Ok(age) => fs::OpenOptions::new().append(true).open(copy)?.set_modified(age),
        Err(_) => Ok(()),
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
