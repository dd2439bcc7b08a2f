//! The `agent discard` command.

use clap::Args;

use crate::cli::agent::removal::remove::report;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::{AgentRemoval, DiscardPreview};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "discard",
    "Discard an agent with its work, worktree and branch",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Show what would be discarded and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

const JSON: &str = "\
A copy of the work, with the commits of the branch, is kept for 30 days; `agent recover` brings it back. A branch that \
existed before the agent stays, and so do stashes.

JSON of --dry-run: as that of `agent rm --dry-run`, and
  log             the newest commits that exist nowhere else: [{id, subject, at}]
  removes_branch  whether the branch is removed

JSON of a removal: as that of `agent rm`, with `discarded` in place of `removed`";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let removal = AgentRemoval(&context.manager);
    if !args.yes {
        let preview = removal.discard_preview(&name)?;
        if args.dry_run {
            match context.ui.json {
                true => context.ui.json(&preview),
                false => context.ui.data(&described(&preview)),
            }
            return Ok(0);
        }
        if !context.ui.can_ask() {
            let what = format!("discarding `{name}` needs a confirmation, and there is no terminal to ask");
            return Err(Error::usage(what)
                .saw_all(preview.lines)
                .hint(format!("if you agree: `symposium agent discard --yes {name}`")));
        }
        context.ui.say(&described(&preview));
        if !context.ui.confirm(&format!("discard `{name}`?"))? {
            context.ui.say("nothing was changed");
            return Ok(1);
        }
    }
    let removed = removal.discard(&name)?;
    report("discarded", &name, &removed, context);
    Ok(0)
}

/// Returns the work that is discarded, one line for each part.
pub(in crate::cli) fn described(preview: &DiscardPreview) -> String {
    let name = &preview.removal.name;
    let running = if preview.removal.running { " It is running and will be ended." } else { "" };
    let head = format!("`{name}` will be removed with its work.{running} A copy is kept for 30 days.");
    let lines = preview.lines.iter().map(|line| format!("  {line}"));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}
