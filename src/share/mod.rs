//! The sharing edge: the door through which another Unix user comes to one agent, and the way in from their side.
//!
//! - `place` is where doors are and who may reach them, `acl` how the file system is told; `door` listens and knows
//!   who knocks, `frame` is what is said through it
//! - `pty` is the terminal that a guest's screen is drawn on; `keys` takes what a guest types apart; `line` comes to a
//!   door, `visit` is the guest's own side of one, `ask` of many
//!
//! What a guest sends is bytes for an agent's program and the size of a window, never a command and never a key for
//! tmux. What the other side sends is never believed: who it is tells the kernel.

mod acl;
mod connect;
mod directory;
mod discover;
mod frame;
mod guest;
mod keys;
mod listener;
mod pty;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use directory::{Found, Place, Search};
pub use discover::{Answer, ask};
pub use frame::{Facts, Hello, Want};
pub use guest::{Left, visit};
pub use keys::Typed;
pub use listener::{Door, Guest};
pub use pty::Screen;

/// What can go wrong with a door.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// A place that somebody else could have prepared.
    #[error("{} is not safe to use: {why}", path.display())]
    Unsafe {
        /// The place.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Nobody shares this here, or no longer.
    #[error("nobody answers at {}", path.display())]
    NoDoor {
        /// Where the door would be.
        path: PathBuf,
    },
    /// Somebody is there, and does not let us in.
    #[error("no answer within {after:?}")]
    Silent {
        /// How long we waited.
        after: Duration,
    },
    /// The other side said no.
    #[error("{why}")]
    Refused {
        /// Its words, made fit to be shown.
        why: String,
    },
    /// The system said no.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ShareError {
    fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ShareError {
        let path = path.into();
        move |source| ShareError::File { doing, path, source }
    }
}
