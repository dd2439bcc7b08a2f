//! The `symposium host` commands.

use clap::Args;
use jiff::Timestamp;

use super::render::columns::columns;
use super::{Invocation, render::ui};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{HostCheck, HostRequest, HostView, Interaction};
use crate::model::{HostName, InvalidHost};
use crate::text::ages::age;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "host",
    "Manage other machines, reached over OpenSSH: HOST:NAME is an agent there",
    &[ADD, LIST, REMOVE],
);

const ADD: CommandDefinition = CommandDefinition::new(
    "add",
    "Add a machine; its agents are addressed as HOST:NAME",
    Remote::LOCAL,
    |args, context| add(parsed(args)?, context),
)
.arguments::<HostAddArguments>()
.opening(Opening::WithoutNotices);

const LIST: CommandDefinition = CommandDefinition::new(
    "list",
    "List the machines and their last answers",
    Remote::LOCAL,
    |_, context| list(context),
)
.aliases(&["ls"])
.opening(Opening::WithoutNotices);

const REMOVE: CommandDefinition = CommandDefinition::new(
    "remove",
    "Remove a machine; its agents keep running",
    Remote::LOCAL,
    |args, context| remove(&parsed(args)?, context),
)
.arguments::<HostArguments>()
.values(&[("name", ArgumentValue::Host)])
.aliases(&["rm", "delete"])
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(super) struct HostAddArguments {
    /// Name of the machine
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// ADDRESS, USER@ADDRESS or an alias from ~/.ssh/config
    #[arg(allow_hyphen_values = true)]
    address: String,
    /// Port of its SSH server
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Path of symposium there [default: from PATH, ~/.cargo/bin or ~/.local/bin]
    #[arg(long, value_name = "PATH")]
    binary: Option<String>,
    /// Add it even if it does not answer, or replace an existing entry
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(super) struct HostArguments {
    /// Name of the machine
    #[arg(allow_hyphen_values = true)]
    name: String,
}

fn remove(args: &HostArguments, context: &Invocation) -> Result<u8, Error> {
    let host = Hosts(&context.manager).host_remove(&name(&args.name)?)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "removed": host.name }));
    } else {
        context.ui.say(&format!("host `{}` was removed; its agents keep running", host.name));
    }
    Ok(0)
}

fn add(args: HostAddArguments, context: &Invocation) -> Result<u8, Error> {
    let bad = |given: &str| {
        let given = given.to_owned();
        move |why: InvalidHost| Error::bad_host(&given, why)
    };
    let request = HostRequest {
        name: name(&args.name)?,
        address: args.address.parse().map_err(bad(&args.address))?,
        port: args.port,
        binary: args.binary.map(|path| path.parse().map_err(bad(&path))).transpose()?,
        check: if args.force { HostCheck::Skip } else { HostCheck::Require },
        asking: if context.ui.can_ask() { Interaction::Allowed } else { Interaction::Never },
    };
    let added = Hosts(&context.manager).host_add(request)?;
    for remark in &added.remarks {
        context.ui.warn(remark);
    }
    if context.ui.json {
        context.ui.json(&added.host);
        return Ok(0);
    }
    let version = added.host.version.as_deref().map(|version| format!(" (symposium {version})"));
    context.ui.data(added.host.name.as_str());
    context.ui.say(&format!(
        "added{}; see its agents with: symposium agent list --host {}",
        version.unwrap_or_default(),
        added.host.name
    ));
    Ok(0)
}

fn list(context: &Invocation) -> Result<u8, Error> {
    let hosts = Hosts(&context.manager).host_list()?;
    if context.ui.json {
        context.ui.json(&hosts);
    } else if hosts.is_empty() {
        context.ui.say("no hosts yet; `symposium host add NAME [USER@]ADDRESS` adds one");
    } else {
        let rows: Vec<_> = hosts.iter().map(|view| row(view, context.manager.now())).collect();
        context.ui.data(&columns(["NAME", "VERSION", "AGENTS", "ANSWERED", "ADDRESS"], &rows, ui::width()));
    }
    Ok(0)
}

fn row(view: &HostView, now: Timestamp) -> [String; 5] {
    let host = &view.host;
    let port = host.port.map(|port| format!(" port {port}")).unwrap_or_default();
    let dash = || "-".to_owned();
    [
        host.name.to_string(),
        host.version.clone().unwrap_or_else(dash),
        view.agents.map_or_else(dash, |agents| agents.to_string()),
        view.as_of.map_or_else(dash, |at| age(at, now)),
        format!("{}{port}", host.address),
    ]
}

/// Parses and validates the name of a host.
pub(super) fn name(text: &str) -> Result<HostName, Error> {
    text.parse().map_err(|why| Error::bad_host(text, why))
}
