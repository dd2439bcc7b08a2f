//! The `symposium message` commands.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use super::render::columns::columns;
use super::{Invocation, agent::lifecycle::spawn, render::ui};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::Messages;
use crate::manager::{MessageFilter, MessageRequest};
use crate::model::{AgentName, Message, PERSON};
use crate::text::ages::{age, ago};
use crate::text::fit::clean;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "message",
    "Send, list and read mail between agents and people",
    &[SEND, LIST, READ],
);

const SEND: CommandDefinition = CommandDefinition::new(
    "send",
    "Send a message: typed into an agent when it is idle, kept until it is read",
    Remote::ONCE,
    |args, context| send(parsed(args)?, context),
)
.arguments::<MessageSendArguments>()
.values(&[("target", ArgumentValue::Agent)]);

const LIST: CommandDefinition = CommandDefinition::new(
    "list",
    "List unread mail; it stays unread",
    Remote::READ_ONLY,
    |args, context| list(&parsed(args)?, context),
)
.arguments::<MessageListArguments>()
.values(&[("agent", ArgumentValue::Agent)])
.aliases(&["ls"]);

const READ: CommandDefinition =
    CommandDefinition::new("read", "Print unread mail and mark it as read", Remote::ONCE, |_, context| {
        read(context)
    });

#[derive(Debug, Args)]
pub(super) struct MessageSendArguments {
    /// An agent, `agent@project`, `@project` (all its agents; `@agent` in TEXT wakes one), `parent`,
    /// `children` or `person`
    #[arg(allow_hyphen_values = true)]
    target: String,
    /// Text; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Project of `@` [default: the project of this directory]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MessageListArguments {
    /// Use the mail of this agent
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    agent: Option<String>,
    /// Include read and sent mail
    #[arg(long)]
    all: bool,
    /// Maximum number of messages; the newest are shown
    #[arg(long, value_name = "N")]
    newest: Option<usize>,
}

fn send(args: MessageSendArguments, context: &Invocation) -> Result<u8, Error> {
    let text = match args.text.as_str() {
        "-" => ui::standard_input().map_err(Error::io("cannot read the message from stdin"))?,
        _ => args.text,
    };
    let request = MessageRequest { to: args.target, text, by: None, dir: args.project };
    let sent = Messages(&context.manager).message_send(&request)?;
    if context.ui.json {
        context.ui.json(&sent);
        return Ok(0);
    }
    context.ui.say(&sent_line(&sent));
    for remark in Messages(&context.manager).message_remarks(&sent) {
        context.ui.say(&remark);
    }
    Ok(0)
}

/// Describes the recipients of a message, and which of several recipients are woken.
fn sent_line(sent: &[Message]) -> String {
    let name = |message: &Message| message.to.as_ref().map_or(PERSON, AgentName::as_str).to_owned();
    let names = |messages: &[&Message]| messages.iter().map(|m| name(m)).collect::<Vec<_>>().join(", ");
    match sent {
        [message] if message.project.is_none() => {
            format!("sent to `{}` as message {}", name(message), message.id)
        }
        _ => {
            let (woken, others): (Vec<&Message>, Vec<&Message>) =
                sent.iter().partition(|message| message.wake);
            match (woken.is_empty(), others.is_empty()) {
                (_, true) => format!("sent to {}", names(&woken)),
                (true, _) => format!(
                    "sent to {}; no agent is woken for it: name agents as @NAME in the text to wake them",
                    names(&others)
                ),
                (false, false) => {
                    format!("sent to {}; kept until they read it: {}", names(&woken), names(&others))
                }
            }
        }
    }
}

fn list(args: &MessageListArguments, context: &Invocation) -> Result<u8, Error> {
    let of = args.agent.as_deref().map(spawn::name).transpose()?;
    let filter = MessageFilter { of, all: args.all, newest: args.newest };
    let now = context.manager.now();
    let mail = Messages(&context.manager).message_list(&filter)?;
    if context.ui.json {
        context.ui.json(&mail);
    } else if mail.is_empty() {
        context.ui.say(if args.all { "no mail" } else { "no unread mail; `--all` shows the rest" });
    } else if args.all {
        let rows: Vec<_> = mail.iter().map(|message| whole_row(message, now)).collect();
        context.ui.data(&columns(["ID", "FROM", "TO", "SENT", "STATE", "TEXT"], &rows, ui::width()));
    } else {
        let rows: Vec<_> = mail.iter().map(|message| row(message, now)).collect();
        context.ui.data(&columns(["ID", "FROM", "SENT", "TEXT"], &rows, ui::width()));
    }
    Ok(0)
}

fn row(message: &Message, now: Timestamp) -> [String; 4] {
    let [id, from, _, sent, _, text] = whole_row(message, now);
    [id, from, sent, text]
}

fn whole_row(message: &Message, now: Timestamp) -> [String; 6] {
    [
        message.id.to_string(),
        message.from.clone(),
        message.to.as_ref().map_or(PERSON, AgentName::as_str).to_owned(),
        age(message.at, now),
        message.state.to_string(),
        message.title(),
    ]
}

fn read(context: &Invocation) -> Result<u8, Error> {
    let mail = Messages(&context.manager).message_read(None)?;
    if context.ui.json {
        context.ui.json(&mail);
    } else if mail.is_empty() {
        context.ui.say("no unread mail");
    } else {
        let now = context.manager.now();
        let letters: Vec<_> = mail.iter().map(|message| render_message(message, now)).collect();
        context.ui.data(&letters.join("\n"));
    }
    Ok(0)
}

/// Renders a complete message as text. Its lines are indented, so that none of them can pass for another message.
fn render_message(message: &Message, now: Timestamp) -> String {
    let all = match &message.project {
        Some(project) => format!(" to all agents in {}", clean(project)),
        None => String::new(),
    };
    let ago = ago(message.at, now);
    let mut text = format!("message {} from {}{all}, {ago}\n", message.id, clean(&message.from));
    for line in message.text.lines() {
        text.push_str(format!("  {}", clean(line)).trim_end());
        text.push('\n');
    }
    text
}
