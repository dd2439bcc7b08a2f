//! Checkpoints: the state of a working tree before a turn. The field names are a public contract.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Why a checkpoint was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointReason {
    /// A turn of the agent began.
    #[default]
    Turn,
    /// Another checkpoint was restored, and this one holds what was there before.
    Restore,
}

/// A file that a checkpoint does not contain because of its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutFile {
    /// Path relative to the root of the working tree.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// The facts about a checkpoint that git stores as the message of its commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckpointNote {
    /// Why the checkpoint was taken.
    pub reason: CheckpointReason,
    /// First line of the prompt that began the turn.
    pub prompt: Option<String>,
    /// Branch that was checked out; `None` if HEAD was detached.
    pub branch: Option<String>,
    /// Commit that was checked out; `None` before the first commit.
    pub head: Option<String>,
    /// Tree with the staged files; `None` if the index had conflicts, which a tree cannot hold.
    pub index: Option<String>,
    /// Tree with the files whose bytes git would change when it writes them, such as those with mixed line endings;
    /// `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// The first files that were left out because of their size.
    pub left_out: Vec<LeftOutFile>,
    /// Number of all files that were left out because of their size.
    pub left_out_count: usize,
}

/// A checkpoint of a working tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// Number of the checkpoint, counted from 1 for each agent.
    pub number: u64,
    /// Commit that holds the working tree.
    pub commit: String,
    /// Tree with the files of the working tree.
    pub tree: String,
    /// Time at which the checkpoint was taken.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// The facts that were stored with it.
    #[serde(flatten)]
    pub note: CheckpointNote,
}
