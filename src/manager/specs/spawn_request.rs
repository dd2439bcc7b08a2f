//! What a user asks for when an agent is spawned.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::manager::specs::launch_plan::Body;
use crate::model::{AgentName, RestartPolicy, Workspace};

/// What a user asked for.
#[derive(Debug, Clone, Default)]
pub struct SpawnRequest {
    /// What is to run.
    pub body: Body,
    /// What it is to be called.
    pub name: Option<AgentName>,
    /// Where it is to work; none means here.
    pub dir: Option<PathBuf>,
    /// Its first prompt.
    pub task: Option<String>,
    /// What it is there for, for its name only.
    pub called_for: Option<String>,
    /// Free text for people.
    pub title: Option<String>,
    /// The file to look for specs in, in place of all others.
    pub config: Option<PathBuf>,
    /// What sort of place it works in; none means as its spec says.
    pub workspace: Option<Workspace>,
    /// The branch of its worktree; none means one of its own.
    pub branch: Option<String>,
    /// Whether a new worktree starts with the uncommitted changes of the directory that it is made from.
    pub changes: UncommittedChanges,
    /// What its taskspace is for, when it gets one.
    pub taskspace: Option<String>,
    /// Go on with this conversation of the CLI, or what to call the new one.
    pub conversation: Option<String>,
    /// What its spec is given.
    pub params: Vec<(String, String)>,
    /// Variables on top of the caller's environment.
    pub env: Vec<(String, String)>,
    /// The agent that spawns it; none means the one in whose process tree this runs.
    pub parent: Option<AgentName>,
    /// How long it is there; none means as its spec says.
    pub lifetime: Option<Lifetime>,
    /// What happens when it ends by itself; none means as its spec says.
    pub restart: Option<RestartPolicy>,
    /// Columns and lines to begin with: those of the terminal that it was asked for in.
    pub size: Option<(u16, u16)>,
}

/// What happens to uncommitted changes when a worktree is made from a directory that has some.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UncommittedChanges {
    /// They stay behind, and a warning says so.
    #[default]
    StayBehind,
    /// A copy of them is put into the new worktree.
    TakeAlong,
}

/// How long an agent is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its task is done.
    Task,
}

/// Environment variables of a process.
pub(in crate::manager) type Variables = Vec<(OsString, OsString)>;
