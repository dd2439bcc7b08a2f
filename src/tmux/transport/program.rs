//! The only place that starts the tmux program. Every call has a time limit and a small clean environment, and never
//! inherits `TMUX`, so that it can reach only the socket that it names.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::base::child::{ChildCommand, KillScope, OutputLimit, Overflow, memory_file};
use crate::tmux::TmuxError;
use crate::tmux::transport::call::{CommandOutput, TmuxCall};

/// Limit on the output: more than the longest history of a pane.
const OUTPUT_LIMIT: OutputLimit = OutputLimit { bytes: 256 << 20, overflow: Overflow::ClosePipe };

/// Runs the program with these options until it ends, or kills it at the time limit.
pub(in crate::tmux) fn run(
    path: &Path,
    options: &[&OsStr],
    call: &TmuxCall<'_>,
) -> Result<CommandOutput, TmuxError> {
    let deadline = call.deadline();
    let failed = |source| TmuxError::NotRun { program: path.to_owned(), source };
    // Only the client is killed; the server may still execute its commands.
    let mut command = ChildCommand::new(path, KillScope::Program).args(options).args(call.words);
    command = command.environment(call.variables());
    if let Some(bytes) = call.stdin {
        command = command.input(memory_file(bytes).map_err(failed)?);
    }
    if let Some(dir) = call.dir {
        command = command.dir(dir);
    }
    let output = command.spawn().and_then(|child| child.output(deadline, OUTPUT_LIMIT)).map_err(failed)?;
    let output = output.ok_or_else(|| call.timed_out())?;
    let err = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(CommandOutput { success: output.status.success(), out: output.stdout, err })
}

/// Creates a command for a client that uses this terminal.
#[expect(clippy::disallowed_methods, reason = "tmux clients that use the terminal are started here")]
pub(in crate::tmux) fn program(path: &Path) -> Command {
    Command::new(path)
}
