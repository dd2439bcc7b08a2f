//! The `agent share` command.

use std::time::Duration;

use clap::Args;
use serde::Serialize;

use crate::base::sanitize::shell_word;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::times};
use crate::error::Error;
use crate::manager::Sharing;
use crate::manager::{GuestPermission, ShareRequest};
use crate::model::Share;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "share",
    "Let another user of this machine attach to one agent",
    Remote::local_only("only a user of that machine can share an agent with another user of it"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// User of this machine that may attach
    #[arg(long, value_name = "USER")]
    with: String,
    /// Permit observing only
    #[arg(long)]
    read_only: bool,
    /// Time limit [default: until `agent unshare` or the agent's end]
    #[arg(long = "for", value_name = "D", value_parser = times::duration)]
    lasts: Option<Duration>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

/// The new share, and the address that the guest enters.
#[derive(Serialize)]
struct NewShare<'a> {
    #[serde(flatten)]
    share: &'a Share,
    address: &'a str,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let may = if args.read_only { GuestPermission::Watch } else { GuestPermission::Type };
    if may == GuestPermission::Type && !args.yes && !confirm_typing(&args.with, context)? {
        return Ok(1);
    }
    let request = ShareRequest { name: &name, with: &args.with, may, lasts: args.lasts };
    let shared = Sharing(&context.manager).share(request)?;
    shared.remarks.iter().for_each(|remark| context.ui.warn(remark));
    if context.ui.json {
        context.ui.json(&NewShare { share: &shared.share, address: &shared.address });
        return Ok(0);
    }
    let (with, address) = (&shared.share.with, &shared.address);
    let may = if shared.share.read_only { "watch" } else { "watch and type into" };
    let until = shared.share.until.map(|until| format!(" until {until}")).unwrap_or_default();
    let address = shell_word(address);
    context.ui.say(&format!("{with} may {may} `{name}`{until}: `symposium agent attach {address}`"));
    context.ui.say(&format!("to stop sharing: `symposium agent unshare {name} --with {with}`"));
    Ok(0)
}

/// Describes what a share permits and asks for confirmation before granting it.
fn confirm_typing(with: &str, context: &Invocation) -> Result<bool, Error> {
    let what = format!(
        "a user who types into an agent can do everything that it can: run commands as you, read and change your files, \
         use what it is logged in to. `--read-only` lets {with} watch"
    );
    if !context.ui.can_ask() {
        return Err(Error::not_safe(what).hint("to confirm, repeat the command with `--yes`"));
    }
    context.ui.say(&what);
    context.ui.confirm(&format!("let {with} type?"))
}
