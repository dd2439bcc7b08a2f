//! `agent show`

use clap::Args;

use super::table::status_word;
use super::times::age;
use super::{Context, spawn};
use crate::env::Env;
use crate::error::Error;
use crate::model::Agent;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let agent = context.manager.show(&spawn::name(&args.name)?)?;
    if context.ui.json {
        context.ui.json(&agent);
    } else {
        context.ui.data(&card(&agent));
    }
    Ok(0)
}

fn card(agent: &Agent) -> String {
    let now = Env::now();
    let ago = |at| format!("{at} ({})", age(at, now));
    let some = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let clients: Vec<String> = agent
        .clients
        .iter()
        .map(|client| {
            let user = client.user.as_deref().unwrap_or("somebody");
            format!("{user} on {}{}", client.tty, if client.observer { ", watching" } else { "" })
        })
        .collect();
    let rows = [
        ("name", agent.name.to_string()),
        ("title", some(agent.title.clone())),
        ("status", format!("{} since {}", status_word(agent), ago(agent.status_since))),
        ("why", agent.reason.clone()),
        ("kind", agent.kind.clone()),
        ("command", agent.command.join(" ")),
        ("directory", agent.working_directory.clone()),
        ("branch", some(agent.branch.clone())),
        ("workspace", agent.workspace.to_string()),
        ("conversation", some(agent.conversation.id.clone())),
        ("process", some(agent.pid.map(|pid| pid.to_string()))),
        (
            "tmux",
            some(agent.tmux.as_ref().map(|tmux| format!("{} {} {}", tmux.socket, tmux.session, tmux.pane))),
        ),
        ("attached", if clients.is_empty() { "nobody".into() } else { clients.join("; ") }),
        ("created", ago(agent.created_at)),
        ("last output", some(agent.last_activity.map(ago))),
        ("last attached", some(agent.last_attached.map(ago))),
        ("id", agent.id.to_string()),
    ];
    rows.iter().map(|(key, value)| format!("{key:>13}  {}\n", value.replace(char::is_control, " "))).collect()
}
