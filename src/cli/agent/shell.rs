//! The `agent shell` and `agent edit` commands: run a program in the workspace of an agent.

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared};
use crate::error::Error;
use crate::manager::Terminals;
use crate::manager::WorkspaceProgram;
use crate::model::Exit;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Run this command instead of a shell
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct EditArguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Files to open, relative to the workspace; default: the workspace itself
    files: Vec<String>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let program = match args.command.is_empty() {
        true => WorkspaceProgram::Shell,
        false => WorkspaceProgram::Command(args.command),
    };
    Terminals(&context.manager).run_in_workspace(&name, program).map(code)
}

pub(in crate::cli) fn edit(args: EditArguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    Terminals(&context.manager).run_in_workspace(&name, WorkspaceProgram::Editor(args.files)).map(code)
}

fn code(exit: Exit) -> u8 {
    let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}
