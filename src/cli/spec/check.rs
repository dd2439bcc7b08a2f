//! The `spec check` command.

use std::path::PathBuf;

use clap::Args;

use super::SpecSearchArguments;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::SpecCatalog;
use crate::manager::SpecLocation;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "check",
    "Check specs: report every mistake with file, line and column",
    Remote::READ_ONLY.without_host_in_json(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// File or folder to check [default: all that apply here]
    path: Option<PathBuf>,
    #[command(flatten)]
    looking: SpecSearchArguments,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let checked =
        SpecCatalog(&context.manager).spec_check(args.path.as_deref(), &SpecLocation::from(args.looking))?;
    checked.warnings.iter().for_each(|warning| context.ui.warn(&clean(warning)));
    if context.ui.json {
        context.ui.json(&checked.mistakes);
    } else {
        let lines = checked.mistakes.iter().map(|mistake| clean(&mistake.to_string()) + "\n");
        context.ui.data(&lines.collect::<String>());
    }
    match checked.mistakes.len() {
        0 => context.ui.say(&format!("no mistakes in {}", checked.names.join(", "))),
        1 => context.ui.say("1 mistake"),
        n => context.ui.say(&format!("{n} mistakes")),
    }
    Ok(u8::from(!checked.mistakes.is_empty()))
}
