//! The `agent restart` command.

use std::time::Duration;

use clap::Args;

use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::cli::{
    Invocation,
    agent::{attach_shared, resume},
    render::times,
};
use crate::error::Error;
use crate::manager::ConversationChoice;
use crate::manager::Lifecycle;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Begin a new conversation, from the spec as it is now
    #[arg(long)]
    fresh: bool,
    /// Time to end by itself before it is killed
    #[arg(long, value_name = "D", default_value = "5s", value_parser = times::duration)]
    grace: Duration,
    #[command(flatten)]
    trust: TrustFlag,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let afresh = if args.fresh { ConversationChoice::Yes } else { ConversationChoice::No };
    let name = attach_shared::own(&args.name)?;
    let resumed =
        with_trust(context, args.trust, || Lifecycle(&context.manager).restart(&name, afresh, args.grace))?;
    resume::tell(&resumed, context);
    Ok(0)
}
