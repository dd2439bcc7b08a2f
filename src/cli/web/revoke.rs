//! The `web revoke` command: ends the access of a device.

use clap::Args;

use super::devices::shown;
use crate::base::plural::counted;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::WebAccess;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "revoke",
    "End the access of a device at once, with its open connections",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Id or name of the device
    #[arg(required_unless_present = "all")]
    device: Option<String>,
    /// End the access of all devices
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
    let revoked = access.revoke(device)?;
    if context.ui.json {
        context.ui.json(&shown(&revoked));
    } else {
        context.ui.say(&format!("device `{}` ({}) was revoked", revoked.name, revoked.id));
    }
    Ok(0)
}
