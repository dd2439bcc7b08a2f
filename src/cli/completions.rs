//! `symposium completions`

use clap::{Args, Command};
use clap_complete::Shell;

use super::ui::Ui;
use crate::error::Error;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Arguments, command: &mut Command, ui: &Ui) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "symposium", &mut script);
    ui.data(&String::from_utf8_lossy(&script));
    Ok(0)
}
