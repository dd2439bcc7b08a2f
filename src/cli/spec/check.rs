//! The `spec check` command.

use std::path::PathBuf;

use clap::Args;

use super::Looking;
use crate::cli::Invocation;
use crate::cli::render::agent_table::clean;
use crate::error::Error;
use crate::manager::Place;
use crate::manager::SpecCatalog;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// File or folder to check [default: all that apply here]
    path: Option<PathBuf>,
    #[command(flatten)]
    looking: Looking,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let checked =
        SpecCatalog(&context.manager).spec_check(args.path.as_deref(), &Place::from(args.looking))?;
    checked.warnings.iter().for_each(|warning| context.ui.warn(&clean(warning)));
    if context.ui.json {
        context.ui.json(&checked.mistakes);
    } else {
        let lines = checked.mistakes.iter().map(|mistake| clean(&mistake.to_string()) + "\n");
        context.ui.data(&lines.collect::<String>());
    }
    match checked.mistakes.len() {
        0 => context.ui.say(&format!("nothing is wrong with {}", checked.names.join(", "))),
        1 => context.ui.say("1 mistake"),
        n => context.ui.say(&format!("{n} mistakes")),
    }
    Ok(u8::from(!checked.mistakes.is_empty()))
}
