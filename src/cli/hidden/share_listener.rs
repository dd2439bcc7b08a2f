//! The hidden `symposium share-door` command, which listens for one guest of a shared agent.

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::env::Env;
use crate::error::Error;
use crate::manager::{Context, Sharing};
use crate::model::{AgentId, AgentName};

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("share-door", "Serve the guests of a shared agent", |args, alone| {
        run_listener(&parsed(args)?, Context::open(Env::capture(), alone.home)?)
    })
    .arguments::<ShareListenerArguments>()
    .hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct ShareListenerArguments {
    /// Name of the agent
    name: AgentName,
    /// Id of the agent at the time of sharing
    id: AgentId,
    /// User id of the guest
    guest: u32,
}

fn run_listener(args: &ShareListenerArguments, manager: Context) -> Result<u8, Error> {
    Sharing::run_listener(manager, &args.name, args.id, args.guest)?;
    Ok(0)
}
