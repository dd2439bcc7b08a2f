//! The `agent checkpoint diff` command.

use clap::{ArgGroup, Args};

use crate::cli::agent::review::diff::{DiffFormFlags, print};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Checkpoints;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "diff",
    "Show what changed since a checkpoint",
    Remote::READ_ONLY.unchanged_in_pipes(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON, group = ArgGroup::new("form"))]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Number of the checkpoint [default: the newest one]
    number: Option<u64>,
    #[command(flatten)]
    form: DiffFormFlags,
}

const JSON: &str = "\
The JSON is that of `agent diff`, with source checkpoint.";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let session = Checkpoints(&context.manager).diff(&name, args.number)?;
    print(&session, args.form.form(), context)?;
    Ok(0)
}
