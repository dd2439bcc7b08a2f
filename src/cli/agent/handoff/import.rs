//! The `agent handoff import` command: shows the contents of a hand-off first, then asks for confirmation.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent::handoff::summary::{View, card};
use crate::cli::render::agent_table::clean;
use crate::cli::{Invocation, agent::spawn, render::ui};
use crate::error::Error;
use crate::manager::Handoff;
use crate::manager::{ImportRequest, QueueWish, Trust};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The file
    file: PathBuf,
    /// Show what is in it and change nothing
    #[arg(long, conflicts_with_all = ["yes", "trust"])]
    show: bool,
    /// Name of the agent here [default: the name it had]
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
    /// Agree to what it runs, may do without asking, and sets up here
    #[arg(long, requires = "yes")]
    trust: bool,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let parcel = Handoff(&context.manager).handoff_open(&args.file)?;
    let queue = if args.without_tasks { QueueWish::Leave } else { QueueWish::Take };
    let width = ui::is_shown().then(ui::width);
    if args.show {
        match context.ui.json {
            true => context.ui.json(&View::of(&parcel, queue)),
            false => context.ui.data(&card(&parcel, queue, width)),
        }
        return Ok(0);
    }
    let trust = match (args.yes, args.trust) {
        (true, true) => Trust::All,
        (true, false) => Trust::Nothing,
        (false, _) if context.ui.can_ask() => {
            context.ui.data(&card(&parcel, queue, width));
            if !context.ui.confirm("Take this agent over?")? {
                context.ui.say("nothing was changed");
                return Ok(1);
            }
            Trust::All
        }
        (false, _) => {
            return Err(Error::Usage {
                what: "the import needs a confirmation, and there is no terminal to ask".into(),
                hint: Some("look at it with `--show`, then add `--yes`".into()),
            });
        }
    };
    let imported = Handoff(&context.manager).handoff_import(
        &parcel,
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
