//! A hand-off: one agent packed into a file for another account or machine. The file contains a closed list of parts,
//! so that an entry cannot name a path of its own.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentName, Conversation, GivenParam, Priority, Status, Workspace};

/// Version of the hand-off format that this program writes and reads.
pub const HANDOFF_FORMAT: u32 = 1;

/// Name of the manifest, which is the first entry of the file.
pub const MANIFEST: &str = "manifest.json";

/// Maximum size of the manifest in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 256 << 10;

/// One part of a hand-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// The portable fields of the agent's record.
    #[serde(rename = "record.json")]
    Record,
    /// The spec that the agent was created from, without the values of variables.
    #[serde(rename = "spec.json")]
    Spec,
    /// The recap as text.
    #[serde(rename = "recap.txt")]
    RecapText,
    /// The recap as JSON.
    #[serde(rename = "recap.json")]
    Recap,
    /// The end of the transcript, as the terminal showed it.
    #[serde(rename = "transcript.txt")]
    Transcript,
    /// The open tasks of the agent.
    #[serde(rename = "tasks.json")]
    Tasks,
    /// The unread messages of the agent.
    #[serde(rename = "messages.json")]
    Messages,
    /// The conversation as its agent CLI stores it.
    #[serde(rename = "conversation.jsonl")]
    Conversation,
    /// The commits of its branch.
    #[serde(rename = "work.bundle")]
    Bundle,
    /// The staged changes that were not committed.
    #[serde(rename = "staged.patch")]
    Staged,
    /// The unstaged changes, including new files.
    #[serde(rename = "unstaged.patch")]
    Unstaged,
}

impl Part {
    /// Every part, in the order in which they are packed.
    pub const ALL: [Part; 11] = [
        Part::Record,
        Part::Spec,
        Part::RecapText,
        Part::Recap,
        Part::Transcript,
        Part::Tasks,
        Part::Messages,
        Part::Conversation,
        Part::Staged,
        Part::Unstaged,
        Part::Bundle,
    ];

    /// Returns the name of the part in the file.
    pub fn name(self) -> &'static str {
        match self {
            Part::Record => "record.json",
            Part::Spec => "spec.json",
            Part::RecapText => "recap.txt",
            Part::Recap => "recap.json",
            Part::Transcript => "transcript.txt",
            Part::Tasks => "tasks.json",
            Part::Messages => "messages.json",
            Part::Conversation => "conversation.jsonl",
            Part::Bundle => "work.bundle",
            Part::Staged => "staged.patch",
            Part::Unstaged => "unstaged.patch",
        }
    }

    /// Returns the part with this name.
    pub fn named(name: &[u8]) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name().as_bytes() == name)
    }

    /// Returns the maximum size in bytes: larger than any part seen so far, and small enough not to fill a disk.
    pub fn most_bytes(self) -> u64 {
        match self {
            Part::Record | Part::Spec | Part::RecapText => 1 << 20,
            Part::Recap | Part::Transcript => 4 << 20,
            Part::Tasks | Part::Messages => 16 << 20,
            Part::Conversation | Part::Staged | Part::Unstaged => 512 << 20,
            Part::Bundle => 4 << 30,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A part with its size and checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// The part that this entry describes.
    pub name: Part,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content in hexadecimal digits.
    pub sha256: String,
}

/// The content of a hand-off. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the hand-off format.
    pub format: u32,
    /// Version of Symposium that wrote the file; the same version can read it.
    pub symposium: String,
    /// Time at which the hand-off was made.
    #[serde(with = "crate::base::json_time")]
    pub made_at: Timestamp,
    /// Name of the agent.
    pub name: AgentName,
    /// Name of the kind that describes its agent CLI.
    pub kind: String,
    /// Name of the spec that the agent was created from.
    pub spec: String,
    /// Status of the agent at the time of the hand-off.
    pub status: Status,
    /// Conversation that the agent was in.
    pub conversation: Conversation,
    /// Commits and changes, if the agent worked in a git repository.
    #[serde(default)]
    pub work: Option<HandedWork>,
    /// Names of the environment variables that the agent was given; the file does not contain their values.
    #[serde(default)]
    pub variables: Vec<String>,
    /// The parts that follow, in this order.
    pub entries: Vec<PartEntry>,
}

impl Manifest {
    /// Returns whether the file contains a part.
    pub fn has(&self, part: Part) -> bool {
        self.entries.iter().any(|entry| entry.name == part)
    }
}

/// The work of an agent in a git repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedWork {
    /// Kind of workspace in which the agent worked.
    pub workspace: Workspace,
    /// Branch of the agent; `None` if no branch was checked out.
    #[serde(default)]
    pub branch: Option<String>,
    /// Commit that was checked out.
    pub head: String,
    /// Newest commit of the branch that a remote has.
    #[serde(default)]
    pub base: Option<String>,
    /// Root commits of the history: a repository that has one of them is the same repository.
    #[serde(default)]
    pub roots: Vec<String>,
    /// Working directory relative to the top of the repository.
    #[serde(default)]
    pub below: String,
    /// URLs of the remotes, without passwords.
    #[serde(default)]
    pub remotes: Vec<String>,
}

/// The portable fields of an agent's record, without its processes and tmux data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandedRecord {
    /// Free text that lists show beside the name.
    #[serde(default)]
    pub title: Option<String>,
    /// Parameter values of its spec.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// Time at which the agent was created.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Working directory of the agent, which its CLI may mention in a conversation.
    #[serde(default)]
    pub directory: String,
    /// Program and permanent arguments for information; they are never run.
    #[serde(default)]
    pub command: Vec<String>,
}

/// An open task of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedTask {
    /// Text of the task.
    pub text: String,
    /// Name of the task's priority.
    pub priority: String,
    /// Source of the task: `person`, `heartbeat` or the name of an agent.
    pub source: String,
    /// Whether the agent had begun the task.
    pub begun: bool,
    /// Time limit in seconds.
    #[serde(default)]
    pub timeout_s: Option<u32>,
    /// Maximum number of retries.
    #[serde(default)]
    pub retries: u32,
    /// Indices in this list of the tasks that must be done first.
    #[serde(default)]
    pub after: Vec<usize>,
}

impl HandedTask {
    /// Returns the priority; an unknown name counts as the default priority.
    pub fn urgency(&self) -> Priority {
        self.priority.parse().unwrap_or_default()
    }
}

/// A message that an agent had not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedMessage {
    /// Sender of the message.
    pub from: String,
    /// Time at which it was sent.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Text of the message.
    pub text: String,
    /// Whether the message was to be typed into the agent.
    pub wake: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_names_match_in_file_and_manifest() {
        for part in Part::ALL {
            assert_eq!(serde_json::to_string(&part).unwrap(), format!("\"{}\"", part.name()));
            assert_eq!(Part::named(part.name().as_bytes()), Some(part));
        }
        for other in ["manifest.json", "../record.json", "/record.json", "record.json\0", "./record.json", ""]
        {
            assert_eq!(Part::named(other.as_bytes()), None, "{other:?}");
        }
    }
}
