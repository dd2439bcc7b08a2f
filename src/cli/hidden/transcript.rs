//! The hidden `symposium transcript` command, which tmux pipes the output of a pane to.

use std::path::PathBuf;

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::env::Env;
use crate::manager::AgentLogs;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::standalone(
    "transcript",
    "Write standard input to an agent's transcript",
    |args, _| Ok(write_transcript(&parsed(args)?)),
)
.arguments::<TranscriptArguments>()
.hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct TranscriptArguments {
    /// Instance directory of the agent
    pub(in crate::cli) dir: PathBuf,
}

pub(in crate::cli) fn write_transcript(args: &TranscriptArguments) -> u8 {
    u8::from(AgentLogs::write_transcript(&args.dir, &Env::capture()).is_err())
}
