//! Mail between agents and people, and the notes that the agents of a project share.

use std::fmt;

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentId, AgentName};

/// Who a person is called where an agent's name would stand. No agent may have this name as a sender by accident:
/// mail of an agent carries its own.
pub const PERSON: &str = "person";

/// The number of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct MessageId(pub i64);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Who gets a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// This agent.
    Agent(AgentId, AgentName),
    /// Whoever sits at the keyboard.
    Person,
}

/// One message to one recipient. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its number.
    pub id: MessageId,
    /// When it was sent.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Who sent it: an agent's name, or `person`.
    pub from: String,
    /// The agent it is for; none when it is for a person.
    pub to: Option<AgentName>,
    /// What that agent is, for ever.
    #[serde(skip)]
    pub to_id: Option<AgentId>,
    /// The project that it was sent to, when it was sent to all of it.
    pub project: Option<String>,
    /// What it says.
    pub text: String,
    /// Whether it is typed in when its agent is idle; else it waits until it is asked for.
    pub wake: bool,
    /// How far it is.
    pub state: MessageState,
    /// When that last changed.
    #[serde(with = "crate::base::json_time")]
    pub changed_at: Timestamp,
    /// Why it is in this state.
    pub why: String,
}

impl Message {
    /// What tells this message from every other in what an agent was typed.
    pub fn mark(&self) -> String {
        format!("[symposium message {} from {}]", self.id, self.from)
    }

    /// As it is typed in: who it is from stands before it.
    pub fn typed(&self) -> String {
        format!("{} {}", self.mark(), self.text.trim_end())
    }

    /// Its first line that says something, as long as a title may be.
    pub fn title(&self) -> String {
        crate::model::work::task::title(&self.text)
    }
}

/// A message about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Who sends it.
    pub from: String,
    /// Who gets it.
    pub to: Recipient,
    /// The project that it is sent to.
    pub project: Option<String>,
    /// What it says.
    pub text: String,
    /// Whether it is typed in.
    pub wake: bool,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageState {
    /// Nobody has seen it.
    Waiting,
    /// Being typed in.
    Dispatched,
    /// Its agent took it, or somebody has read it.
    Read,
}

impl MessageState {
    /// Every state.
    pub const ALL: [MessageState; 3] = [MessageState::Waiting, MessageState::Dispatched, MessageState::Read];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            MessageState::Waiting => "waiting",
            MessageState::Dispatched => "dispatched",
            MessageState::Read => "read",
        }
    }
}

impl fmt::Display for MessageState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The message whose mark stands before a text that an agent was typed; the text may speak of others.
pub fn marked_message(text: &str) -> Option<MessageId> {
    let (_, behind) = text.split_once("[symposium message ")?;
    let (number, _) = behind.split_once(" from ")?;
    number.parse().ok().map(MessageId)
}

/// A note that the agents of a project share. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoardEntry {
    /// What it is called.
    pub key: String,
    /// What it says; left out of lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How many bytes that is.
    pub size: u64,
    /// Who wrote it last: an agent's name, or `person`.
    pub author: String,
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// How often it was written.
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_its_message() {
        for (text, expected) in [
            ("[symposium message 7 from api-fix] hello", Some(7)),
            ("[symposium message 7 from a] as in [symposium message 3 from b]", Some(7)),
            ("hello", None),
            ("[symposium message x from y] hello", None),
        ] {
            assert_eq!(marked_message(text), expected.map(MessageId), "{text}");
        }
    }
}
