//! The share adapter: the listener through which another Unix user attaches to one agent, and the guest's side of it.
//!
//! - `directory`: where the sockets are and which users may reach them; `posix_acl` sets their access control lists
//! - `guest_listener`: the owner's side of a share; `frame` is the wire format
//! - `pty`: the terminal on which a guest's screen is drawn; `keys` decodes the guest's input
//! - `connect`: connections with a time limit; `guest` is the guest's side of one share, `discover` queries many
//!
//! A guest sends bytes for the agent's program and the size of a window, never a command and never a key for tmux. The
//! user at the other end is identified by the kernel, never by what the other side sends.

mod connect;
mod directory;
mod discover;
mod frame;
mod guest;
mod guest_listener;
mod keys;
mod posix_acl;
mod pty;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use directory::{FoundShare, ShareDir, ShareSearch};
pub use discover::{ShareAnswer, query_all};
pub use frame::{ConnectPurpose, GuestHello, ShareFacts};
pub use guest::{DisconnectReason, attach_as_guest};
pub use guest_listener::{Guest, GuestListener};
pub use keys::GuestInput;
pub use pty::GuestTerminal;

/// Reason why an operation on a share failed.
#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    /// A path that another user could have prepared.
    #[error("{} is not safe to use: {why}", path.display())]
    Unsafe {
        /// The unsafe path.
        path: PathBuf,
        /// Reason why it is unsafe.
        why: String,
    },
    /// The agent is not, or no longer, shared with this user.
    #[error("no process answers at {}", path.display())]
    NotShared {
        /// Path at which the socket would be.
        path: PathBuf,
    },
    /// The owner's process did not complete the handshake.
    #[error("no answer within {after:?}")]
    Silent {
        /// Time that was waited.
        after: Duration,
    },
    /// A file operation failed.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// Operation that failed, as a verb.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl ShareError {
    fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ShareError {
        let path = path.into();
        move |source| ShareError::File { doing, path, source }
    }
}
