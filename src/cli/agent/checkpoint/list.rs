//! The `agent checkpoint list` command.

use clap::Args;

use crate::base::plural::counted;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Checkpoints;
use crate::model::{Checkpoint, CheckpointReason};
use crate::text::ages::{age, ago};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "list",
    "List the checkpoints of an agent, the newest first",
    Remote::READ_ONLY,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.aliases(&["ls"]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

const JSON: &str = "\
A checkpoint is taken before each turn that the agent's hooks report. A turn that begins with the same files as the \
one before has no checkpoint of its own.

JSON:
  agent               name of the agent
  directory           root of the working tree
  checkpoints         the newest first: [{number, commit, tree, at, reason, prompt, branch, head, index, left_out,
                      left_out_count}]; reason is turn or restore, index is the tree of the staged files, left_out
                      names files that are too large: [{path, bytes}]
  skipped             why no checkpoint was taken at the last turn: {at, reason}, or null
  unfinished_restore  number of the checkpoint whose restore was interrupted, or null";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let list = Checkpoints(&context.manager).list(&name)?;
    if context.ui.json {
        context.ui.json(&list);
        return Ok(0);
    }
    let now = context.manager.now();
    if let Some(number) = list.unfinished_restore {
        context.ui.warn(&format!(
            "the restore of checkpoint {number} was interrupted: `symposium agent checkpoint restore {name} {number}` completes it"
        ));
    }
    if let Some(skipped) = &list.skipped {
        let reason = clean(&skipped.reason);
        context.ui.warn(&format!("no checkpoint was taken {}: {reason}", ago(skipped.at, now)));
    }
    if list.checkpoints.is_empty() {
        context.ui.say(&format!("`{name}` has no checkpoints"));
        return Ok(0);
    }
    let line = |checkpoint: &Checkpoint| {
        let what = match (checkpoint.note.reason, &checkpoint.note.prompt) {
            (CheckpointReason::Restore, _) => "before a restore".to_owned(),
            (CheckpointReason::Turn, Some(prompt)) => format!("before: {}", clean(prompt)),
            (CheckpointReason::Turn, None) => "before a turn".to_owned(),
        };
        let left_out = match checkpoint.note.left_out_count {
            0 => String::new(),
            count => format!(" (too large and left out: {})", counted(count, "file", "files")),
        };
        format!("{:>4}  {:>4}  {what}{left_out}", checkpoint.number, age(checkpoint.at, now))
    };
    context.ui.data(&list.checkpoints.iter().map(line).collect::<Vec<_>>().join("\n"));
    Ok(0)
}
