//! The MCP tools for messages: `send_message`, `read_messages` and `signal_user`.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{self, ToolContext};
use super::taskspaces;
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use crate::error::Error;
use crate::manager::{MessageFilter, MessageRequest};
use crate::manager::{Messages, Permissions};
use crate::model::{Message, PERSON};
use crate::rules::access::permissions::{Action, PermissionTable};
use crate::rules::tasks::address::Address;

/// Maximum number of messages in a list. More would not be useful to a model.
const MAX_LISTED: usize = 50;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "send_message",
            ToolEffect::Adds,
            "Send a message to another agent or to the user. An agent receives it as typed input when it is idle, \
             marked with your name. Ask your parent if you need a decision; answer your children's questions.",
            send,
        ),
        Tool::new(
            "read_messages",
            ToolEffect::Adds,
            "Return your unread messages and mark them as read.",
            read,
        ),
        Tool::new(
            "signal_user",
            ToolEffect::Adds,
            "Notify the user of something important. The user gets a notification and finds the text in their \
             messages.",
            signal,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct SendMessageParams {
    /// Name of an agent, `parent`, `children`, `person` (the user), or `@` for all agents of your project (only agents
    /// that the text mentions as `@name` are woken).
    to: String,
    /// Text of the message.
    text: String,
}

fn send(context: &ToolContext, input: SendMessageParams) -> ToolOutcome {
    let permissions = context.permissions()?;
    check_recipient(context, &permissions, &input.to)?;
    post(context, input.to, input.text)
}

/// Rejects agents and projects that are outside of the caller's permissions.
fn check_recipient(context: &ToolContext, permissions: &PermissionTable, to: &str) -> Result<(), Error> {
    let Some(me) = permissions.calling_agent() else { return Ok(()) };
    match Address::parse(to) {
        Address::Parent | Address::Children | Address::Person => Ok(()),
        Address::Everyone(project) if project.is_empty() || permissions.is_own_project(&project) => Ok(()),
        Address::Everyone(project) => Err(Error::not_permitted(format!(
            "agent `{}` may not write to all of project `{project}`",
            me.name
        ))
        .hint("`@` reaches all agents in your own project")),
        Address::Agent { name, .. } => Permissions(context.manager()?)
            .within_reach(permissions, Action::Message, &context::name(&name)?)
            .map(drop),
    }
}

/// Sends a message in the name of the caller.
pub(super) fn post(context: &ToolContext, to: String, text: String) -> ToolOutcome {
    let manager = context.manager()?;
    let sent = Messages(manager).message_send(&MessageRequest { to, text, by: None, dir: None })?;
    let names: Vec<String> = sent.iter().map(recipient).collect();
    let remarks = Messages(manager).message_remarks(&sent);
    let mut text = format!("sent to {}", names.join(", "));
    for remark in &remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    Ok(ToolResult { text, data: json!({ "messages": sent, "remarks": remarks }) })
}

fn recipient(message: &Message) -> String {
    message.to.as_ref().map_or_else(|| PERSON.to_owned(), ToString::to_string)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ReadMessagesParams {
    /// Include messages that you have read or sent. Does not mark messages as read.
    #[serde(default)]
    all: bool,
}

fn read(context: &ToolContext, input: ReadMessagesParams) -> ToolOutcome {
    let manager = context.manager()?;
    // Fails if the calling agent does not exist any more.
    context.permissions()?;
    let mail = match input.all {
        true => Messages(manager).message_list(&MessageFilter {
            of: None,
            all: true,
            newest: Some(MAX_LISTED),
        })?,
        false => Messages(manager).message_read(None)?,
    };
    let entry = |message: &Message| {
        format!("{} from {} to {}:\n{}", message.id, message.from, recipient(message), message.text)
    };
    let text = match mail.is_empty() {
        true => "no messages".to_owned(),
        false => mail.iter().map(entry).collect::<Vec<_>>().join("\n\n"),
    };
    Ok(ToolResult { text, data: json!({ "messages": mail }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct SignalUserParams {
    /// Text of the notification.
    message: String,
}

fn signal(context: &ToolContext, input: SignalUserParams) -> ToolOutcome {
    let permissions = context.permissions()?;
    let mut result = post(context, PERSON.to_owned(), input.message.clone())?;
    let noted = permissions
        .calling_agent()
        .map(|me| taskspaces::note(context, me, &format!("to the user: {}", input.message)));
    if let Some(Err(error)) = noted {
        result.text.push_str(&format!("\nnote: it could not be written into your log: {error}"));
    }
    Ok(result)
}
