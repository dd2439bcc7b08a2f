//! The `agent prune` command: removes all agents that ended.

use std::time::Duration;

use clap::Args;
use jiff::SignedDuration;

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, render::times};
use crate::error::Error;
use crate::manager::AgentRemoval;
use crate::manager::{PruneRequest, Pruned};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "prune",
    "Remove all agents that exited or were stopped",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Only agents that ended at least this long ago
    #[arg(long, value_name = "D", default_value = "0s", value_parser = times::duration)]
    older_than: Duration,
    /// Show which agents would be removed and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let older_than = SignedDuration::try_from(args.older_than).unwrap_or(SignedDuration::MAX);
    let pruned = AgentRemoval(&context.manager).prune(PruneRequest { older_than, dry_run: args.dry_run })?;
    let word = if args.dry_run { "would be removed" } else { "is removed" };
    let (mut gone, mut kept) = (Vec::new(), Vec::new());
    for Pruned { name, outcome } in pruned {
        match outcome {
            Ok(()) => {
                context.ui.say(&format!("`{name}` {word}"));
                gone.push(name);
            }
            Err(error) => {
                let why = [&[error.to_string()][..], error.observations()].concat();
                let code = error.code().as_str();
                kept.push(serde_json::json!({ "name": name, "code": code, "reasons": why }));
                context.ui.warn(&format!("`{name}` stays: {error}"));
            }
        }
    }
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "pruned": gone, "kept": kept, "dry_run": args.dry_run }));
    } else if gone.is_empty() {
        context.ui.say("nothing to prune");
    }
    Ok(0)
}
