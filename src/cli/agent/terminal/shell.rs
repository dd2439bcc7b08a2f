//! The `agent shell` and `agent edit` commands: run a program in the workspace of an agent.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::WorkspaceProgram;
use crate::manager::WorkspaceShell;
use crate::model::Exit;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "shell",
    "Open a shell in an agent's workspace, with its variables",
    Remote::local_only("it opens a program in a terminal of that machine"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["shell"]);

pub(in crate::cli) const EDIT_COMMAND: CommandDefinition = CommandDefinition::new(
    "edit",
    "Open an agent's workspace in your editor",
    Remote::local_only("it opens a program in a terminal of that machine"),
    |args, context| edit(parsed(args)?, context),
)
.arguments::<EditArguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["edit"]);

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
    WorkspaceShell(&context.manager).run_in_workspace(&name, program).map(code)
}

pub(in crate::cli) fn edit(args: EditArguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    WorkspaceShell(&context.manager).run_in_workspace(&name, WorkspaceProgram::Editor(args.files)).map(code)
}

fn code(exit: Exit) -> u8 {
    let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}
