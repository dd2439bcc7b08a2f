//! The `agent share` command.

use std::time::Duration;

use clap::Args;
use serde::Serialize;

use crate::cli::{Invocation, agent::attach_shared, render::times};
use crate::error::Error;
use crate::manager::Sharing;
use crate::manager::{Context, GuestMay, ShareRequest};
use crate::model::{AgentId, AgentName, Share};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// The user of this machine who may attach to it
    #[arg(long, value_name = "USER")]
    with: String,
    /// Let the user watch only
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
struct Granted<'a> {
    #[serde(flatten)]
    share: &'a Share,
    address: &'a str,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let may = if args.read_only { GuestMay::Watch } else { GuestMay::Type };
    if may == GuestMay::Type && !args.yes && !asked(&args.with, context)? {
        return Ok(1);
    }
    let request = ShareRequest { name: &name, with: &args.with, may, lasts: args.lasts };
    let shared = Sharing(&context.manager).share(request)?;
    shared.remarks.iter().for_each(|remark| context.ui.warn(remark));
    if context.ui.json {
        context.ui.json(&Granted { share: &shared.share, address: &shared.address });
        return Ok(0);
    }
    let (with, address) = (&shared.share.with, &shared.address);
    let may = if shared.share.read_only { "watch" } else { "watch and type into" };
    let until = shared.share.until.map(|until| format!(" until {until}")).unwrap_or_default();
    let address = attach_shared::quoted(address);
    context.ui.say(&format!("{with} may {may} `{name}`{until}: `symposium agent attach {address}`"));
    context.ui.say(&format!("take it back: `symposium agent unshare {name} --with {with}`"));
    Ok(0)
}

/// Describes what a share permits and asks for confirmation before granting it.
fn asked(with: &str, context: &Invocation) -> Result<bool, Error> {
    let what = format!(
        "a user who types into an agent can do everything that it can: run commands as you, read and change your files, \
         use what it is logged in to. `--read-only` lets {with} watch"
    );
    if !context.ui.can_ask() {
        return Err(Error::Unsafe { what, hint: "if that is meant: the same command with `--yes`".into() });
    }
    context.ui.say(&what);
    context.ui.confirm(&format!("let {with} type?"))
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DoorArguments {
    /// The agent
    name: AgentName,
    /// Which it was when it was shared
    id: AgentId,
    /// The user, by number
    guest: u32,
}

pub(in crate::cli) fn keep_door(args: &DoorArguments, manager: Context) -> Result<u8, Error> {
    Sharing::keep_door(manager, &args.name, args.id, args.guest)?;
    Ok(0)
}
