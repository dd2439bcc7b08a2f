//! The `agent checkpoint restore` command.

use clap::Args;

use crate::base::plural::counted;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::Checkpoints;
use crate::model::AgentName;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::new("restore", "Restore the files of a checkpoint", Remote::ONCE, |args, context| {
        run(parsed(args)?, context)
    })
    .arguments::<Arguments>()
    .values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Number of the checkpoint [default: the newest one]
    number: Option<u64>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

const JSON: &str = "\
The current files are stored as a new checkpoint first. Files and staged changes come back; commits, branches, ignored \
files and submodules stay as they are. An agent that works is not interrupted: the command fails.

JSON:
  restored  number of the checkpoint that was restored
  saved     number of the checkpoint that holds what was there before
  changed   paths of the files that were changed
  remarks   what the restore did not change, as sentences";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    // The number is fixed before the question, because a turn may add a checkpoint in the meantime.
    let number = match args.yes {
        true => args.number,
        false if !context.ui.can_ask() => {
            return Err(Error::usage("`agent checkpoint restore` changes files and cannot ask here")
                .saw("nothing was changed")
                .hint("add `--yes`"));
        }
        false => match confirmed(&name, args.number, context)? {
            Some(number) => Some(number),
            None => return Ok(1),
        },
    };
    let done = Checkpoints(&context.manager).restore(&name, number)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({
            "restored": done.restored.number,
            "saved": done.saved.number,
            "changed": done.changed,
            "remarks": done.remarks,
        }));
        return Ok(0);
    }
    context.ui.say(&format!(
        "checkpoint {} is restored: {} changed",
        done.restored.number,
        counted(done.changed.len(), "file", "files")
    ));
    done.remarks.iter().for_each(|remark| context.ui.say(remark));
    context.ui.say(&format!("to undo: `symposium agent checkpoint restore {name} {}`", done.saved.number));
    Ok(0)
}

/// Shows what would change and asks. Returns the number of the checkpoint, or `None` for an answer of no.
fn confirmed(name: &AgentName, number: Option<u64>, context: &Invocation) -> Result<Option<u64>, Error> {
    let checkpoints = Checkpoints(&context.manager);
    let number = match number {
        Some(number) => number,
        None => match checkpoints.list(name)?.checkpoints.first() {
            Some(newest) => newest.number,
            None => checkpoints.diff(name, None).map(|_| 0)?,
        },
    };
    let session = checkpoints.diff(name, Some(number))?;
    for file in session.diff.files.iter().take(20) {
        context.ui.say(&format!("  {}", clean(&file.path)));
    }
    let count = counted(session.diff.files.len(), "file", "files");
    let question = format!("restore checkpoint {number} and change {count}?");
    let is_confirmed = context.ui.confirm(&question)?;
    if !is_confirmed {
        context.ui.say("nothing was changed");
    }
    Ok(is_confirmed.then_some(number))
}
