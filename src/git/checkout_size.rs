//! Computes the size of a commit's files when it is checked out. A tree may occur at many paths, and a long file may
//! consist of zeros: a few kilobytes of objects can expand to more and longer files than fit on any disk.
//!
//! The size is computed from the output of `git ls-tree` while git writes it, and git is stopped when a limit is
//! exceeded. The list itself is never stored.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::command::{Git, GitError};
use super::submodules::INSIDE_GIT;

/// Maximum number of files and directories. The biggest repositories in common use have half of it.
const MAX_ENTRIES: u64 = 1_000_000;
/// Maximum size of all files in bytes: as much as the biggest bundle that is accepted.
const MAX_BYTES: u64 = 4 << 30;
/// Size of all files in bytes that even a small bundle may contain: more than most repositories have.
const MIN_ALLOWED_BYTES: u64 = 1 << 30;
/// Maximum number of checked-out bytes per byte of the bundle. Real repositories do not reach this ratio, because a
/// bundle contains the whole history.
const MAX_RATIO: u64 = 200;
/// Maximum size of all paths in bytes, which git keeps in memory. A million paths of usual length have a hundred MiB.
const MAX_NAME_BYTES: u64 = 256 << 20;
/// Maximum length of a path that Linux opens.
const MAX_PATH_BYTES: usize = 4096;
/// Upper bound for the fields before the path: mode, type, object and size.
const BEFORE_PATH: usize = 128;

/// The size of a checkout, or a limit for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckoutSize {
    /// Number of files and directories, counted once for each path.
    pub entries: u64,
    /// Total size of the files in bytes.
    pub bytes: u64,
    /// Total size of the paths in bytes.
    pub names: u64,
}

impl CheckoutSize {
    /// The limits for every checkout.
    pub(super) const MAX_CHECKOUT: CheckoutSize =
        CheckoutSize { entries: MAX_ENTRIES, bytes: MAX_BYTES, names: MAX_NAME_BYTES };

    /// Returns the limits for a bundle of this size in bytes.
    pub(super) fn most_of(bundle: u64) -> CheckoutSize {
        let bytes = bundle.saturating_mul(MAX_RATIO).clamp(MIN_ALLOWED_BYTES, MAX_BYTES);
        CheckoutSize { bytes, ..CheckoutSize::MAX_CHECKOUT }
    }

    /// Adds the size of a commit's checkout, or returns an error as soon as the sum exceeds `most`.
    pub(super) fn plus_checkout(
        self,
        git: &Git,
        (repository, commit): (&Path, &str),
        most: CheckoutSize,
    ) -> Result<CheckoutSize, GitError> {
        // Includes directories: a tree of empty directories alone contains no file, but can have any number of entries.
        let args = ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit];
        let inside = [INSIDE_GIT.to_owned()];
        git.with_memory_limit().stream(repository, &inside, &args, move |list| count(list, self, &most))
    }

    /// Adds one line of the output of `git ls-tree`. The error names the limit that is exceeded.
    fn and(self, line: &[u8], most: &CheckoutSize) -> Result<CheckoutSize, String> {
        let bad = || "its tree cannot be read".to_owned();
        let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(bad)?;
        let size = line[..tab].rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let size = match size {
            // The entry is a directory or a submodule.
            b"-" => 0,
            size => std::str::from_utf8(size).ok().and_then(|size| size.parse().ok()).ok_or_else(bad)?,
        };
        let path = line.len() - tab - 1;
        let all = CheckoutSize {
            entries: self.entries + 1,
            bytes: self.bytes.saturating_add(size),
            names: self.names + path as u64,
        };
        match () {
            () if all.entries > most.entries => {
                Err(format!("it unpacks to more than {} files and directories", most.entries))
            }
            () if all.bytes > most.bytes => {
                Err(format!("it unpacks to files of more than {} MiB", most.bytes >> 20))
            }
            () if path > MAX_PATH_BYTES || all.names > most.names => {
                Err("it unpacks to names that are too long".to_owned())
            }
            () => Ok(all),
        }
    }
}

fn count(list: &mut dyn Read, there: CheckoutSize, most: &CheckoutSize) -> Result<CheckoutSize, GitError> {
    let failed = |output: String| GitError::Failed { what: "bundle".to_owned(), output };
    let (mut list, mut all) = (BufReader::new(list), there);
    let longest = (BEFORE_PATH + MAX_PATH_BYTES + 1) as u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut list).take(longest).read_until(0, &mut line);
        let read = read.map_err(|error| failed(error.to_string()))? as u64;
        // If git stopped early, its own error is reported.
        if read < longest && !line.ends_with(b"\0") {
            return Ok(all);
        }
        all = all.and(line.strip_suffix(b"\0").unwrap_or(&line), most).map_err(failed)?;
    }
}

#[cfg(test)]
mod tests;
