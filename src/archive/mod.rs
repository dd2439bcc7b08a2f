//! Reads and writes hand-off files: a gzip-compressed tar archive with `manifest.json` first, followed by the parts
//! that the manifest lists, in its order.
//!
//! A hand-off file may come from an untrusted source or be incomplete. Its parts have names from a closed list, are
//! plain files, have a bounded size, and must match the size and the checksum in the manifest; everything else is
//! rejected. Parts are unpacked under those names into a directory that the caller provides, and nowhere else. This
//! module does not interpret the content of the parts.
//!
//! - `write`: packs part files into a hand-off file
//! - `read`: unpacks a hand-off file with a limit on every size
//! - `checksum`: size and SHA-256 of a stream while it is copied

mod checksum;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};

pub use read::unpack;
pub use write::{IfExists, pack};

/// The reason why a hand-off file cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The target file exists already and must not be replaced.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// A file could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// Path of the file that could not be read.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// Path of the file that could not be written.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// The file is not a hand-off file.
    #[error("`{}` is not a handoff: {why}", path.display())]
    NotAHandoff {
        /// Path of the rejected file.
        path: PathBuf,
        /// Property of the file that shows that it is not a hand-off file.
        why: String,
    },
    /// The file has a newer format than this version can read.
    #[error("`{}` has format {found}, but this version supports {known}", path.display())]
    Newer {
        /// Path of the rejected file.
        path: PathBuf,
        /// Format number in the file's manifest.
        found: u64,
        /// Newest format number that this version can read.
        known: u32,
        /// Symposium version that wrote the file, if the manifest names it.
        needs: Option<String>,
    },
    /// The file is incomplete or was modified.
    #[error("`{}` is damaged: {why}", path.display())]
    Damaged {
        /// Path of the damaged file.
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// A part exceeds the size limit for its kind.
    #[error("{what} has {size} bytes, the limit is {most}")]
    TooBig {
        /// Name of the part, in backticks.
        what: String,
        /// Size of the part in bytes.
        size: u64,
        /// Size limit of the part in bytes.
        most: u64,
    },
}

impl ArchiveError {
    fn read(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
        let path = path.to_owned();
        move |source| ArchiveError::Read { path, source }
    }

    fn write(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
        let path = path.to_owned();
        move |source| ArchiveError::Write { path, source }
    }
}
