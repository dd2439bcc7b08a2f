//! The `symposium service install` and `symposium service uninstall` commands.

use clap::{Args, Subcommand};

use super::Invocation;
use crate::error::Error;
use crate::manager::SupervisorControl;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Bring agents back when the machine starts (systemd; launchd on macOS)
    Install(Install),
    /// Remove the service; agents go on
    Uninstall,
}

#[derive(Debug, Args)]
pub(super) struct Install {
    /// Print what would be installed and change nothing
    #[arg(long)]
    print: bool,
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::Install(Install { print: true }) => print(context),
        Verb::Install(Install { print: false }) => install(context),
        Verb::Uninstall => uninstall(context),
    }?;
    Ok(0)
}

fn print(context: &Invocation) -> Result<(), Error> {
    let service = SupervisorControl(&context.manager).service()?;
    if context.ui.json {
        context.ui.json(&service);
    } else {
        context.ui.say(&format!("belongs in {}", service.path.display()));
        context.ui.data(&service.text);
    }
    Ok(())
}

fn install(context: &Invocation) -> Result<(), Error> {
    let installed = SupervisorControl(&context.manager).install_service()?;
    if context.ui.json {
        context.ui.json(&installed);
        return Ok(());
    }
    let (manager, path) = (installed.service.manager, installed.service.path.display());
    context.ui.say(&format!("installed for {manager}: {path}"));
    installed.remarks.iter().for_each(|remark| context.ui.say(remark));
    Ok(())
}

fn uninstall(context: &Invocation) -> Result<(), Error> {
    let removed = SupervisorControl(&context.manager).uninstall_service()?;
    if context.ui.json {
        context.ui.json(&removed);
    } else if removed.was_installed {
        context.ui.say(&format!("removed {}; agents go on", removed.path.display()));
    } else {
        context.ui.say("no service was installed");
    }
    Ok(())
}
