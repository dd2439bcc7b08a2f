//! The `symposium host` commands.

use clap::{Args, Subcommand};

use super::render::columns::columns;
use super::render::times::age;
use super::{Invocation, render::ui};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{Asking, HostCheck, HostRequest, HostView};
use crate::model::{HostName, InvalidHost};

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Add a machine, whose agents are then HOST:NAME
    Add(Add),
    /// List the machines and their last answers
    #[command(visible_alias = "ls")]
    List,
    /// Remove a machine; its agents go on
    #[command(visible_aliases = ["rm", "delete"])]
    Remove(Named),
}

#[derive(Debug, Args)]
pub(super) struct Add {
    /// Name of the machine
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// ADDRESS or USER@ADDRESS, or what your ~/.ssh/config calls it
    #[arg(allow_hyphen_values = true)]
    address: String,
    /// The port of its sshd
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Path of symposium there [default: from PATH, ~/.cargo/bin or ~/.local/bin]
    #[arg(long, value_name = "PATH")]
    binary: Option<String>,
    /// Add it even if no symposium answers, or replace one of that name
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(super) struct Named {
    /// Name of the machine
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::Add(args) => add(args, context)?,
        Verb::List => list(&Hosts(&context.manager).host_list()?, context),
        Verb::Remove(args) => {
            let host = Hosts(&context.manager).host_remove(&name(&args.name)?)?;
            if context.ui.json {
                context.ui.json(&serde_json::json!({ "removed": host.name }));
            } else {
                context.ui.say(&format!("host `{}` is forgotten; its agents go on", host.name));
            }
        }
    }
    Ok(0)
}

fn add(args: Add, context: &Invocation) -> Result<(), Error> {
    let bad = |given: &str| {
        let given = given.to_owned();
        move |why: InvalidHost| Error::BadHost { given, why }
    };
    let request = HostRequest {
        name: name(&args.name)?,
        address: args.address.parse().map_err(bad(&args.address))?,
        port: args.port,
        binary: args.binary.map(|path| path.parse().map_err(bad(&path))).transpose()?,
        insisting: if args.force { HostCheck::Yes } else { HostCheck::No },
        asking: if context.ui.can_ask() { Asking::Allowed } else { Asking::Never },
    };
    let added = Hosts(&context.manager).host_add(request)?;
    for remark in &added.remarks {
        context.ui.warn(remark);
    }
    if context.ui.json {
        context.ui.json(&added.host);
        return Ok(());
    }
    let version = added.host.version.as_deref().map(|version| format!(" (symposium {version})"));
    context.ui.data(added.host.name.as_str());
    context.ui.say(&format!(
        "added{}; see its agents with: symposium agent list --host {}",
        version.unwrap_or_default(),
        added.host.name
    ));
    Ok(())
}

fn list(hosts: &[HostView], context: &Invocation) {
    if context.ui.json {
        context.ui.json(&hosts);
    } else if hosts.is_empty() {
        context.ui.say("no hosts yet; `symposium host add NAME [USER@]ADDRESS` adds one");
    } else {
        let rows: Vec<_> = hosts.iter().map(row).collect();
        context.ui.data(&columns(["NAME", "VERSION", "AGENTS", "ANSWERED", "ADDRESS"], &rows, ui::width()));
    }
}

fn row(view: &HostView) -> [String; 5] {
    let host = &view.host;
    let port = host.port.map(|port| format!(" port {port}")).unwrap_or_default();
    let dash = || "-".to_owned();
    [
        host.name.to_string(),
        host.version.clone().unwrap_or_else(dash),
        view.agents.map_or_else(dash, |agents| agents.to_string()),
        view.as_of.map_or_else(dash, |at| age(at, Env::now())),
        format!("{}{port}", host.address),
    ]
}

/// Parses and validates the name of a host.
pub(super) fn name(text: &str) -> Result<HostName, Error> {
    text.parse().map_err(|why| Error::BadHost { given: text.to_owned(), why })
}
