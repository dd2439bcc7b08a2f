//! `agent spawn`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Context, attach, ui};
use crate::error::Error;
use crate::manager::{Body, SpawnRequest};
use crate::model::{AgentName, Workspace};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A kind (claude, codex, gemini, …, demo); none means the first that is installed, else the demo agent
    #[arg(conflicts_with = "command")]
    spec: Option<String>,
    /// What it is to be called
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// Where it works, instead of here
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Its first prompt; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    task: Option<String>,
    /// Free text for lists and the status line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// What sort of place it works in
    #[arg(long, value_enum, default_value_t = Place::InPlace)]
    workspace: Place,
    /// Go on with this conversation of the agent CLI
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    conversation: Option<String>,
    /// A variable for the agent's environment
    #[arg(long, value_name = "K=V", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Attach this terminal right away
    #[arg(long, conflicts_with = "foreground")]
    attach: bool,
    /// Run it in this terminal, without tmux, until it ends
    #[arg(long)]
    foreground: bool,
    /// Any command, instead of a kind
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Where it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// The directory as it is
    InPlace,
    /// An empty folder of its own
    Scratch,
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let is_name = |key: &str| {
        !key.is_empty()
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !is_name(key) {
        return Err(format!("`{key}` cannot be the name of a variable"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

pub(super) fn name(text: &str) -> Result<AgentName, Error> {
    text.parse().map_err(|why| Error::BadName { given: text.to_owned(), why })
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let name = args.name.as_deref().map(name).transpose()?;
    if args.attach && !ui::is_interactive() {
        return Err(Error::NoTerminal { verb: "spawn --attach", name });
    }
    let task = match args.task.as_deref() {
        Some("-") => Some(ui::standard_input().map_err(Error::io("cannot read the task from stdin"))?),
        _ => args.task,
    };
    let request = SpawnRequest {
        body: if args.command.is_empty() { Body::Spec(args.spec) } else { Body::Command(args.command) },
        name,
        dir: args.dir,
        task,
        title: args.title,
        workspace: match args.workspace {
            Place::InPlace => Workspace::InPlace,
            Place::Scratch => Workspace::Scratch,
        },
        conversation: args.conversation,
        env: args.env,
    };
    if args.foreground {
        let (name, exit) = context.manager.spawn_foreground(&request)?;
        context.ui.say(&format!("agent `{name}` ended with {exit}"));
        let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
        return Ok(u8::try_from(code).unwrap_or(1));
    }
    let spawned = context.manager.spawn(request)?;
    for remark in &spawned.remarks {
        context.ui.say(remark);
    }
    if args.attach {
        return attach::to(&spawned.agent.name, crate::manager::As::Driver, context);
    }
    if context.ui.json {
        context.ui.json(&spawned.agent);
    } else {
        context.ui.data(spawned.agent.name.as_str());
        if ui::is_watched() {
            context.ui.say(&format!("attach with: symposium agent attach {}", spawned.agent.name));
        }
    }
    Ok(0)
}
