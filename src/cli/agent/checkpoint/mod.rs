//! The `agent checkpoint` commands.
//!
//! - `list`: `agent checkpoint list`
//! - `diff`: `agent checkpoint diff`
//! - `restore`: `agent checkpoint restore`

mod diff;
mod list;
mod restore;

use crate::cli::grammar::definition::CommandDefinition;

pub(in crate::cli) const GROUP: CommandDefinition = CommandDefinition::group(
    "checkpoint",
    "List, compare and restore the files as they were before each turn",
    &[list::COMMAND, diff::COMMAND, restore::COMMAND],
);
