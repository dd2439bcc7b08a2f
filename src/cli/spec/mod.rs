//! The `symposium spec` commands, with one file for each command.
//!
//! - `list`: `spec list`
//! - `show`: `spec show`
//! - `check`: `spec check`
//! - `init`: `spec init`
//! - `trust`: `spec trust`
//! - `untrust`: `spec untrust`
//! - `ask_trust`: asks for trust before an agent is spawned from a project's spec

pub(in crate::cli) mod ask_trust;
mod check;
mod init;
mod list;
mod show;
mod trust;
mod untrust;

use std::path::PathBuf;

use clap::Args;

use crate::cli::grammar::definition::CommandDefinition;
use crate::manager::SpecLocation;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "spec",
    "List, show, check and create specs, the blueprints of agents",
    &[list::COMMAND, show::COMMAND, check::COMMAND, init::COMMAND, trust::COMMAND, untrust::COMMAND],
);

/// Location at which specs are searched.
#[derive(Debug, Args)]
struct SpecSearchArguments {
    /// Look for specs only in this file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of the project [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl From<SpecSearchArguments> for SpecLocation {
    fn from(looking: SpecSearchArguments) -> SpecLocation {
        SpecLocation { config: looking.config, dir: looking.dir }
    }
}
