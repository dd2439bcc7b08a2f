//! The `symposium spec` commands, with one file for each command.

pub(in crate::cli) mod ask_trust;
mod check;
mod init;
mod list;
mod show;
mod trust;
mod untrust;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Invocation;
use crate::error::Error;
use crate::manager::Place;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// List the specs that apply here
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show one spec: each value, its origin, and the command of a spawn
    Show(show::Arguments),
    /// Check specs: report every mistake with file, line and column
    Check(check::Arguments),
    /// Create a commented .symposium/agents.toml
    Init(init::Arguments),
    /// Let the specs of a project run what they say, after showing it
    Trust(trust::Arguments),
    /// Take the trust in the specs of a project back
    Untrust(untrust::Arguments),
}

/// Where specs are looked for.
#[derive(Debug, Args)]
struct Looking {
    /// TmuxSnapshot in this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// As for an agent that works there, instead of here
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl From<Looking> for Place {
    fn from(looking: Looking) -> Place {
        Place { config: looking.config, dir: looking.dir }
    }
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::List(args) => list::run(args, context),
        Verb::Show(args) => show::run(args, context),
        Verb::Check(args) => check::run(args, context),
        Verb::Init(args) => init::run(&args, context),
        Verb::Trust(args) => trust::run(&args, context),
        Verb::Untrust(args) => untrust::run(&args, context),
    }
}
