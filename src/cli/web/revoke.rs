//! The `web revoke` command: ends the access of a device.

use clap::Args;

use super::devices::{link_json, shown};
use crate::base::plural::counted;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{Revocation, WebAccess};

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "revoke",
    "Revoke the access of a device or link and close its connections",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Id or name of the device, or id of a link
    #[arg(required_unless_present = "all")]
    device: Option<String>,
    /// Revoke the access of all devices
    #[arg(long, conflicts_with = "device")]
    all: bool,
}

fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let access = WebAccess(&context.manager);
    let Some(device) = &args.device else {
        let count = access.revoke_all()?;
        if context.ui.json {
            context.ui.json(&serde_json::json!({ "revoked": count }));
        } else {
            context.ui.say(&format!("{} revoked", counted(count as u64, "device was", "devices were")));
        }
        return Ok(0);
    };
    let (json, report) = match access.revoke(device)? {
        Revocation::Device(device) => {
            (shown(&device), format!("device `{}` ({}) was revoked", device.name, device.id))
        }
        Revocation::Link(link) => {
            (link_json(&link), format!("the link to `{}` ({}) was revoked", link.grant.agent, link.id))
        }
    };
    if context.ui.json {
        context.ui.json(&json);
    } else {
        context.ui.say(&report);
    }
    Ok(0)
}
