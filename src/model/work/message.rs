//! Messages between agents and users, and the notes that the agents of a project share.

use std::fmt;

use jiff::Timestamp;
use serde::Serialize;

use crate::model::{AgentId, AgentName};

/// Name of the user where the name of an agent is expected. The messages of an agent always carry the agent's own name.
pub const PERSON: &str = "person";

/// The number of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct MessageId(pub i64);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// The message is for this agent.
    Agent(AgentId, AgentName),
    /// The message is for the user.
    Person,
}

/// One message to one recipient. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Number of the message.
    pub id: MessageId,
    /// Time at which the message was sent.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Sender of the message: the name of an agent, or `person`.
    pub from: String,
    /// Agent that receives the message; `None` if it is for the user.
    pub to: Option<AgentName>,
    /// Permanent id of that agent.
    #[serde(skip)]
    pub to_id: Option<AgentId>,
    /// Project to which the message was sent, if it was sent to a whole project.
    pub project: Option<String>,
    /// Text of the message.
    pub text: String,
    /// Whether the message is typed in when its agent is idle; otherwise it waits until it is read.
    pub wake: bool,
    /// Delivery state of the message.
    pub state: MessageState,
    /// Time at which the state last changed.
    #[serde(with = "crate::base::json_time")]
    pub changed_at: Timestamp,
    /// Reason for the state.
    pub why: String,
}

impl Message {
    /// Returns the marker that identifies this message in the typed text.
    pub fn mark(&self) -> String {
        format!("[symposium message {} from {}]", self.id, self.from)
    }

    /// Returns the text to type: the marker with the sender, and the message.
    pub fn typed(&self) -> String {
        format!("{} {}", self.mark(), self.text.trim_end())
    }

    /// Returns the first line that is not empty, up to the maximum length of a title.
    pub fn title(&self) -> String {
        crate::model::work::task::title(&self.text)
    }
}

/// A message that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Sender of the message.
    pub from: String,
    /// Recipient of the message.
    pub to: Recipient,
    /// Project to which the message is sent.
    pub project: Option<String>,
    /// Text of the message.
    pub text: String,
    /// Whether the message is typed in when its agent is idle.
    pub wake: bool,
}

/// Delivery state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum MessageState {
    /// The message has not been read.
    Waiting,
    /// The message is being typed in.
    Dispatched,
    /// The agent accepted the message, or it was read.
    Read,
}

impl MessageState {
    /// All states, in the order in which a message passes through them.
    pub const ALL: [MessageState; 3] = [MessageState::Waiting, MessageState::Dispatched, MessageState::Read];

    /// Returns the name of the state.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Returns the message whose marker precedes a typed text. The text itself may mention other markers.
pub fn marked_message(text: &str) -> Option<MessageId> {
    let (_, behind) = text.split_once("[symposium message ")?;
    let (number, _) = behind.split_once(" from ")?;
    number.parse().ok().map(MessageId)
}

/// A note that the agents of a project share. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoardEntry {
    /// Key of the note.
    pub key: String,
    /// Text of the note; omitted in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Size of the text in bytes.
    pub size: u64,
    /// Last author: the name of an agent, or `person`.
    pub author: String,
    /// Time of the last change.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Number of times that the note was written.
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_contains_the_message_number() {
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
