//! Trust in the specs of a project: the files that define them, and the content that the user agreed to.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The files in the `.symposium` directory of a project that define specs, as they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFiles {
    /// The directory that holds `.symposium`.
    pub root: PathBuf,
    /// Hexadecimal SHA-256 over the names and contents of the files.
    pub sha256: String,
    /// The paths of the files, as [`super::Origin`] names them.
    pub paths: Vec<String>,
    /// The names of the specs in the files.
    pub names: Vec<String>,
}

/// A project whose specs the user trusts as long as their files have this content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedProject {
    /// The directory that holds `.symposium`.
    pub project: String,
    /// Hexadecimal SHA-256 over the names and contents of the files that define specs.
    pub sha256: String,
    /// Time at which the user agreed.
    #[serde(with = "crate::base::json_time")]
    pub trusted_at: Timestamp,
}

/// Whether the user trusts the specs of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustState {
    /// The user agreed to the files as they are.
    Trusted,
    /// The user agreed to the files, and they have changed since.
    Changed,
    /// The user never agreed.
    Untrusted,
}

/// The specs of a project, for the user's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReview {
    /// The directory that contains `.symposium`; for an agent's worktree, that of its repository.
    pub project: String,
    /// The hash of the content that the user agrees to.
    pub sha256: String,
    /// Whether the user trusts the content.
    pub state: TrustState,
    /// The specs that need trust, with their effects on this machine.
    pub specs: Vec<SpecEffects>,
}

/// A spec and its effects on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecEffects {
    /// The name of the spec; `None` for the settings that `[defaults]` gives to every kind.
    pub name: Option<String>,
    /// One sentence for each effect, with file and line.
    pub effects: Vec<String>,
}

/// A spec of a project that the user has not trusted as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrustedSpec {
    /// The name of the spec.
    pub spec: String,
    /// The directory in which the spec was looked up.
    pub dir: PathBuf,
    /// Whether the user trusted an earlier content of the files.
    pub is_changed: bool,
    /// Effects of the spec on this machine, one sentence each.
    pub effects: Vec<String>,
    /// Whether the request comes from an agent; only the user can agree.
    pub is_requested_by_agent: bool,
}

impl std::fmt::Display for UntrustedSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spec = &self.spec;
        match self.is_changed {
            true => write!(
                f,
                "the files of spec `{spec}`, which comes with this project, changed since you trusted them"
            ),
            false => write!(f, "spec `{spec}` comes with this project and is not trusted"),
        }
    }
}

impl std::error::Error for UntrustedSpec {}
