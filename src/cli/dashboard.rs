//! The `symposium dashboard` command, which is also what `symposium` without a command means in a terminal.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::dashboard::{self, DashboardSurroundings};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::model::AgentName;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::standalone(
    "dashboard",
    "Open the dashboard, a full-screen view of all agents",
    |args, alone| run(parsed(args)?, alone.home),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Show the list and questions only, for a narrow pane
    #[arg(long)]
    sidebar: bool,
    /// Attached terminal to switch to the chosen agent; the dashboard then ends
    #[arg(long, value_name = "CLIENT")]
    switch_client: Option<String>,
}

fn run(args: Arguments, home: Option<&Path>) -> Result<u8, Error> {
    let context = Context::open(Env::capture(), home)?;
    context.claim_hook_link();
    let surroundings = DashboardSurroundings {
        is_sidebar: args.sidebar,
        switched_client: args.switch_client,
        reviewed: None,
    };
    dashboard::run(Arc::new(context), surroundings).map(|()| 0)
}

/// Opens the dashboard with the changes of an agent.
pub(super) fn open_review(home: &Path, name: AgentName) -> Result<u8, Error> {
    let surroundings = DashboardSurroundings { reviewed: Some(name), ..DashboardSurroundings::default() };
    // The context of a command prints its progress, which would disturb the full screen.
    let context = Context::open(Env::capture(), Some(home))?;
    dashboard::run(Arc::new(context), surroundings).map(|()| 0)
}

/// Returns whether this process has a terminal that can show the dashboard.
pub(super) fn is_possible() -> bool {
    dashboard::is_possible()
}

/// Adds the command to a command line that has none, if a terminal can show the dashboard. Otherwise the help is
/// printed.
pub(super) fn as_default(mut args: Vec<OsString>) -> Vec<OsString> {
    if has_no_command(&args) && dashboard::is_possible() {
        args.push("dashboard".into());
    }
    args
}

/// Checks whether a command line consists of the program and options about the environment only.
fn has_no_command(args: &[OsString]) -> bool {
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--home" | "--color") => drop(words.next()),
            Some(word) if word.starts_with("--home=") || word.starts_with("--color=") => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_line_without_a_command_opens_the_dashboard() {
        let line = |text: &str| {
            std::iter::once("symposium")
                .chain(text.split_whitespace())
                .map(OsString::from)
                .collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("", true),
            ("--home /h", true),
            ("--home=/h --color never", true),
            ("ls", false),
            ("--home /h ls", false),
            ("--help", false),
            ("--json", false),
            ("-V", false),
        ] {
            assert_eq!(has_no_command(&line(text)), expected, "{text}");
        }
    }
}
