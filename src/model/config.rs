//! What a user can set in `config.toml`. Every key has a default; an empty file is a whole one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The whole configuration of an environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// How many agents may run at once; the least recently used idle one makes room. None: as many as one likes.
    pub max_agents: Option<u32>,
    /// The supervisor.
    pub supervisor: SupervisorConfig,
    /// Starting agents again.
    pub restart: RestartConfig,
    /// Telling people.
    pub notify: Notify,
    /// Tidying up.
    pub cleanup: Cleanup,
    /// The ledger.
    pub ledger: LedgerConfig,
    /// New worktrees.
    pub workspace: WorkspaceConfig,
    /// The tools of agents.
    pub mcp: McpConfig,
    /// Attached terminals.
    pub attach: AttachConfig,
    /// Other machines.
    pub hosts: HostsConfig,
}

/// `[attach]`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachConfig {
    /// Who of several terminals on one agent may type.
    pub policy: AttachPolicy,
    /// How long an agent must have been without a terminal for a recap to cover its screen. `None`: no recap.
    pub recap: Option<Duration>,
}

/// Who of several terminals on one agent may type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachPolicy {
    /// One; the others watch until it leaves or one of them takes over.
    SingleDriver,
    /// All that did not ask to watch only.
    Shared,
}

/// `[supervisor]`
#[derive(Debug, Clone, PartialEq)]
pub struct SupervisorConfig {
    /// Whether it is started by the first command that needs it.
    pub autostart: bool,
    /// How long between two looks at everything, when nothing happens.
    pub reconcile: Duration,
}

/// `[restart]`
#[derive(Debug, Clone, PartialEq)]
pub struct RestartConfig {
    /// How long to wait before the first restart; each further one waits twice as long.
    pub first: Duration,
    /// How long to wait at most.
    pub longest: Duration,
    /// How many restarts within the window before we give up.
    pub most: u32,
    /// The window.
    pub window: Duration,
    /// Whether one that hangs is started again, where its policy is not `no`.
    pub hung: bool,
}

/// `[notify]`
#[derive(Debug, Clone, PartialEq)]
pub struct Notify {
    /// What is told.
    pub on: Vec<NotifyOn>,
    /// Whether the desktop shows it.
    pub desktop: Desktop,
    /// Whether terminals attached to other agents show it in their status line.
    pub status_line: bool,
    /// Whether they ring.
    pub bell: bool,
    /// A program of the user's that gets JSON on standard input; program and arguments, no shell.
    pub command: Vec<String>,
    /// How many a minute at most; what is more is told as a number.
    pub per_minute: u32,
    /// When nothing is told but to the command.
    pub quiet_hours: Option<QuietHours>,
}

/// A reason to tell somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotifyOn {
    /// It waits for a person.
    Waiting,
    /// It is done with its turn.
    Finished,
    /// It crashed.
    Crashed,
    /// It was started again too often.
    GaveUp,
    /// It gives no sign of life.
    Hung,
    /// Its directory was deleted.
    Deleted,
    /// It wrote to whoever sits at the keyboard.
    Message,
    /// A task of its queue is over.
    Task,
}

/// Whether the desktop is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desktop {
    /// When there is one.
    Auto,
    /// Never.
    Off,
}

/// From when to when it is quiet; may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// From.
    pub from: ClockTime,
    /// Until.
    pub until: ClockTime,
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTime {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

/// `[cleanup]`
#[derive(Debug, Clone, PartialEq)]
pub struct Cleanup {
    /// What becomes of an agent whose project's directory was deleted.
    pub deleted_projects: AfterDeletion,
    /// How long it is kept all the same.
    pub after: Duration,
}

/// What becomes of an agent whose project is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDeletion {
    /// It is marked and stays.
    Keep,
    /// It is forgotten when the time is over, never with uncommitted work.
    Prune,
}

/// `[ledger]`
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerConfig {
    /// How long what happened is remembered.
    pub keep: Duration,
}

/// `[mcp]`
#[derive(Debug, Clone, PartialEq)]
pub struct McpConfig {
    /// Whether agents are given our MCP server.
    pub enabled: bool,
}

/// `[hosts]`
#[derive(Debug, Clone, PartialEq)]
pub struct HostsConfig {
    /// The OpenSSH client: a name that is looked up in PATH, or a path.
    pub ssh: String,
}

/// `[workspace]`, and what a spec says of the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkspaceConfig {
    /// Files and directories that git does not carry and a new worktree needs, below the project's top; `*` and `?`
    /// stand for other names.
    pub copy: Vec<String>,
    /// Commands that make a new worktree ready, each a line for the shell.
    pub setup: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        const MINUTE: u64 = 60;
        const DAY: u64 = 24 * 60 * MINUTE;
        Config {
            max_agents: Some(100),
            supervisor: SupervisorConfig { autostart: true, reconcile: Duration::from_secs(MINUTE) },
            restart: RestartConfig {
                first: Duration::from_secs(1),
                longest: Duration::from_secs(5 * MINUTE),
                most: 5,
                window: Duration::from_secs(10 * MINUTE),
                hung: false,
            },
            notify: Notify {
                on: vec![
                    NotifyOn::Waiting,
                    NotifyOn::Finished,
                    NotifyOn::Crashed,
                    NotifyOn::GaveUp,
                    NotifyOn::Hung,
                    NotifyOn::Deleted,
                    NotifyOn::Message,
                    NotifyOn::Task,
                ],
                desktop: Desktop::Auto,
                status_line: true,
                bell: false,
                command: Vec::new(),
                per_minute: 10,
                quiet_hours: None,
            },
            cleanup: Cleanup { deleted_projects: AfterDeletion::Keep, after: Duration::from_secs(7 * DAY) },
            ledger: LedgerConfig { keep: Duration::from_secs(90 * DAY) },
            workspace: WorkspaceConfig::default(),
            mcp: McpConfig { enabled: true },
            attach: AttachConfig {
                policy: AttachPolicy::SingleDriver,
                recap: Some(Duration::from_secs(5 * MINUTE)),
            },
            hosts: HostsConfig { ssh: "ssh".to_owned() },
        }
    }
}
