//! The agent CLIs: how each is started, resumed, prompted, listened to and read, as data first.
//!
//! `builtin.toml` holds what we know, a user's `kinds.toml` lays over it. Code stands here only for what data
//! cannot say: composing an argument list ([`argv`](fn@argv)), giving a CLI its hooks and our tools, reading what
//! the hooks say, and reading a screen. Nothing here starts a program, and nothing here looks at tmux.

mod argv;
mod catalog;
mod conversation_files;
mod hook;
mod mcp;
mod options;
mod overlay;
mod program;
mod screen;
mod signal;

use std::path::PathBuf;

pub use argv::{Base, CommandLine, Looser, Opening, Wish, argv, base};
pub use catalog::Kinds;
pub use conversation_files::{find_conversation, place_conversation};
pub use hook::{HookCommand, HookSetup, hooks};
pub use mcp::{Asking, McpServer, McpSetup, mcp};
pub use options::{option_matching, read_options};
pub use program::{SELF, find_program};
pub use screen::{lacks_conversation, last_line, read_screen};
pub use signal::{MAX_HOOK_BYTES, read_hook};

/// What can be wrong with a user's kinds or with what a hook says.
#[derive(Debug, thiserror::Error)]
pub enum KindError {
    /// The user's file is there and cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The user's file says something that means nothing.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Mistake {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there, and what is allowed.
        message: String,
    },
    /// A hook said more than any hook has to say.
    #[error("a hook's message has {bytes} bytes, at most {MAX_HOOK_BYTES} are read")]
    HookTooBig {
        /// How many came.
        bytes: usize,
    },
    /// A hook's message is not what hooks say.
    #[error("a hook's message cannot be read: {0}")]
    HookMalformed(#[from] serde_json::Error),
    /// A hook's message does not tell what happened.
    #[error("a hook's message does not tell what happened")]
    HookNameless,
}
