//! A spec: the blueprint of agents, resolved, with where each of its values came from. It never runs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Heartbeat, NotifyOn, Param, RestartPolicy, Tier, Workspace, WorkspaceConfig};

/// The spec that is always there.
pub const DEFAULT_SPEC: &str = "default";

/// One spec with nothing left to look up: an agent is born from it, and keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// How its program is driven; none: `command` when there is one, else the first agent CLI that is here.
    pub kind: Option<String>,
    /// Program and arguments in place of the kind's own program; no shell; empty: the kind's own.
    pub command: Vec<String>,
    /// What it is among others: proxy, planner, executor, or any word.
    pub role: Option<String>,
    /// Which model; none: the CLI's choice.
    pub model: Option<String>,
    /// The tools it may use without asking; none: the CLI's choice.
    pub tools: Option<Vec<String>>,
    /// How freely it may act; none: the CLI's choice.
    pub shell_tier: Option<Tier>,
    /// What is added to its system prompt, as text.
    pub system_prompt: Option<String>,
    /// Variables on top of the spawner's environment.
    pub env: BTreeMap<String, String>,
    /// When it is started again.
    pub restart: RestartPolicy,
    /// What it is asked regularly.
    pub heartbeat: Option<Heartbeat>,
    /// What sort of place it works in.
    pub workspace: Workspace,
    /// What a worktree of its own is made ready with, beside what the configuration says.
    pub worktree: WorkspaceConfig,
    /// Whether it vanishes when its task is done.
    pub ephemeral: bool,
    /// How many agents of it may be there at once.
    pub max_instances: Option<u32>,
    /// What it can be given at birth.
    pub params: BTreeMap<String, Param>,
    /// What is told about it; none: what the configuration says.
    pub notify: Option<Vec<NotifyOn>>,
    /// What it may spawn.
    pub limits: Limits,
    /// Who wrote it.
    pub found_in: FoundIn,
    /// Where each value that is not a default stands, by its key: `model`, `env.PORT`, `params.region`.
    pub origins: BTreeMap<String, Origin>,
    /// What should be said about it at spawn, such as a wish of a foreign file that we cannot pass on.
    pub remarks: Vec<String>,
}

impl Spec {
    /// The spec that nobody wrote.
    pub fn built_in() -> Spec {
        Spec { name: DEFAULT_SPEC.into(), ..Spec::default() }
    }

    /// Where the value of a key came from.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

/// What an agent may spawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// How many generations below it.
    pub depth: Option<u32>,
    /// How many children at once.
    pub children: Option<u32>,
}

/// Who wrote a spec: a project's file may be a stranger's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundIn {
    /// Nobody: it is the one that is always there.
    #[default]
    BuiltIn,
    /// A file in the project, perhaps somebody else's.
    Project(String),
    /// A file in the environment: the user's own.
    Home(String),
    /// A file the user named.
    Given(String),
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// A line of a file.
    File {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.pad("default"),
            Origin::File { path, line } => f.pad(&format!("{path}:{line}")),
        }
    }
}

/// Something wrong in a file of specs, where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Mistake {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)
    }
}
