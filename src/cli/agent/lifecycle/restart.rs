//! The `agent restart` command.

use std::time::Duration;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::cli::{
    Invocation,
    agent::{lifecycle::resume, sharing::attach_shared},
    render::times,
};
use crate::error::Error;
use crate::manager::ConversationChoice;
use crate::manager::Resumption;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "restart",
    "End an agent and start it again with its conversation",
    Remote::ONCE.host_before_first_line(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["restart"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Start a new conversation, using the current version of the spec
    #[arg(long)]
    fresh: bool,
    /// Time that an agent gets to exit before it is killed
    #[arg(long, value_name = "D", default_value = "5s", value_parser = times::duration)]
    grace: Duration,
    #[command(flatten)]
    trust: TrustFlag,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let conversation = if args.fresh { ConversationChoice::New } else { ConversationChoice::Keep };
    let name = attach_shared::own(&args.name)?;
    let resumed = with_trust(context, args.trust, || {
        Resumption(&context.manager).restart(&name, conversation, args.grace)
    })?;
    resume::report(&resumed, context);
    Ok(0)
}
