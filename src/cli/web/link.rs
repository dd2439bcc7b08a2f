//! The `web link` command: prints a link that gives a guest access to one agent for some time.

use std::time::Duration;

use clap::Args;

use super::devices::grant_json;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{qr_code, times, ui};
use crate::error::Error;
use crate::manager::WebAccess;
use crate::model::WebPermission;
use crate::text::ages::local;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "link",
    "Print a link that gives one device access to one agent for a limited time",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Name of the agent
    name: String,
    /// Permit observing only
    #[arg(long)]
    read_only: bool,
    /// How long the access is valid, at most 30 days
    #[arg(long = "for", value_name = "D", value_parser = times::duration)]
    lifetime: Duration,
}

fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = args.name.parse().map_err(|why| Error::bad_name(&args.name, why))?;
    let permission = if args.read_only { WebPermission::Watch } else { WebPermission::Type };
    let created = WebAccess(&context.manager).guest_link(&name, permission, args.lifetime)?;
    let (id, grant) = (&created.link.id, &created.link.grant);
    if context.ui.json {
        context
            .ui
            .json(&serde_json::json!({ "id": id, "url": created.url, "access": grant_json(Some(grant)) }));
        return Ok(0);
    }
    if ui::is_shown() {
        context.ui.say(&qr_code::drawn(&created.url));
    }
    context.ui.data(&created.url);
    let rights = if args.read_only { "watch" } else { "watch and type into" };
    let until = local(grant.expires_at);
    context.ui.say(&format!("the first device that opens it may {rights} `{name}` until {until}"));
    context.ui.say(&format!("end it earlier: symposium web revoke {id}"));
    Ok(0)
}
