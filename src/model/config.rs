//! The settings of `config.toml`. Every key has a default, so an empty file is valid.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{DashboardConfig, FinishMethod, NoticeChannel, WebUrl};

/// The complete configuration of an environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Maximum number of running agents; beyond it the least recently used idle agent is hibernated. `None` means no
    /// limit.
    pub max_agents: Option<u32>,
    /// Settings of the supervisor.
    pub supervisor: SupervisorConfig,
    /// Settings of automatic restarts.
    pub restart: RestartConfig,
    /// Settings of notices.
    pub notify: Notify,
    /// Settings of the automatic cleanup.
    pub cleanup: Cleanup,
    /// Settings of the ledger.
    pub ledger: LedgerConfig,
    /// Settings of new worktrees.
    pub workspace: WorkspaceConfig,
    /// Settings of checkpoints.
    pub checkpoints: CheckpointsConfig,
    /// Settings of `agent finish`.
    pub finish: FinishConfig,
    /// Settings of the MCP server that agents use.
    pub mcp: McpConfig,
    /// Settings of attached clients.
    pub attach: AttachConfig,
    /// Settings of other hosts.
    pub hosts: HostsConfig,
    /// Settings of the dashboard.
    pub dashboard: DashboardConfig,
}

/// Section `[attach]` of `config.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachConfig {
    /// Which of several attached clients may type.
    pub policy: AttachPolicy,
    /// How long an agent must have been without a client for a recap to cover its screen. `None` disables the recap.
    pub recap: Option<Duration>,
}

/// Which of several clients attached to one agent may type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachPolicy {
    /// One client, the driver; the others watch until it detaches or one of them takes over.
    SingleDriver,
    /// All clients that did not ask to watch only.
    Shared,
}

/// Section `[supervisor]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct SupervisorConfig {
    /// Whether the first command that needs the supervisor starts it.
    pub autostart: bool,
    /// Time between two complete reconciliations if no event arrives.
    pub reconcile: Duration,
}

/// Section `[restart]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct RestartConfig {
    /// Delay before the first restart; each further restart doubles it.
    pub first_delay: Duration,
    /// Maximum delay before a restart.
    pub max_delay: Duration,
    /// Maximum number of restarts within the window.
    pub max_restarts: u32,
    /// Length of the window in which restarts are counted.
    pub window: Duration,
    /// Whether a hung agent is restarted, unless its policy is `no`.
    pub hung: bool,
}

/// Section `[notify]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Notify {
    /// Events that cause a notice.
    pub on: Vec<NotifyOn>,
    /// Whether notices are shown on the desktop.
    pub desktop: Desktop,
    /// Whether clients attached to other agents show notices in their status line.
    pub status_line: bool,
    /// Whether notices ring the bell of those clients.
    pub bell: bool,
    /// A user's program that receives notices as JSON on standard input; program and arguments, no shell.
    pub command: Vec<String>,
    /// Maximum number of notices per minute; the notices beyond it are only counted.
    pub per_minute: u32,
    /// Period in which only the command receives notices.
    pub quiet_hours: Option<QuietHours>,
    /// Address under which other devices reach the web page, for links and answers in notices.
    pub page_url: Option<WebUrl>,
    /// A topic of ntfy that receives notices.
    pub ntfy: Option<NoticeChannel>,
    /// An address that receives notices as JSON.
    pub webhook: Option<NoticeChannel>,
}

/// An event that causes a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotifyOn {
    /// An agent waits for the user.
    Waiting,
    /// An agent has finished its turn.
    Finished,
    /// An agent crashed.
    Crashed,
    /// An agent reached the limit on restarts.
    GaveUp,
    /// An agent hangs.
    Hung,
    /// The working directory of an agent was deleted.
    Deleted,
    /// An agent sent a message to the user.
    Message,
    /// A task on an agent's queue ended.
    Task,
    /// A device was paired with the web page. Always sent, so no configuration names it.
    Device,
}

/// Whether notices are shown on the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desktop {
    /// Notices are shown if a desktop is available.
    Auto,
    /// Notices are never shown on the desktop.
    Off,
}

/// Daily period without notices; it may extend over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// Start of the period.
    pub from: ClockTime,
    /// End of the period.
    pub until: ClockTime,
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTime {
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
}

/// Section `[cleanup]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleanup {
    /// The policy for agents whose project directory was deleted.
    pub deleted_projects: AfterDeletion,
    /// How long such an agent is kept before it is removed.
    pub after: Duration,
}

/// The policy for agents whose project directory was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDeletion {
    /// The agent is marked and kept.
    Keep,
    /// The agent is removed after the configured time, unless it has uncommitted work.
    Prune,
}

/// Section `[ledger]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerConfig {
    /// How long events are kept.
    pub keep: Duration,
}

/// Section `[checkpoints]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointsConfig {
    /// Whether a checkpoint is taken before each turn.
    pub enabled: bool,
    /// Maximum number of checkpoints of one agent.
    pub keep: u32,
    /// Age at which a checkpoint is deleted.
    pub max_age: Duration,
}

/// Section `[mcp]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct McpConfig {
    /// Whether agents are given our MCP server.
    pub enabled: bool,
}

/// Section `[hosts]` of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct HostsConfig {
    /// The OpenSSH client: a name that is looked up in `PATH`, or a path.
    pub ssh: String,
}

/// Section `[workspace]` of `config.toml`, and the same settings in a spec.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkspaceConfig {
    /// Files and directories that git does not track and a new worktree needs, relative to the top of the project. The
    /// patterns `*` and `?` are allowed.
    pub copy: Vec<String>,
    /// Shell command lines that prepare a new worktree.
    pub setup: Vec<String>,
}

/// Section `[finish]` of `config.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinishConfig {
    /// How the work of an agent gets into its base branch.
    pub method: FinishMethod,
    /// Shell command lines that must succeed before the base branch moves.
    pub checks: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        const MINUTE: u64 = 60;
        const DAY: u64 = 24 * 60 * MINUTE;
        Config {
            max_agents: Some(100),
            supervisor: SupervisorConfig { autostart: true, reconcile: Duration::from_secs(MINUTE) },
            restart: RestartConfig {
                first_delay: Duration::from_secs(1),
                max_delay: Duration::from_secs(5 * MINUTE),
                max_restarts: 5,
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
                page_url: None,
                ntfy: None,
                webhook: None,
            },
            cleanup: Cleanup { deleted_projects: AfterDeletion::Keep, after: Duration::from_secs(7 * DAY) },
            ledger: LedgerConfig { keep: Duration::from_secs(90 * DAY) },
            workspace: WorkspaceConfig::default(),
            checkpoints: CheckpointsConfig {
                enabled: true,
                keep: 50,
                max_age: Duration::from_secs(14 * DAY),
            },
            finish: FinishConfig::default(),
            mcp: McpConfig { enabled: true },
            attach: AttachConfig {
                policy: AttachPolicy::SingleDriver,
                recap: Some(Duration::from_secs(5 * MINUTE)),
            },
            hosts: HostsConfig { ssh: "ssh".to_owned() },
            dashboard: DashboardConfig::default(),
        }
    }
}
