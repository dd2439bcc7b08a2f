//! The review of an agent's work: comments on lines, and the files that were read. The field names are a public
//! contract, in JSON output and in the stored file.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Number of a comment, counted for each agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CommentId(pub u64);

impl FromStr for CommentId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_start_matches('#').parse().map(CommentId)
    }
}

impl fmt::Display for CommentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A range of lines. The first line of a file has number 1, and `last` belongs to the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// Number of the first line.
    pub first: u64,
    /// Number of the last line.
    pub last: u64,
}

impl LineRange {
    /// Returns the number of lines in the range.
    pub fn count(self) -> u64 {
        (self.last + 1).saturating_sub(self.first)
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

/// The version of a file that line numbers refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiffSide {
    /// The file as it was in the base of the work.
    Old,
    /// The file as the agent left it.
    #[default]
    New,
}

/// The state of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentState {
    /// The agent has not received it.
    Draft,
    /// The agent has received it.
    Sent,
    /// The point is done.
    Resolved,
}

impl CommentState {
    /// Returns the word for the state.
    pub fn as_str(self) -> &'static str {
        match self {
            CommentState::Draft => "draft",
            CommentState::Sent => "sent",
            CommentState::Resolved => "resolved",
        }
    }
}

/// Lines of a file, with the lines around them. They identify a place in the file after it has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchoredLines {
    /// Position of the lines.
    pub lines: LineRange,
    /// The lines themselves.
    pub snippet: Vec<String>,
    /// The lines before them.
    #[serde(default)]
    pub before: Vec<String>,
    /// The lines after them.
    #[serde(default)]
    pub after: Vec<String>,
}

/// The two versions of a file that a diff compares, by the ids of their content. `None` if a version does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BlobPair {
    /// The version in the base.
    pub old_blob: Option<String>,
    /// The version in the working tree.
    pub new_blob: Option<String>,
}

/// The diff of a file for which a comment was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentedDiff {
    /// The commit that the work was compared with.
    pub base: Option<String>,
    /// The compared versions of the file.
    #[serde(flatten)]
    pub blobs: BlobPair,
}

/// A comment on lines of an agent's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// Number of the comment.
    pub id: CommentId,
    /// Path of the file, relative to the root of the working tree.
    pub file: String,
    /// The version of the file that the line numbers refer to.
    pub side: DiffSide,
    /// The lines, as they were when the comment was made.
    #[serde(flatten)]
    pub anchor: AnchoredLines,
    /// Text of the comment.
    pub text: String,
    /// State of the comment.
    pub state: CommentState,
    /// The diff for which the comment was made.
    pub diff: CommentedDiff,
    /// Time at which the comment was made.
    #[serde(with = "crate::base::json_time")]
    pub created_at: Timestamp,
    /// Time at which the agent received it.
    #[serde(with = "crate::base::json_time::option", default)]
    pub sent_at: Option<Timestamp>,
    /// Time at which it was resolved.
    #[serde(with = "crate::base::json_time::option", default)]
    pub resolved_at: Option<Timestamp>,
    /// Fields that only a newer version knows. They are kept.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A prompt with comments whose delivery has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingReview {
    /// The comments in the prompt.
    pub comments: Vec<CommentId>,
    /// The prompt as it is typed.
    pub text: String,
}

/// Everything that is stored about the review of one agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Review {
    /// Number of the last comment. Numbers are never used again.
    #[serde(default)]
    pub last_id: u64,
    /// The comments in the order of their numbers.
    #[serde(default)]
    pub comments: Vec<ReviewComment>,
    /// A delivery that has begun, until it is confirmed.
    #[serde(default)]
    pub pending: Option<PendingReview>,
    /// The files that were marked as reviewed, by path, with the versions that were compared.
    #[serde(default)]
    pub reviewed: BTreeMap<String, BlobPair>,
    /// Fields that only a newer version knows. They are kept.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Whether the lines of a comment still exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentPlacement {
    /// The lines are where they were.
    Current,
    /// The lines are in another place.
    Moved,
    /// The lines have changed or are gone.
    Outdated,
    /// The work of the agent cannot be read.
    Unknown,
}

/// A comment with the present place of its lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedComment {
    /// The comment as it was made.
    #[serde(flatten)]
    pub comment: ReviewComment,
    /// Whether its lines still exist.
    pub placement: CommentPlacement,
    /// Present path of the file; that of the comment if the lines no longer exist.
    pub current_file: String,
    /// Present lines; `None` if they no longer exist or are not known.
    pub current_lines: Option<LineRange>,
}
