//! The arguments of a spawn.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::manager::specs::launch_plan::SpawnTarget;
use crate::model::{AgentName, GroupId, RestartPolicy, Workspace};

/// The arguments of a spawn.
#[derive(Debug, Clone, Default)]
pub struct SpawnRequest {
    /// The spec or command to run.
    pub body: SpawnTarget,
    /// The name of the agent.
    pub name: Option<AgentName>,
    /// The working directory; `None` means the current directory.
    pub dir: Option<PathBuf>,
    /// The initial prompt.
    pub task: Option<String>,
    /// A purpose, from which only the name is derived.
    pub called_for: Option<String>,
    /// Free text for lists and the status line.
    pub title: Option<String>,
    /// The spec file that replaces all others.
    pub config: Option<PathBuf>,
    /// The kind of workspace; `None` means as the spec says.
    pub workspace: Option<Workspace>,
    /// The branch of the worktree; `None` means a new one.
    pub branch: Option<String>,
    /// Whether a new worktree starts with the uncommitted changes of the directory that it is created from.
    pub changes: UncommittedChanges,
    /// The agent that the new one is a fork of. The new worktree gets the same base branch.
    pub fork_of: Option<AgentName>,
    /// The description of the taskspace, if the agent gets one.
    pub taskspace: Option<String>,
    /// The conversation to resume, or the name of the new one.
    pub conversation: Option<String>,
    /// The parameters of the spec.
    pub params: Vec<(String, String)>,
    /// Variables in addition to the caller's environment.
    pub env: Vec<(String, String)>,
    /// The parent. `None` means the agent in whose process tree this process runs.
    pub parent: Option<AgentName>,
    /// The group of agents that are started together on one task.
    pub group: Option<GroupId>,
    /// How long the agent exists; `None` means as the spec says.
    pub lifetime: Option<Lifetime>,
    /// The restart policy; `None` means as the spec says.
    pub restart: Option<RestartPolicy>,
    /// The initial number of columns and lines: those of the caller's terminal.
    pub size: Option<(u16, u16)>,
}

/// How a new worktree treats uncommitted changes of the directory that it is created from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UncommittedChanges {
    /// The changes stay in the directory, and a warning says so.
    #[default]
    StayBehind,
    /// The changes are copied into the new worktree.
    TakeAlong,
}

/// How long an agent exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// The agent is removed when its task is done.
    Task,
}

/// Environment variables of a process.
pub(in crate::manager) type Variables = Vec<(OsString, OsString)>;
