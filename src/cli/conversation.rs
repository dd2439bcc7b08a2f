//! The `symposium conversation` commands.

use clap::Args;
use jiff::Timestamp;

use super::{Invocation, agent::sharing::attach_shared};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::ConversationView;
use crate::manager::Conversations;
use crate::text::ages::ago;
use crate::text::fit::clean;

pub(super) const GROUP: CommandDefinition =
    CommandDefinition::group("conversation", "List the conversations of an agent", &[LIST]);

const LIST: CommandDefinition = CommandDefinition::new(
    "list",
    "List the current conversation of an agent and its earlier ones",
    Remote::READ_ONLY,
    |args, context| list(&parsed(args)?, context),
)
.arguments::<ConversationListArguments>()
.values(&[("agent", ArgumentValue::Agent)])
.aliases(&["ls"]);

#[derive(Debug, Args)]
pub(super) struct ConversationListArguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    agent: String,
}

fn list(args: &ConversationListArguments, context: &Invocation) -> Result<u8, Error> {
    let views = Conversations(&context.manager).conversations(&attach_shared::own(&args.agent)?)?;
    if context.ui.json {
        context.ui.json(&views);
    } else {
        context.ui.data(&views.iter().map(|view| line(view, context.manager.now())).collect::<String>());
    }
    Ok(0)
}

fn line(view: &ConversationView, now: Timestamp) -> String {
    let name = clean(view.name.as_deref().unwrap_or("-"));
    let id = clean(view.id.as_deref().unwrap_or("not known yet"));
    let when = match (view.left_at, view.begun) {
        (Some(at), _) => format!("left {}", ago(at, now)),
        (None, true) => "current".to_owned(),
        (None, false) => "current, still empty".to_owned(),
    };
    format!("{} {name:<16}  {id}  {when}\n", if view.current { "*" } else { " " })
}
