//! The MCP tools for messages: `send_message`, `read_messages` and `signal_user`.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{self, ToolContext};
use super::taskspaces;
use super::tool::{Outcome, Said, Tool, ToolEffect};
use crate::error::Error;
use crate::manager::{MessageFilter, MessageRequest};
use crate::manager::{Messages, Permissions};
use crate::model::{Message, PERSON};
use crate::rules::access::permissions::{Act, Place};
use crate::rules::tasks::address::Address;

/// Maximum number of messages in a list. More would not be useful to a model.
const MOST_LISTED: usize = 50;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "send_message",
            ToolEffect::Adds,
            "Write to another agent or to a person. An agent gets it typed in when it is idle, marked with your name. \
             Ask your parent when you need a decision; answer your children's questions.",
            send,
        ),
        Tool::new(
            "read_messages",
            ToolEffect::Adds,
            "The messages that wait for you; from now on they count as read.",
            read,
        ),
        Tool::new(
            "signal_user",
            ToolEffect::Adds,
            "Tell the person something they should know now: they get a notification and find it in their messages.",
            signal,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Send {
    /// An agent's name, `parent`, `children`, `person`, or `@` for everybody in your project (only those are woken whom
    /// the text mentions as `@name`).
    to: String,
    /// What you say.
    text: String,
}

fn send(desk: &ToolContext, given: Send) -> Outcome {
    let place = desk.place()?;
    may_be_written_to(desk, &place, &given.to)?;
    post(desk, given.to, given.text)
}

/// Rejects agents and projects that are outside of the caller's permissions.
fn may_be_written_to(desk: &ToolContext, place: &Place, to: &str) -> Result<(), Error> {
    let Some(me) = place.me() else { return Ok(()) };
    match Address::parse(to) {
        Address::Parent | Address::Children | Address::Person => Ok(()),
        Address::Everyone(project) if project.is_empty() || place.is_own_project(&project) => Ok(()),
        Address::Everyone(project) => Err(Error::NotPermitted {
            what: format!("agent `{}` may not write to all of project `{project}`", me.name),
            hint: "`@` is everybody in your own project".into(),
        }),
        Address::Agent { name, .. } => {
            Permissions(desk.manager()?).within_reach(place, Act::Message, &context::name(&name)?).map(drop)
        }
    }
}

/// Sends a message in the name of the caller.
pub(super) fn post(desk: &ToolContext, to: String, text: String) -> Outcome {
    let manager = desk.manager()?;
    let sent = Messages(manager).message_send(&MessageRequest { to, text, by: None, dir: None })?;
    let names: Vec<String> = sent.iter().map(recipient).collect();
    let remarks = Messages(manager).message_remarks(&sent);
    let mut text = format!("sent to {}", names.join(", "));
    for remark in &remarks {
        text.push_str(&format!("\nnote: {remark}"));
    }
    Ok(Said { text, data: json!({ "messages": sent, "remarks": remarks }) })
}

fn recipient(message: &Message) -> String {
    message.to.as_ref().map_or_else(|| PERSON.to_owned(), ToString::to_string)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Read {
    /// Only look, also at those you have read and sent; nothing counts as read because of it.
    #[serde(default)]
    all: bool,
}

fn read(desk: &ToolContext, given: Read) -> Outcome {
    let manager = desk.manager()?;
    // Fails if the calling agent does not exist any more.
    desk.place()?;
    let mail = match given.all {
        true => Messages(manager).message_list(&MessageFilter {
            of: None,
            all: true,
            newest: Some(MOST_LISTED),
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
    Ok(Said { text, data: json!({ "messages": mail }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Signal {
    /// What they should know.
    message: String,
}

fn signal(desk: &ToolContext, given: Signal) -> Outcome {
    let place = desk.place()?;
    let mut said = post(desk, PERSON.to_owned(), given.message.clone())?;
    let noted = place.me().map(|me| taskspaces::note(desk, me, &format!("to the person: {}", given.message)));
    if let Some(Err(error)) = noted {
        said.text.push_str(&format!("\nnote: it could not be written into your log: {error}"));
    }
    Ok(said)
}
