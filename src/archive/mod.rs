//! The handoff file: a tar in gzip, `manifest.json` first, then the parts that it names, in its order.
//!
//! A file that is read may be a stranger's, or half of one. Its parts are a closed list of names, plain files, each
//! bounded, each as long and with the checksum that the manifest says; everything else is refused. What is read goes
//! into a directory of the caller's under those names, and nowhere else. What is in the parts is nobody's business here.

mod digest;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};

pub use read::unpack;
pub use write::{Existing, pack};

/// Why a handoff cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is a file of that name.
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    /// The disk did not give it.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The disk did not take it.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is something else.
    #[error("`{}` is not a handoff: {why}", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
        /// How that shows.
        why: String,
    },
    /// A newer symposium wrote it.
    #[error("`{}` is of format {found}, this symposium knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// Ours.
        known: u32,
        /// The version that can read it, as far as it says so.
        needs: Option<String>,
    },
    /// It is not whole, or was tampered with.
    #[error("`{}` is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        why: String,
    },
    /// A part is bigger than parts may be.
    #[error("{what} has {size} bytes, at most {most} can be handed over")]
    TooBig {
        /// Which part.
        what: String,
        /// How big it is.
        size: u64,
        /// How big it may be.
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
