//! A resolved spec: the blueprint of agents, with the origin of each of its values. A spec never runs by itself.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{Heartbeat, NotifyOn, Param, RestartPolicy, Tier, Workspace, WorkspaceConfig};

/// Name of the built-in spec.
pub const DEFAULT_SPEC: &str = "default";

/// One completely resolved spec. An agent is created from it and keeps a copy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// Name of the spec.
    pub name: String,
    /// Purpose of the spec.
    pub description: Option<String>,
    /// Name of the kind; `None` selects the kind `command` if a command is given, otherwise the first installed agent
    /// CLI.
    pub kind: Option<String>,
    /// Program and arguments that replace the kind's program, without a shell; empty to use the kind's program.
    pub command: Vec<String>,
    /// Role among other agents: proxy, planner, executor or any other name.
    pub role: Option<String>,
    /// Name of the model; `None` leaves the choice to the CLI.
    pub model: Option<String>,
    /// Tools that the agent may use without asking; `None` leaves the choice to the CLI.
    pub tools: Option<Vec<String>>,
    /// How freely the agent may act; `None` leaves the choice to the CLI.
    pub shell_tier: Option<Tier>,
    /// Text that is appended to the system prompt.
    pub system_prompt: Option<String>,
    /// Environment variables that are added to the spawner's environment.
    pub env: BTreeMap<String, String>,
    /// Restart policy of agents of this spec.
    pub restart: RestartPolicy,
    /// Prompt that is queued for the agent on a schedule.
    pub heartbeat: Option<Heartbeat>,
    /// Kind of workspace in which the agent works.
    pub workspace: Workspace,
    /// How a new worktree is prepared, in addition to the configuration.
    pub worktree: WorkspaceConfig,
    /// Whether the agent is removed when its task is done.
    pub ephemeral: bool,
    /// Maximum number of agents of this spec at the same time.
    pub max_instances: Option<u32>,
    /// Parameters that can be set at spawn.
    pub params: BTreeMap<String, Param>,
    /// Events that cause a notice; `None` uses the configuration.
    pub notify: Option<Vec<NotifyOn>>,
    /// Limits for the agents that it may spawn.
    pub limits: ChildLimits,
    /// Source of the spec.
    pub found_in: FoundIn,
    /// Origin of each value that is not a default, by its key: `model`, `env.PORT`, `params.region`.
    pub origins: BTreeMap<String, Origin>,
    /// Remarks that `spawn` reports, for example an option of a foreign file that cannot be passed on.
    pub remarks: Vec<String>,
}

impl Spec {
    /// Returns the built-in default spec.
    pub fn built_in() -> Spec {
        Spec { name: DEFAULT_SPEC.into(), ..Spec::default() }
    }

    /// Returns the origin of the value with this key.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

/// Limits for the agents that an agent may spawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChildLimits {
    /// Maximum number of generations below the agent.
    pub depth: Option<u32>,
    /// Maximum number of children at the same time.
    pub children: Option<u32>,
}

/// Source of a spec. A project's file may come from another author and needs the user's trust.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundIn {
    /// The spec is built in.
    #[default]
    BuiltIn,
    /// A file in the project, possibly written by another author.
    Project(String),
    /// A file in the state directory, written by the user.
    Home(String),
    /// A file that the user named.
    Given(String),
}

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The value is a default.
    Default,
    /// The value comes from a line of a file.
    File {
        /// Path of the file.
        path: String,
        /// Number of the line, starting at 1.
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

/// An error in a spec file, with its position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SpecMistake {
    /// Path of the file.
    pub path: String,
    /// Number of the line, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    /// Description of the error and of the allowed values.
    pub message: String,
}

impl fmt::Display for SpecMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)
    }
}
