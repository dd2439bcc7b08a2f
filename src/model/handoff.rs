//! A handoff: one agent packed into a file for another account or machine. What the file may hold is a closed list of
//! parts, so that nothing in it can name a place of its own.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentName, Conversation, GivenParam, Priority, Status, Workspace};

/// The format that is written and read here.
pub const HANDOFF_FORMAT: u32 = 1;

/// What the manifest is called; it comes first.
pub const MANIFEST: &str = "manifest.json";

/// The biggest manifest.
pub const BIGGEST_MANIFEST: u64 = 256 << 10;

/// One part of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// What was written down about the agent.
    #[serde(rename = "record.json")]
    Record,
    /// The spec it was born from, without the values of variables.
    #[serde(rename = "spec.json")]
    Spec,
    /// What happened to it, in words.
    #[serde(rename = "recap.txt")]
    RecapText,
    /// The same for programs.
    #[serde(rename = "recap.json")]
    Recap,
    /// The end of what it printed, as the terminal showed it.
    #[serde(rename = "transcript.txt")]
    Transcript,
    /// What it still had to do.
    #[serde(rename = "tasks.json")]
    Tasks,
    /// Mail that it had not read.
    #[serde(rename = "messages.json")]
    Messages,
    /// The conversation as its CLI keeps it.
    #[serde(rename = "conversation.jsonl")]
    Conversation,
    /// The commits of its branch.
    #[serde(rename = "work.bundle")]
    Bundle,
    /// What was staged and not committed.
    #[serde(rename = "staged.patch")]
    Staged,
    /// What was changed beside that, with new files.
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

    /// What it is called in the file.
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

    /// The part of this name.
    pub fn named(name: &[u8]) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name().as_bytes() == name)
    }

    /// How many bytes it may have: more than any that was ever seen, and less than a disk.
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

/// A part with what proves that it is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Which.
    pub name: Part,
    /// Its bytes.
    pub size: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// What is in a handoff. The field names are a public contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Of which form the file is.
    pub format: u32,
    /// Which symposium made it; one of this version can read it.
    pub symposium: String,
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub made_at: Timestamp,
    /// What the agent was called.
    pub name: AgentName,
    /// How its program is driven.
    pub kind: String,
    /// The spec it was made from.
    pub spec: String,
    /// What it did at that moment.
    pub status: Status,
    /// The conversation that it was in.
    pub conversation: Conversation,
    /// The commits and changes, when it worked in a git repository.
    #[serde(default)]
    pub work: Option<HandedWork>,
    /// The names of the variables that it was given; their values are not in the file.
    #[serde(default)]
    pub variables: Vec<String>,
    /// What follows, in this order.
    pub entries: Vec<PartEntry>,
}

impl Manifest {
    /// Whether a part is in the file.
    pub fn has(&self, part: Part) -> bool {
        self.entries.iter().any(|entry| entry.name == part)
    }
}

/// The work of an agent in a git repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedWork {
    /// What sort of place it worked in.
    pub workspace: Workspace,
    /// Its branch; none when it was on none.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that it was on.
    pub head: String,
    /// The newest commit of its branch that a remote has.
    #[serde(default)]
    pub base: Option<String>,
    /// Where the history begins: a repository that has one of these is the same repository.
    #[serde(default)]
    pub roots: Vec<String>,
    /// Where it worked, below the top.
    #[serde(default)]
    pub below: String,
    /// The addresses of the remotes, without passwords.
    #[serde(default)]
    pub remotes: Vec<String>,
}

/// What is kept of an agent's record: nothing about its processes or its tmux.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandedRecord {
    /// Free text for people.
    #[serde(default)]
    pub title: Option<String>,
    /// What its spec was given.
    #[serde(default)]
    pub params: Vec<GivenParam>,
    /// When it was born.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Where it worked: what its CLI may call that place in a conversation.
    #[serde(default)]
    pub directory: String,
    /// Program and lasting arguments, for people to read: never run.
    #[serde(default)]
    pub command: Vec<String>,
}

/// A task that an agent still had to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedTask {
    /// What is to be done.
    pub text: String,
    /// How urgent it is, in a word.
    pub priority: String,
    /// Who put it there.
    pub source: String,
    /// Whether it was being worked on.
    pub begun: bool,
    /// How many seconds it may take.
    #[serde(default)]
    pub timeout_s: Option<u32>,
    /// How often it may be tried again.
    #[serde(default)]
    pub retries: u32,
    /// Which of the tasks before it in this list must be done first.
    #[serde(default)]
    pub after: Vec<usize>,
}

impl HandedTask {
    /// Its priority; a word that is none is a plain one.
    pub fn urgency(&self) -> Priority {
        self.priority.parse().unwrap_or_default()
    }
}

/// Mail that an agent had not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedMessage {
    /// Who sent it.
    pub from: String,
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// What it says.
    pub text: String,
    /// Whether it was to be typed in.
    pub wake: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_called_the_same_everywhere() {
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
