//! The hidden `symposium remote` command: executes the command of another machine. Its standard output is read by
//! that machine only.

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, Standalone, parsed};
use crate::cli::render::ui;
use crate::env::Env;
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{self, Context};
use crate::model::RequestId;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("remote", "Run one command for another machine", |args, alone| {
        run(&parsed(args)?, alone)
    })
    .arguments::<Arguments>()
    .hidden();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Execute the stored request with this id
    #[arg(long, value_name = "ID")]
    work: Option<uuid::Uuid>,
}

fn run(args: &Arguments, alone: &Standalone<'_>) -> Result<u8, Error> {
    match args.work {
        Some(id) => Hosts(&Context::open(Env::capture(), alone.home)?).execute_request(RequestId(id))?,
        None => manager::serve(alone.home, ui::raw_input(), alone.ui.raw())?,
    }
    Ok(0)
}
