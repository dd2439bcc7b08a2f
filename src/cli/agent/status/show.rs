//! The `agent show` command.

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{
    Invocation,
    agent::{sharing::attach_shared, terminal::answer},
};
use crate::error::Error;
use crate::manager::{AgentLookup, Approvals, Sharing, StatusTracker, WorkInspection};
use crate::model::{Agent, AgentClient, DialogOption, Share, WorkCounts};
use crate::rules::status::turn_failure::how_to_release;
use crate::rules::workspace::unsaved_work;
use crate::text::agent::status_word;
use crate::text::ages::age;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "show",
    "Show everything about one agent",
    Remote::READ_ONLY.host_before_agent(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["show"])
.fast();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let mut agent = AgentLookup(&context.manager).show(&attach_shared::own(&args.name)?)?;
    if let Some(question) = &mut agent.question
        && let Ok(Some(dialog)) = Approvals(&context.manager).dialog_shown(&agent.name)
    {
        question.options = dialog.options.iter().map(DialogOption::line).collect();
    }
    let work = WorkInspection(&context.manager).work_counts(&agent);
    agent.shares = Sharing(&context.manager).shares(&agent.name);
    if context.ui.json {
        context.ui.json(&WithWork { agent: &agent, work });
    } else {
        context.ui.data(&card(&agent, &work, context.manager.now()));
    }
    StatusTracker(&context.manager).take_tmux_error().map_or(Ok(0), Err)
}

/// An agent with the number of changes in its workspace, as git reports them.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct WithWork<'a, W> {
    #[serde(flatten)]
    pub agent: &'a Agent,
    pub work: W,
}

fn share(share: &Share) -> String {
    let may = if share.read_only { "watches only" } else { "may type" };
    let until = share.until.map(|until| format!(" until {until}")).unwrap_or_default();
    format!("{}, {may}{until}", share.with)
}

fn card(agent: &Agent, work: &WorkCounts, now: Timestamp) -> String {
    let ago = |at| format!("{at} ({})", age(at, now));
    let some = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let clients: Vec<String> = agent.clients.iter().map(|client| terminal(client, now)).collect();
    let params: Vec<String> =
        agent.params.iter().map(|given| format!("{}={}", given.name, given.value)).collect();
    let rows = [
        ("name", agent.name.to_string()),
        ("title", some(agent.title.clone())),
        ("status", format!("{} since {}", status_word(agent), ago(agent.status_since))),
        ("why", why(agent)),
        ("spec", agent.spec.clone()),
        ("parameters", some((!params.is_empty()).then(|| params.join(", ")))),
        ("parent", some(agent.parent.as_ref().map(ToString::to_string))),
        ("kind", agent.kind.clone()),
        ("command", agent.command.join(" ")),
        (
            "directory",
            match agent.directory_gone {
                Some(_) => format!("{} (gone)", agent.working_directory),
                None => agent.working_directory.clone(),
            },
        ),
        ("branch", some(agent.branch.clone())),
        ("workspace", agent.workspace.to_string()),
        ("work", some(Some(unsaved_work::short(work)).filter(|text| !text.is_empty()))),
        ("conversation", some(agent.conversation.id.clone())),
        ("process", some(agent.pid.map(|pid| pid.to_string()))),
        (
            "tmux",
            some(agent.tmux.as_ref().map(|tmux| format!("{} {} {}", tmux.socket, tmux.session, tmux.pane))),
        ),
        ("restart", restart(agent)),
        ("attached", if clients.is_empty() { "none".into() } else { clients.join("; ") }),
        (
            "shared with",
            if agent.shares.is_empty() {
                "none".into()
            } else {
                agent.shares.iter().map(share).collect::<Vec<_>>().join("; ")
            },
        ),
        ("created", ago(agent.created_at)),
        ("last output", some(agent.last_activity.map(ago))),
        ("last attached", some(agent.last_attached.map(ago))),
        ("id", agent.id.to_string()),
    ];
    let row = |(key, value): &(&str, String)| format!("{key:>13}  {}\n", clean(value));
    let asks = agent.question.as_ref().and_then(|question| answer::more(question, &agent.reason));
    let asks = asks.map(|text| format!("{:>13}\n{text}\n", "asks")).unwrap_or_default();
    rows.iter().map(row).collect::<String>() + &asks
}

/// Describes an attached client: its user, origin, role and connection time.
pub(in crate::cli) fn terminal(client: &AgentClient, now: Timestamp) -> String {
    let user = client.user.as_deref().unwrap_or("unknown user");
    let from = client.from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
    let what = match (client.observer, client.driver) {
        (true, _) => "watching",
        (false, true) => "driving",
        (false, false) => "typing",
    };
    let since = client.since.map(|at| format!(" since {at} ({})", age(at, now))).unwrap_or_default();
    let guest = if client.guest { "guest " } else { "" };
    format!("{guest}{user} on {}{from}, {what}{since}", client.tty)
}

/// Returns the reason of the status, and how the agent's queue is released if only the user can release it.
fn why(agent: &Agent) -> String {
    match agent.failure.as_ref().and_then(|failure| how_to_release(failure, agent.name.as_str())) {
        Some(hint) => format!("{} ({hint})", agent.reason),
        None => agent.reason.clone(),
    }
}

fn restart(agent: &Agent) -> String {
    let mut text = agent.restart.policy.to_string();
    if agent.restart.count > 0 {
        text.push_str(&format!(", {} so far", agent.restart.count));
    }
    if let Some(at) = agent.restart.next_at {
        text.push_str(&format!(", next at {at}"));
    }
    text
}
