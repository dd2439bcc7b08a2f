//! What a commit unfolds to when it is checked out. A tree may be named in many places, and a long file may be nothing
//! but zeros: a few kilobytes of objects can be more files, and longer ones, than any disk has room for.
//!
//! Counted from git's own list while it is written, which ends where it is too much; nothing is ever kept of it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::command::{Git, GitError};
use super::submodules::INSIDE_GIT;

/// Files and directories; the biggest repositories that people work in have half of it.
const MOST_ENTRIES: u64 = 1_000_000;
/// Bytes of all files: as much as the biggest bundle that is taken over.
const MOST_BYTES: u64 = 4 << 30;
/// What small ones may have all the same: more than the files of most repositories.
const ALWAYS_BYTES: u64 = 1 << 30;
/// Nothing that people wrote is packed so well: a bundle has the whole history.
const MOST_RATIO: u64 = 200;
/// Bytes of all names, which git keeps in memory; a million of usual length have a hundred MiB.
const MOST_NAMES: u64 = 256 << 20;
/// The longest path that Linux opens.
const LONGEST_PATH: usize = 4096;
/// More than stands before the path: mode, kind, object and size.
const BEFORE_PATH: usize = 128;

/// How much there is, or may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unfolded {
    /// Files and directories, each as often as it is named.
    pub entries: u64,
    /// The bytes of the files.
    pub bytes: u64,
    /// The bytes of the names.
    pub names: u64,
}

impl Unfolded {
    /// What anybody works on.
    pub(super) const MOST: Unfolded =
        Unfolded { entries: MOST_ENTRIES, bytes: MOST_BYTES, names: MOST_NAMES };

    /// What a bundle of so many bytes may unfold to.
    pub(super) fn most_of(bundle: u64) -> Unfolded {
        let bytes = bundle.saturating_mul(MOST_RATIO).clamp(ALWAYS_BYTES, MOST_BYTES);
        Unfolded { bytes, ..Unfolded::MOST }
    }

    /// With one more line of git's list; what is too much, when it is.
    fn and(self, line: &[u8], most: &Unfolded) -> Result<Unfolded, String> {
        let bad = || "its tree cannot be read".to_owned();
        let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(bad)?;
        let size = line[..tab].rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let size = match size {
            // A directory, or a submodule.
            b"-" => 0,
            size => std::str::from_utf8(size).ok().and_then(|size| size.parse().ok()).ok_or_else(bad)?,
        };
        let path = line.len() - tab - 1;
        let all = Unfolded {
            entries: self.entries + 1,
            bytes: self.bytes.saturating_add(size),
            names: self.names + path as u64,
        };
        match () {
            () if all.entries > most.entries => {
                Err(format!("it unfolds to more than {} files and directories", most.entries))
            }
            () if all.bytes > most.bytes => {
                Err(format!("it unfolds to files of more than {} MiB", most.bytes >> 20))
            }
            () if path > LONGEST_PATH || all.names > most.names => {
                Err("it unfolds to names that are too long".to_owned())
            }
            () => Ok(all),
        }
    }
}

impl Git {
    /// What a commit unfolds to, beside what is there already; refused as soon as that is more than this.
    pub(super) fn unfolded(
        &self,
        repository: &Path,
        commit: &str,
        (there, most): (Unfolded, Unfolded),
    ) -> Result<Unfolded, GitError> {
        // With directories: a tree of nothing but empty ones has no file, and no end either.
        let args = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit];
        let inside = [INSIDE_GIT.to_owned()];
        self.wary().stream(repository, &inside, &args, move |list| count(list, there, &most))
    }
}

fn count(list: &mut dyn Read, there: Unfolded, most: &Unfolded) -> Result<Unfolded, GitError> {
    let failed = |said: String| GitError::Failed { what: "bundle".to_owned(), said };
    let (mut list, mut all) = (BufReader::new(list), there);
    let longest = (BEFORE_PATH + LONGEST_PATH + 1) as u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut list).take(longest).read_until(0, &mut line);
        let read = read.map_err(|error| failed(error.to_string()))? as u64;
        // A git that broke off says why itself.
        if read < longest && !line.ends_with(b"\0") {
            return Ok(all);
        }
        all = all.and(line.strip_suffix(b"\0").unwrap_or(&line), most).map_err(failed)?;
    }
}

#[cfg(test)]
mod tests;
