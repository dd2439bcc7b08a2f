//! The hidden `symposium take-checkpoint` command, which takes a checkpoint before a turn of an agent. A hook starts it
//! as a detached process.

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::env::Env;
use crate::manager::{Checkpoints, Context};
use crate::model::{AgentId, AgentName};

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("take-checkpoint", "Take a checkpoint of an agent", |args, alone| {
        let args: TakeCheckpointArguments = parsed(args)?;
        let context = Context::open_existing(Env::capture(), alone.home)?;
        Checkpoints(&context).take_for_turn(&args.name, args.id)?;
        Ok(0)
    })
    .arguments::<TakeCheckpointArguments>()
    .fast()
    .hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct TakeCheckpointArguments {
    /// Name of the agent
    name: AgentName,
    /// Id of the agent
    id: AgentId,
}
