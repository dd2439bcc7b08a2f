//! The `symposium service install` and `symposium service uninstall` commands.

use clap::Args;

use super::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{ServiceInstallation, ServiceRole};

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "service",
    "Manage the service that restores agents at boot (systemd, or launchd on macOS)",
    &[INSTALL, UNINSTALL],
);

const INSTALL: CommandDefinition = CommandDefinition::new(
    "install",
    "Install a service that restores agents when the machine starts",
    Remote::LOCAL,
    |args, context| install(&parsed(args)?, context),
)
.arguments::<ServiceInstallArguments>()
.opening(Opening::Unclaimed);

const UNINSTALL: CommandDefinition = CommandDefinition::new(
    "uninstall",
    "Remove the service; agents keep running",
    Remote::LOCAL,
    |_, context| uninstall(context),
)
.opening(Opening::Unclaimed);

#[derive(Debug, Args)]
pub(super) struct ServiceInstallArguments {
    /// Print what would be installed and change nothing
    #[arg(long)]
    print: bool,
}

fn print(context: &Invocation) -> Result<u8, Error> {
    let service = ServiceInstallation(&context.manager).service(ServiceRole::Agents)?;
    if context.ui.json {
        context.ui.json(&service);
    } else {
        context.ui.say(&format!("belongs in {}", service.path.display()));
        context.ui.data(&service.text);
    }
    Ok(0)
}

fn install(args: &ServiceInstallArguments, context: &Invocation) -> Result<u8, Error> {
    if args.print {
        return print(context);
    }
    let installed = ServiceInstallation(&context.manager).install_service(ServiceRole::Agents)?;
    if context.ui.json {
        context.ui.json(&installed);
        return Ok(0);
    }
    let (manager, path) = (installed.service.manager, installed.service.path.display());
    context.ui.say(&format!("installed for {manager}: {path}"));
    installed.remarks.iter().for_each(|remark| context.ui.say(remark));
    Ok(0)
}

fn uninstall(context: &Invocation) -> Result<u8, Error> {
    let removed = ServiceInstallation(&context.manager).uninstall_service(ServiceRole::Agents)?;
    if context.ui.json {
        context.ui.json(&removed);
    } else if removed.was_installed {
        context.ui.say(&format!("removed {}; agents keep running", removed.path.display()));
    } else {
        context.ui.say("no service was installed");
    }
    Ok(0)
}
