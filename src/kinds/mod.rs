//! The agent CLIs: how each is started, resumed and prompted, and how its hooks and screen are read. Most of it is
//! data.
//!
//! `builtin.toml` has the built-in kinds, and a user's `kinds.toml` is applied on top of it. Code covers only what
//! data cannot express: composing an argument list ([`argv`](fn@argv)), configuring hooks and our tools, parsing hook
//! messages, and reading a screen. Nothing here starts a program or accesses tmux.
//!
//! - `catalog`: the kinds by name, in their order
//! - `overlay`: applies a user's kinds on top of the built-in ones
//! - `program`: finds the program of an agent CLI
//! - `argv`: composes the arguments of a start
//! - `hook`: configures hooks for one run
//! - `mcp`: adds the MCP server for one run
//! - `parse_hook`: parses messages of hooks into signals
//! - `recognize_screen`: reads the state that the screen shows
//! - `options`: reads the options of a dialog
//! - `conversation_files`: locates conversation files

mod argv;
mod catalog;
mod conversation_files;
mod hook;
mod mcp;
mod options;
mod overlay;
mod parse_hook;
mod program;
mod recognize_screen;

use std::path::PathBuf;

use crate::base::source_text::LocatedMistake;

pub use argv::{CliOptions, CommandLine, ConversationStart, argv, base};
pub use catalog::Kinds;
pub use conversation_files::{find_conversation, import_conversation};
pub use hook::{HookCommand, hooks};
pub use mcp::{McpServer, McpSetup, ToolApproval, mcp};
pub use options::{option_matching, read_options};
pub use parse_hook::{MAX_HOOK_BYTES, read_hook, read_tool};
pub use program::{SELF, find_program};
pub use recognize_screen::{lacks_conversation, last_line, read_screen};

/// Errors in a user's kinds or in the message of a hook.
#[derive(Debug, thiserror::Error)]
pub enum KindError {
    /// The user's file exists and cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The user's file is invalid.
    #[error("{}:{mistake}", path.display())]
    Mistake {
        /// The path of the file.
        path: PathBuf,
        /// The first error in the file.
        mistake: LocatedMistake,
    },
    /// The message of a hook exceeds the maximum size.
    #[error("a hook's message has {bytes} bytes, at most {MAX_HOOK_BYTES} are read")]
    HookTooBig {
        /// The size of the message in bytes.
        bytes: usize,
    },
    /// The message of a hook is not valid JSON.
    #[error("a hook's message cannot be read: {0}")]
    HookMalformed(#[from] serde_json::Error),
    /// The message of a hook does not name its event.
    #[error("a hook's message contains no event")]
    HookNameless,
}
