//! The `agent fork` command.

use clap::Args;

use crate::cli::agent::lifecycle::spawn::{self, ChangesFlag};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::{ForkRequest, Groups};
use crate::text::recap::recap_text;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "fork",
    "Start a copy of an agent: same conversation and commit, own worktree",
    Remote::ONCE.host_before_first_line(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("original", ArgumentValue::Agent), ("name", ArgumentValue::NewAgent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent to copy
    #[arg(value_name = "NAME", allow_hyphen_values = true)]
    original: String,
    /// Name of the new agent [default: NAME-fork]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    name: Option<String>,
    #[command(flatten)]
    changes: ChangesFlag,
}

const JSON: &str = "\
The original is not changed. If its agent CLI cannot copy a conversation, the new agent starts with the recap of the \
original as its first prompt.

JSON:
  agent         the new agent, as in `agent list`
  original      name of the agent that was copied
  conversation  copy, recap, recap-of-unstored or empty
  remarks       facts to know, as sentences";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let request = ForkRequest {
        original: attach_shared::own(&args.original)?,
        name: args.name.as_deref().map(spawn::name).transpose()?,
        changes: args.changes.policy(),
        size: ui::agent_terminal_size(),
        recap_text: &recap_text,
    };
    let forked = Groups(&context.manager).fork(&request)?;
    if context.ui.json {
        context.ui.json(&forked);
        return Ok(0);
    }
    forked.remarks.iter().for_each(|remark| context.ui.say(remark));
    context.ui.data(forked.agent.name.as_str());
    if ui::is_stderr_terminal() {
        context.ui.say(&format!("attach with: symposium agent attach {}", forked.agent.name));
    }
    Ok(0)
}
