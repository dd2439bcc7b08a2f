//! The `symposium conversation` commands.

use clap::{Args, Subcommand};

use super::render::agent_table::clean;
use super::render::times::ago;
use super::{Invocation, agent::attach_shared};
use crate::env::Env;
use crate::error::Error;
use crate::manager::ConversationView;
use crate::manager::Conversations;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// List the current conversation of an agent and its earlier ones
    #[command(visible_alias = "ls")]
    List(List),
}

#[derive(Debug, Args)]
pub(super) struct List {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    agent: String,
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    let Verb::List(args) = verb;
    let views = Conversations(&context.manager).conversations(&attach_shared::own(&args.agent)?)?;
    if context.ui.json {
        context.ui.json(&views);
    } else {
        context.ui.data(&views.iter().map(line).collect::<String>());
    }
    Ok(0)
}

fn line(view: &ConversationView) -> String {
    let name = clean(view.name.as_deref().unwrap_or("-"));
    let id = clean(view.id.as_deref().unwrap_or("not known yet"));
    let when = match (view.left_at, view.begun) {
        (Some(at), _) => format!("left {}", ago(at, Env::now())),
        (None, true) => "current".to_owned(),
        (None, false) => "current, nothing was said yet".to_owned(),
    };
    format!("{} {name:<16}  {id}  {when}\n", if view.current { "*" } else { " " })
}
