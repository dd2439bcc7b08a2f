//! The hidden `symposium remote` command: executes the command of another machine. Its standard output is read by
//! that machine only.

use std::path::Path;

use clap::Args;

use crate::cli::render::ui::{self, Ui};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{self, Context};
use crate::model::RequestId;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Do what was written down under this id
    #[arg(long, value_name = "ID")]
    work: Option<uuid::Uuid>,
}

pub(in crate::cli) fn run(args: &Arguments, home: Option<&Path>, ui: &Ui) -> Result<u8, Error> {
    match args.work {
        Some(id) => Hosts(&Context::open(Env::capture(), home)?).work_off(RequestId(id))?,
        None => manager::serve(home, ui::raw_input(), ui.raw())?,
    }
    Ok(0)
}
