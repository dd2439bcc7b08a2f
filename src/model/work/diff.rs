//! The changes that an agent made since its base. The field names are a public contract.

use serde::{Deserialize, Serialize};

use crate::model::{AgentName, BlobPair, Commit};

/// Everything that an agent changed since its base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkDiff {
    /// Name of the agent.
    pub agent: AgentName,
    /// Root of the working tree.
    pub directory: String,
    /// Branch that is checked out, or the beginning of the commit id if HEAD is detached.
    pub branch: Option<String>,
    /// The state that the work is compared with.
    pub base: DiffBase,
    /// Commits since the base, the newest first.
    pub commits: Vec<Commit>,
    /// Files that differ from the base.
    pub files: Vec<FileChange>,
    /// Paths of the files that have uncommitted changes.
    pub uncommitted: Vec<String>,
    /// Facts that limit what the diff can show, as sentences.
    pub remarks: Vec<String>,
}

/// The commit that work is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffBase {
    /// Branch or other ref, as users write it; `None` if the base is only known as a commit.
    pub name: Option<String>,
    /// Id of the commit: the merge base of the ref and HEAD. `None` before the first commit.
    pub commit: Option<String>,
    /// How the base was determined.
    pub source: BaseSource,
}

/// How the base of an agent's work was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseSource {
    /// The user named it, now or before.
    Chosen,
    /// The branch from which the worktree was created.
    Spawn,
    /// The nearest main branch, because none was recorded.
    MainBranch,
    /// The commit that was checked out when an agent in place was created.
    Reflog,
    /// The last commit, because nothing else is known.
    Head,
    /// A checkpoint of the working tree.
    Checkpoint,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Path relative to the root of the working tree.
    pub path: String,
    /// Previous path of a renamed or copied file.
    pub old_path: Option<String>,
    /// How the file changed.
    pub kind: FileChangeKind,
    /// Number of added lines; `None` for a binary file.
    pub added: Option<u64>,
    /// Number of removed lines; `None` for a binary file.
    pub removed: Option<u64>,
    /// The compared versions of the file.
    #[serde(skip)]
    pub blobs: BlobPair,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileChangeKind {
    /// The file is new.
    Added,
    /// The file was deleted.
    Deleted,
    /// The content or the permissions changed.
    Modified,
    /// The file has another path.
    Renamed,
    /// The file is a copy of another one.
    Copied,
    /// A file became a link, or the reverse.
    TypeChanged,
    /// A submodule refers to another commit.
    Submodule,
}

impl FileChangeKind {
    /// Returns the letter that git uses.
    pub fn letter(self) -> char {
        match self {
            FileChangeKind::Added => 'A',
            FileChangeKind::Deleted => 'D',
            FileChangeKind::Modified => 'M',
            FileChangeKind::Renamed => 'R',
            FileChangeKind::Copied => 'C',
            FileChangeKind::TypeChanged => 'T',
            FileChangeKind::Submodule => 'S',
        }
    }
}
