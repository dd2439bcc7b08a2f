//! The `agent handoff import` command: shows the contents of a hand-off first, then asks for confirmation.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent::handoff::summary::{HandoffView, card};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::lifecycle::spawn, render::ui};
use crate::error::Error;
use crate::manager::{Handoff, HandoffImport};
use crate::manager::{ImportRequest, QueueImport, Trust};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "import",
    "Import an agent from a file, after showing its content",
    Remote::local_only("the hand-off file is on that machine"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::NewAgent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Hand-off file to import
    file: PathBuf,
    /// Show the content and change nothing
    #[arg(long, conflicts_with_all = ["yes", "trust"])]
    show: bool,
    /// Name of the imported agent [default: its previous name]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// Clone of its repository [default: the repository of this directory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Create a repository in this directory for the agent
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    clone_to: Option<PathBuf>,
    /// Do not import its tasks and mail
    #[arg(long)]
    without_tasks: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Accept the commands, permissions and setup of the hand-off
    #[arg(long, requires = "yes")]
    trust: bool,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let opened = Handoff(&context.manager).handoff_open(&args.file)?;
    let queue = if args.without_tasks { QueueImport::Leave } else { QueueImport::Take };
    let width = ui::is_shown().then(ui::width);
    if args.show {
        match context.ui.json {
            true => context.ui.json(&HandoffView::of(&opened, queue)),
            false => context.ui.data(&card(&opened, queue, width)),
        }
        return Ok(0);
    }
    let trust = match (args.yes, args.trust) {
        (true, true) => Trust::All,
        (true, false) => Trust::Nothing,
        (false, _) if context.ui.can_ask() => {
            context.ui.data(&card(&opened, queue, width));
            if !context.ui.confirm("Take this agent over?")? {
                context.ui.say("nothing was changed");
                return Ok(1);
            }
            Trust::All
        }
        (false, _) => {
            return Err(Error::usage("the import needs a confirmation, and there is no terminal to ask")
                .hint("inspect it with `--show`, then add `--yes`"));
        }
    };
    let imported = HandoffImport(&context.manager).handoff_import(
        &opened,
        &ImportRequest {
            name: args.name.as_deref().map(spawn::name).transpose()?,
            dir: args.dir,
            clone_to: args.clone_to,
            trust,
            queue,
        },
    )?;
    if context.ui.json {
        context.ui.json(&imported);
        return Ok(0);
    }
    for remark in &imported.remarks {
        context.ui.say(&clean(remark));
    }
    context.ui.data(imported.agent.name.as_str());
    Ok(0)
}
